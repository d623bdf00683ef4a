# What the text of the code shows: Lua, C under two compilers, its format, and the rules of the house; part of the Makefile.

lint: all
	@.ci/deps --name build lint
	luacheck --quiet lua scripts spec docs .luacheckrc
	$(LUA) spec/lint.lua
	$(program) check scripts/*.lua
	$(with_modules) $(LUA) -e 'require("spec.api.pages").check "docs/api"'
	+@$(MAKE) --no-print-directory lint-c

# One name means one thing: all headers hold in one file, too.
headers := $(patsubst src/%,%,$(wildcard src/*/*.h src/*/*/*.h))

# What has a way for other systems beside that of Linux.
platform := $(wildcard src/base/platform_*.c src/process/walls*.c) src/process/library_signals.c src/process/interrupter.c

lint-c:
	@clang-format --dry-run --Werror $(sources) $(addprefix src/,$(headers)) $(wildcard spec/*/*.[ch] spec/*/*/*.[ch])
	@printf '#include "%s"\n' $(headers) | gcc $(flags) -Werror -fsyntax-only -x c -
	@for source in $(sources); do \
	  gcc $(flags) -Werror -fsyntax-only $$source || exit 1; \
	  clang $(flags) -Werror -fsyntax-only $$source || exit 1; \
	done
	@for source in $(platform); do \
	  clang $(flags) -Werror -DBIDE_PLATFORM_POSIX -fsyntax-only $$source || exit 1; \
	done

# The annotations, as an editor reads them.
types:
	@.ci/types get || true
	@.ci/types

.PHONY: lint lint-c types
