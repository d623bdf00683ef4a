# make            build/bide, and the C modules it loads, into build/
# make demo       install what building and running need, build, and wait for something
# make test       install what the specs need as well, build, and run every spec
# make check      run every spec; nothing is installed
# make unit       run the specs of spec/unit on all cores
# make lint       check the Lua, the C under two compilers, its format, and the layers
# make m32        build what needs no Lua for 32 bits, and run the JMESPath suite over it
# make posix      build the way of systems that are not Linux, and run some specs over it
# make oracle     run the specs of random cases with more of them, CASES=100000 each
# make asan       run every spec under AddressSanitizer and UBSan
# make bench      measure, one JSON object a line; bench-soon STARTS=30 is the part with npm's peers
# make fuzz       run the fuzzers, SECONDS=60 each
# make soak       cut attempts at random for MINUTES=20, and count what the process holds at its end
# make sweep      let each allocation fail in turn; WITHIN=90 takes a stride of them that ends in 90 s
# make pages      write docs/recipes and docs/api, from what the recipes declare and what annotations say
# make man        write build/bide.1, the page for man, from what makes the help
# make deps       install all that is missing for the targets above
# make deb        a package for Debian in build/, of what make install installs
# make reproducible  build twice in two folders, and compare what is installed and packaged
# make install    into PREFIX, below DESTDIR; make uninstall takes it away again
# make clean      remove what was built

PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g
LUA     ?= lua5.4
LUA_PC  ?= lua5.4
LUV_PC  ?= lua5.4-luv
export LUA LUA_PC LUV_PC

build    := build
packages := $(LUA_PC) libuv
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wundef -Wwrite-strings -Wpointer-arith -Wvla \
            -Wswitch-enum -Wcast-qual -Wformat=2
hardening := -fstack-protector-strong -D_FORTIFY_SOURCE=2
linked   := -Wl,-z,relro,-z,now
# What is built is the same in every folder, and a package of one commit the same at any time.
in_any_folder := -ffile-prefix-map=$(CURDIR)=.
flags    := -std=c11 -D_GNU_SOURCE -Isrc $(in_any_folder) $(warnings) -fPIC -fno-plt -fno-semantic-interposition \
            $(hardening) $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(packages) $(LUV_PC) libcurl zlib sqlite3 libcrypto 2>/dev/null))

# The core is everything but the program, and what loads libcurl, SQLite, libcrypto, and libssl on its first use.
walls_sources    := $(wildcard src/process/walls*.c) src/host/api/walls.c
apart            := src/process/command_supervisor.c src/host/api/http.c src/host/api/store.c src/host/api/digest.c \
                    src/host/api/tls.c $(walls_sources)
core_sources     := $(filter-out $(apart),$(wildcard src/base/*.c src/process/*.c src/secret/*.c src/json/*.c \
                    src/jmespath/*.c src/model/*.c src/wait/*.c src/host/*.c src/host/*/*.c)) src/net/loop.c src/net/resolver.c
program_sources  := src/main.c src/process/command_supervisor.c src/process/descriptors.c $(wildcard src/base/platform_*.c)
transfer_sources := $(wildcard src/net/http*.c) src/host/api/http.c
secure_sources   := $(wildcard src/net/tls*.c) src/host/api/tls.c src/base/error.c
objects = $(patsubst src/%.c,$(build)/obj/%.o,$(1))

core     := $(build)/lib/bide/core.so
transfer := $(build)/lib/bide/transfer.so
store    := $(build)/lib/bide/store.so
digest   := $(build)/lib/bide/digest.so
secure   := $(build)/lib/bide/secure.so
walls    := $(build)/lib/bide/walls.so
program  := $(build)/bide

modules  := $(patsubst lua/%,$(build)/lua/%,$(shell find lua/bide -name '*.lua' -not -path 'lua/bide/meta/*')) \
            $(build)/lua/argparse.lua
argparse := $(shell $(LUA) -e 'print(package.searchpath("argparse", package.path))' 2>/dev/null)

