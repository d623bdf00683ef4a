# The files of docs/examples, checked by the tools of the systems that they are for; part of the Makefile. The tools come
# from pip and from Go's modules, into build/examples.

examples: all
	@spec/examples/check $(build)/examples

# Those of the page of engines, in the engines themselves; their programs go into build/engines.
engines: all
	@spec/examples/engines $(build)/engines

.PHONY: examples engines
