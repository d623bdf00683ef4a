# The soak cuts attempts at random for MINUTES; part of the Makefile.

MINUTES ?= 20

# BUILD=build-asan runs it under sanitizers.
soak: all
	@.ci/deps --name test
	@$(with_modules) $(LUA) spec/soak/soak.lua --minutes $(MINUTES) --build $(or $(BUILD),$(build))

.PHONY: soak