# A module that was deleted or moved leaves its compiled text behind, which a require would still find.
stale    := $(filter-out $(modules),$(shell find $(build)/lua -name '*.lua' 2>/dev/null))
$(if $(stale),$(shell rm -f $(stale)))

all: $(program) $(core) $(transfer) $(store) $(digest) $(secure) $(walls) $(modules) $(build)/scripts $(build)/docs

sources  := $(wildcard src/*.c src/*/*.c src/*/*/*.c)

$(call objects,$(sources)): | ready

$(program): $(call objects,$(program_sources))
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -pie -o $@ $^ $(shell pkg-config --libs $(LUA_PC))

# It stays mapped when the Lua state closes: the watchdog is a thread that runs on.
$(core): $(call objects,$(core_sources))
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -Wl,-z,nodelete -Wl,-soname,$(@F) -o $@ $^ \
	  $(shell pkg-config --libs $(LUV_PC) $(packages)) -lm

# It needs the core beside it, and uses the one that the process has loaded, if any. It stays
# mapped when the Lua state closes: a thread of libcurl may still be resolving a name.
$(transfer): $(call objects,$(transfer_sources)) | $(core)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -Wl,-z,nodelete -o $@ $^ $(core) \
	  -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs libcurl zlib $(packages))

# It needs the core beside it too, for classes and failures.
$(store): $(call objects,src/host/api/store.c) | $(core)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -o $@ $^ $(core) -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs sqlite3)

$(walls): $(call objects,$(walls_sources))
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -o $@ $^

# It needs the core beside it too, for failures.
$(digest): $(call objects,src/host/api/digest.c) | $(core)
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -o $@ $^ $(core) -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs libcrypto)

# It needs the core beside it too, for classes and failures.
$(secure): $(call objects,$(secure_sources)) | $(core)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -o $@ $^ $(core) -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs libssl libcrypto)

$(build)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  $<"
	@$(CC) $(flags) -fvisibility=hidden $(CFLAGS) -MMD -MP -c -o $@ $<

# The program starts with compiled modules: reading their texts takes it as long as everything else.
$(build)/lua/%.lua: lua/%.lua src/compile.lua
	@mkdir -p $(@D)
	@$(LUA) src/compile.lua $< $@

# Every command needs the distribution's argparse, and reading its text takes as long as bide's own modules together.
$(build)/lua/argparse.lua: $(argparse) src/compile.lua | ready
	@mkdir -p $(@D)
	@$(LUA) src/compile.lua $(argparse) $@

$(build)/scripts $(build)/docs:
	@mkdir -p $(@D)
	@ln -sfn ../$(@F) $@

-include $(shell find $(build)/obj -name '*.d' 2>/dev/null)

# ---- what must be there ------------------------------------------------------

deps:
	@.ci/deps build test services lint m32 fuzz

# Names what is missing, and installs nothing.
ready:
	@.ci/deps --name build

# A make of its own builds, since this one has asked pkg-config before deps installed anything.
demo:
	@.ci/deps build
	+@$(MAKE) --no-print-directory all
	@$(LUA) docs/demo.lua $(program)

test:
	@.ci/deps build test services
	+@$(MAKE) --no-print-directory check

# The checks in C of what no script reaches; their specs run them.
unit := $(build)/unit/base $(build)/unit/walls $(build)/unit/timers

# The specs of services that are not installed are pending, and name the package. SPECS=… runs some.
check: all $(unit)
	@.ci/deps --name test
	$(LUA) spec/spread.lua $(SPECS)

checks: $(unit)

unit: all checks
	@.ci/deps --name test
	$(LUA) spec/spread.lua spec/unit

