# One file that needs no other: the program with its libraries, modules, recipes, data and pages; part of the Makefile.
#
# make static            build/static/bide, for this machine's x86-64
# make static-aarch64    build/static/aarch64/bide beside it
# make static-specs      run the specs of e2e and regress over it; what fails needs a library that can be replaced
# make static-walls      run the specs of the sandbox's walls over it, with what hostile code tries linked in
# make release-lock      write src/release/sources.lock anew, of the sources that the distribution has now
#
# SOURCES=DIR takes the sources from a folder, as `make static` keeps them in build/release/sources.

release := build/release
native  := x86_64-linux-musl

# What a compiler of the release is: a program for each target, which the build of a library finds as "cc".
tools = $(release)/$(1)/tools/cc

static: build/static/bide
static-aarch64: build/static/aarch64/bide

build/static/bide:         $(release)/x86_64-linux-musl/bide
build/static/aarch64/bide: $(release)/aarch64-linux-musl/bide
build/static/bide build/static/aarch64/bide:
	@mkdir -p $(@D)
	@install $< $@ # in place of the older one, which may be running
	@echo "  $@"

# ---- sources and libraries -----------------------------------------------------

# What is built is kept while its recipe has the same text, whenever a checkout has written that. Another make that builds it
# in the same folder is waited for, and what it made is kept.
kept_if_same = mkdir -p $(release) && exec 9>$(release)/lock && flock 9; cat $(1) | cmp -s - $@.made-by && exit;
now_same     = cat $(1) >$@.made-by

$(release)/sources.done: recipe := src/release/sources.lock src/release/sources src/release/certificates.lua
$(release)/sources.done: src/release/sources.lock src/release/sources src/release/certificates.lua
	@$(call kept_if_same,$(recipe)) src/release/sources lay-out $(SOURCES) && $(call now_same,$(recipe))

recipe_of_libraries := src/release/libraries.make $(release)/sources.done.made-by

$(release)/%/libraries.done: $(release)/sources.done src/release/libraries.make
	+@$(call kept_if_same,$(recipe_of_libraries)) \
	  rm -rf $(@D) && src/release/sources tools $* && \
	  nice $(MAKE) --no-print-directory -f src/release/libraries.make target=$* && $(call now_same,$(recipe_of_libraries)) && touch $@

# ---- the program ----------------------------------------------------------------

