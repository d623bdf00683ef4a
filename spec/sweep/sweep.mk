# The sweep lets each allocation fail in turn; part of the Makefile. WITHIN=90 takes a stride of them that ends in 90 s.

# Once as it is, once for leaks and what else a sanitizer sees, and once within each kind of libraries.
sweep:
	@.ci/deps build test
	+@$(MAKE) --no-print-directory all $(build)/sweep/allocations.so
	+@$(MAKE) --no-print-directory sanitized
	@status=0; for pass in '$(build) own' 'build-asan own' '$(build) libraries' '$(build) crypto'; do \
	  $(with_modules) $(LUA) spec/sweep/sweep.lua $$pass $(WITHIN:%=$$((% / 4 - 2))) || status=1; \
	done; exit $$status

$(build)/sweep/allocations.so: spec/sweep/allocations.c
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(flags) -O2 -fno-omit-frame-pointer -shared -o $@ $<

.PHONY: sweep