$(build)/unit/base: spec/unit/base/checks.c $(call objects,$(wildcard src/base/*.c src/process/*.c src/secret/*.c))
$(build)/unit/walls: spec/unit/process/walls.c $(call objects,$(wildcard src/base/*.c src/process/*.c))
$(build)/unit/timers: spec/unit/net/timers.c $(call objects,$(wildcard src/base/*.c src/process/*.c) src/net/loop.c)
$(unit): spec/support/check.h
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(flags) -I. $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(shell pkg-config --libs libuv) -lm

CASES ?= 100000

# The fast reader and search beside plain ones, the sandbox's patterns beside Lua's, damaged models and answers, AWS's
# protocols beside botocore.
oracle: all
	@.ci/deps --name test
	BIDE_CASES=$(CASES) busted spec/unit/json/oracle_spec.lua spec/unit/jmespath/oracle_spec.lua spec/unit/jmespath/judge_oracle_spec.lua \
	  spec/unit/pattern_spec.lua spec/unit/model/hostile_spec.lua spec/unit/model/protocol/random_spec.lua \
	  spec/compliance/aws_oracle_spec.lua

# Leaks are looked for as well; what the distribution's libraries keep until exit is not ours.
asan:
	@.ci/deps build test services
	+@$(MAKE) --no-print-directory sanitized
	BIDE=build-asan/bide $(sanitizers) $(LUA) spec/spread.lua --preload $(shell $(CC) -print-file-name=libasan.so) \
	  --cpath='./build-asan/lib/?.so' $(SPECS)

# Builds for the sanitizers, into build-asan.
sanitized:
	+@$(MAKE) --no-print-directory build=build-asan CFLAGS='$(sanitize)' LDFLAGS='$(sanitize)' hardening= all checks

sanitize   := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
sanitizers := ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/leaks \
              UBSAN_OPTIONS=print_stacktrace=1

# Once as it is, once for leaks and what else a sanitizer sees, and once within each kind of libraries.
sweep:
	@.ci/deps build test
	+@$(MAKE) --no-print-directory all $(build)/sweep/allocations.so
	+@$(MAKE) --no-print-directory sanitized
	@status=0; for pass in '$(build) own' 'build-asan own' '$(build) libraries' '$(build) crypto'; do \
	  LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	    $(LUA) spec/sweep/sweep.lua $$pass $(WITHIN:%=$$((% / 4 - 2))) || status=1; \
	done; exit $$status

MINUTES ?= 20

# BUILD=build-asan runs it under sanitizers.
soak: all
	@.ci/deps --name test
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/soak/soak.lua --minutes $(MINUTES) --build $(or $(BUILD),$(build))

$(build)/sweep/allocations.so: spec/sweep/allocations.c
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(flags) -O2 -fno-omit-frame-pointer -shared -o $@ $<

# A Lua that finds what was built.
with_bide = LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' $(LUA)

lint: all
	@.ci/deps --name build lint
	luacheck --quiet lua scripts spec docs .luacheckrc
	$(LUA) spec/lint.lua
	$(program) check scripts/*.lua
	$(with_bide) -e 'require("spec.api.pages").check "docs/api"'
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

# The layers below the host, with words of 32 bits and without Lua.
lean = $(engine_sources) $(wildcard src/wait/*.c)

m32: all
	@.ci/deps --name m32
	@mkdir -p $(build)/m32
	@$(CC) -m32 $(flags) -Werror $(CFLAGS) -o $(build)/m32/run spec/m32/run.c $(lean) -lm
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/m32/cases.lua | $(build)/m32/run

# What is Linux alone has a way beside it for other systems; here it is tested on this one.
posix: all
	@.ci/deps --name test
	+@$(MAKE) --no-print-directory build=build-posix CFLAGS='$(CFLAGS) -Werror -DBIDE_PLATFORM_POSIX' all
	BIDE=build-posix/bide busted --cpath='./build-posix/lib/?.so' spec/unit/base/platform_spec.lua \
	  spec/unit/pattern_spec.lua spec/unit/text/secret_spec.lua spec/unit/json/read_spec.lua \
	  spec/regress/first_module_spec.lua spec/e2e/run_spec.lua spec/e2e/once_spec.lua spec/e2e/signals_spec.lua \
	  spec/e2e/supervisor_spec.lua spec/e2e/watchdog_spec.lua

bench: bench-poll bench-fleet bench-soon bench-model bench-sign bench-aws

include spec/bench/engine/engine.mk

# What a wait over HTTP costs, against nginx and a bare loop of libcurl. All share one core: a server on another one
# costs half as much again, and the scheduler would choose for each run.
bench-poll: all
	@mkdir -p $(build)/poll
	@$(CC) $(CFLAGS) -o $(build)/poll/reference spec/bench/poll_reference.c -lcurl
	@$(CC) $(CFLAGS) -o $(build)/poll/usage spec/bench/usage.c
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  taskset -c 0 $(LUA) spec/bench/poll.lua $(build)

# What a model costs beside its text.
bench-model: all
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/bench/model.lua $(build)

# What a signature for AWS costs, against a C loop that makes its HMACs and digests; and the endpoint of a request.
bench-sign: all
	@mkdir -p $(build)/sign
	@$(CC) $(CFLAGS) -o $(build)/sign/reference spec/bench/sign_reference.c -lcrypto
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/bench/sign.lua $(build)

# What a wait for a service of AWS costs, against a recipe written by hand and the AWS CLI; and a fleet of such waits.
bench-aws: all
	@mkdir -p $(build)/aws
	@$(CC) $(CFLAGS) -o $(build)/aws/usage spec/bench/usage.c
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/bench/aws/bench.lua $(build)

# What a hundred thousand sleeping waits take, and how late thousands of attempts a second are.
bench-fleet: all
	@mkdir -p $(build)/fleet
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/bench/fleet/bench.lua $(build)

STARTS ?= 30

# How late a service is found that comes up, beside the peers of npm, which this fetches.
bench-soon: all
	@mkdir -p $(build)/soon
	@$(CC) $(CFLAGS) -o $(build)/soon/usage spec/bench/usage.c
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/bench/soon/bench.lua $(build) $(STARTS)

# Modes and folders are given, so that the umask of whoever installs has no say.
root = $(DESTDIR)$(PREFIX)
copy = (cd $(1) && find . -type d -exec install -d -m 755 $(2)/{} \; && \
        find . -type f -exec install -m 644 {} $(2)/{} \;)

pages: all
	@mkdir -p docs/recipes docs/api
	@rm -f docs/recipes/*.md docs/api/*.md
	@$(with_bide) -e 'require("spec.api.pages").write "docs/api"'
	@BIDE_PATH= $(program) list --output markdown >docs/recipes/README.md
	@for file in scripts/*.lua; do \
	  name=$$(basename $$file .lua) && BIDE_PATH= $(program) list $$name --output markdown >docs/recipes/$$name.md || exit; \
	done

# The time of the last commit. Packages and the page for man have it, and no other time.
man deb reproducible: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

# The page is the same on every machine: it has no recipes of BIDE_PATH, and no user's home folder.
man: all
	@HOME='~' XDG_DATA_HOME= BIDE_PATH= $(program) exec src/man.lua >$(build)/bide.1

# Where bash, zsh and fish look for what completes the command lines of a program.
completions := share/bash-completion/completions/bide share/zsh/site-functions/_bide share/fish/vendor_completions.d/bide.fish

install: all man
	install -d -m 755 $(root)/bin $(root)/lib/bide/bide $(root)/lib/bide/lua $(root)/share/bide/lua $(root)/share/bide/scripts
	install -m 755 $(program) $(root)/bin/
	install -m 644 $(core) $(transfer) $(store) $(digest) $(secure) $(walls) $(root)/lib/bide/bide/
	$(call copy,$(build)/lua,$(abspath $(root))/lib/bide/lua)
	$(call copy,lua,$(abspath $(root))/share/bide/lua)
	install -m 644 $(argparse) $(root)/share/bide/lua/
	$(call copy,scripts,$(abspath $(root))/share/bide/scripts)
	ln -sfn ../../share/bide/scripts $(root)/lib/bide/scripts
	install -d -m 755 $(root)/share/bide/docs $(root)/share/doc/bide
	$(call copy,docs,$(abspath $(root))/share/bide/docs)
	ln -sfn ../../share/bide/docs $(root)/lib/bide/docs
	ln -sfn ../../bide/docs $(root)/share/doc/bide/docs
	install -m 644 README.md LICENSE $(root)/share/doc/bide/
	install -d -m 755 $(dir $(addprefix $(root)/,$(completions)))
	for file in $(completions); do \
	  case $$file in *.fish) shell=fish ;; */_bide) shell=zsh ;; *) shell=bash ;; esac; \
	  $(program) completion $$shell >$(root)/$$file && chmod 644 $(root)/$$file || exit 1; \
	done
	install -d -m 755 $(root)/share/man/man1
	install -m 644 $(build)/bide.1 $(root)/share/man/man1/