# Lua of the release compiles its own modules, so that what the host has makes no difference.
$(release)/compiler: $(release)/sources.done
	@ZIG_GLOBAL_CACHE_DIR=$(abspath $(release))/zig-cache ZIG_LOCAL_CACHE_DIR=$(abspath $(release))/zig-cache \
	  $(release)/zig/zig cc -target $(native) -O2 -g0 -s -static -o $@ -DLUA_USE_POSIX -DLUA_COMPAT_5_3 \
	  $$(ls $(release)/trees/lua5.4/src/*.c | grep -v '/luac\.c$$') -lm

static_sources := $(sort $(filter-out src/modules_beside.c,$(program_sources)) src/modules_within.c $(core_sources) \
                  $(apart) $(transfer_sources) $(secure_sources))
static_modules := $(patsubst $(build)/lua/%,$(release)/lua/%,$(modules) $(data)) $(release)/lua/re.lua

$(release)/lua/bide/%.lua: lua/bide/%.lua src/compile.lua $(release)/compiler
	@mkdir -p $(@D)
	@$(release)/compiler src/compile.lua $< $@

$(release)/lua/argparse.lua: $(release)/compiler
	@mkdir -p $(@D)
	@$(release)/compiler src/compile.lua $(release)/trees/lua-argparse/src/argparse.lua $@

$(release)/lua/re.lua: $(release)/compiler
	@mkdir -p $(@D)
	@$(release)/compiler src/compile.lua $(release)/trees/lua-lpeg/re.lua $@

$(release)/lua/bide/%: lua/bide/%
	@mkdir -p $(@D)
	@cp $< $@

static_stale := $(filter-out $(static_modules),$(shell find $(release)/lua -type f 2>/dev/null))

embedded_files := $(static_modules) $(shell find scripts docs -type f)

# Their names, of which one may have gone.
$(release)/embedded.list: again
	@mkdir -p $(@D)
	@printf '%s\n' $(embedded_files) | cmp -s - $@ || printf '%s\n' $(embedded_files) >$@

$(release)/embedded.c: $(embedded_files) $(release)/embedded.list src/release/embed.lua
	@rm -f $(static_stale)
	@$(LUA) src/release/embed.lua $(release)/lua=lua scripts=scripts docs=docs $(release)/certificates.pem=certificates.pem \
	  >$@.$$$$ && mv $@.$$$$ $@

static_flags := -std=c11 -D_GNU_SOURCE -Isrc $(in_any_folder) $(warnings) $(hardening) -fPIE -O2 -g0 \
                -ffunction-sections -fdata-sections -DCURL_STATICLIB -DNGHTTP2_STATICLIB

# What a program of a target is linked with: its objects, and the libraries.
objects_of   = $(static_sources:src/%.c=$(release)/$(1)/objects/bide/%.o) $(release)/$(1)/objects/embedded.o
libraries_of = -L$(release)/$(1)/lib -lluv -luv -lcurl -lssl -lcrypto -lnghttp2 -lxml2 -lsqlite3 -lz -lcjson -llpeg -llxp \
               -lexpat -llyaml -lyaml -lrex -lpcre2-8 -llua -lm -lpthread

define compiled
$(release)/$(1)/objects/bide/%.o: src/%.c $(release)/$(1)/libraries.done
	@mkdir -p $$(@D)
	@$(call tools,$(1)) $(static_flags) -isystem $(release)/$(1)/include -MMD -MP -c -o $$@ $$<

$(release)/$(1)/objects/embedded.o: $(release)/embedded.c $(release)/$(1)/libraries.done
	@$(call tools,$(1)) -std=c23 -Isrc -I. -isystem $(release)/$(1)/include -O2 -g0 -fPIE -c -o $$@ $$<
endef

# The stack of threads that libraries start is what glibc gives them; musl's own is 128 KB.
linked_static = -static -pie -s -Wl,--gc-sections -Wl,-z,relro,-z,now -Wl,-z,stack-size=8388608

define target
$(call compiled,$(1))
$(release)/$(1)/bide: $(call objects_of,$(1))
	@echo "  $$@"
	@$(call tools,$(1)) $(linked_static) -o $$@ $$^ $(call libraries_of,$(1))
endef
$(eval $(call target,x86_64-linux-musl))
$(eval $(call target,aarch64-linux-musl))

-include $(shell find $(release)/*/objects/bide -name '*.d' 2>/dev/null)

static-specs: build/static/bide all checks
	BIDE=build/static/bide $(LUA) spec/spread.lua $(or $(SPECS),spec/e2e spec/regress)

# No library can be preloaded into it, so that the probes of the walls are linked with it in place of difftime.
build/static/walls/bide: spec/support/walls/probes.c $(call objects_of,$(native))
	@mkdir -p $(@D)
	@echo "  $@"
	@$(call tools,$(native)) $(linked_static) -w -o $@ $^ $(call libraries_of,$(native))

build/static/walls/unit/walls: spec/unit/process/walls.c $(wildcard src/base/*.c src/process/*.c) $(release)/$(native)/libraries.done
	@mkdir -p $(@D)
	@echo "  $@"
	@$(call tools,$(native)) -std=c11 -D_GNU_SOURCE -Isrc -I. -isystem $(release)/$(native)/include -O2 $(linked_static) -o $@ \
	  $(filter %.c,$^) $(call libraries_of,$(native))

static-walls: build/static/walls/bide build/static/walls/unit/walls all
	BIDE=build/static/walls/bide $(LUA) spec/spread.lua spec/e2e/walls_spec.lua spec/e2e/within_walls_spec.lua \
	  spec/e2e/sandbox_spec.lua spec/unit/process/walls_spec.lua

release-lock:
	@src/release/sources lock

.PHONY: again static static-aarch64 static-specs static-walls release-lock
.SECONDARY:
