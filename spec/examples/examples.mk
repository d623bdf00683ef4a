# The files of docs/examples, checked by the tools of the systems that they are for; part of the Makefile. The tools come
# from pip and from Go's modules, into build/examples.

examples: all
	@spec/examples/check $(build)/examples

.PHONY: examples