uninstall:
	rm -rf $(root)/bin/bide $(root)/lib/bide $(root)/share/bide $(root)/share/doc/bide $(root)/share/man/man1/bide.1 \
	  $(addprefix $(root)/,$(completions))

# The names of the packages that it depends on are those of Debian 12.
deb: all
	@rm -rf $(build)/deb
	@$(MAKE) --no-print-directory install DESTDIR=$(build)/deb PREFIX=/usr >/dev/null
	@gzip -9n $(build)/deb/usr/share/man/man1/bide.1
	@install -d -m 755 $(build)/deb/DEBIAN $(build)/deb/usr/share/doc/bide
	@strip --strip-unneeded $(build)/deb/usr/bin/bide $(build)/deb/usr/lib/bide/bide/*.so
	@mv $(build)/deb/usr/share/doc/bide/LICENSE $(build)/deb/usr/share/doc/bide/copyright
	@ln -s copyright $(build)/deb/usr/share/doc/bide/LICENSE
	@printf '\nOf scripts/aws:\n\n' | cat - scripts/aws/NOTICE >>$(build)/deb/usr/share/doc/bide/copyright
	@printf '\nOn Debian, the text of that license is in /usr/share/common-licenses/Apache-2.0.\n' \
	  >>$(build)/deb/usr/share/doc/bide/copyright
	@printf 'bide ($(version)) unstable; urgency=medium\n\n  * See docs/CHANGELOG.md beside this file.\n\n -- %s  %s\n' \
	  "$$(sed -n 's/^Maintainer: //p' .ci/control)" "$$(LC_ALL=C date -u -R -d @$(SOURCE_DATE_EPOCH))" \
	  | gzip -9n >$(build)/deb/usr/share/doc/bide/changelog.gz
	@printf '\nOf argparse:\n\n' >>$(build)/deb/usr/share/doc/bide/copyright
	@sed -n -e '/^-- *\|^$$/!q' -e 's/^-- \{0,1\}//p' $(argparse) >>$(build)/deb/usr/share/doc/bide/copyright
	@sed -e 's/@version@/$(version)/' -e 's/@architecture@/$(shell dpkg --print-architecture)/' .ci/control \
	  >$(build)/deb/DEBIAN/control
	@chmod 644 $(build)/deb/usr/share/doc/bide/changelog.gz
	@find $(build)/deb -newermt @$(SOURCE_DATE_EPOCH) -exec touch --no-dereference --date=@$(SOURCE_DATE_EPOCH) {} +
	@dpkg-deb --root-owner-group --build $(build)/deb $(build)

# Builds twice from copies in two folders, and compares what make install and make deb make, byte for byte.
reproducible:
	@.ci/reproducible

version = $(shell sed 's/.*"\(.*\)".*/\1/' lua/bide/version.lua)

clean:
	rm -rf build build-asan build-posix

.PHONY: all checks unit sanitized ready lint-c m32 posix bench bench-poll bench-fleet bench-soon bench-model bench-aws demo deps test check oracle asan sweep soak lint deb reproducible pages man install uninstall clean
