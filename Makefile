# make            build/bide, and the C modules it loads, into build/
# make demo       install what building and running need, build, and wait for something
# make deps       install all that is missing for the targets above and below
# make pages      write docs/recipes and docs/api, from what the recipes declare and what annotations say
# make man        write build/bide.1, the page for man, from what makes the help
# make install    into PREFIX, below DESTDIR; make uninstall takes it away again
# make clean      remove what was built
#
# The rest is in a file beside what it runs.
#
# make test           spec/spec.mk: install what the specs need as well, build, and run every spec
# make check          the same: run every spec, or SPECS=…; nothing is installed
# make unit           the same: run the specs of spec/unit
# make oracle         the same: run the specs of random cases with more of them, CASES=100000 each
# make asan           the same: run every spec under AddressSanitizer and UBSan
# make posix          the same: build the way of systems that are not Linux, and run some specs over it
# make versions       the same: run the specs of a session with other versions of PostgreSQL
# make lint           spec/lint/lint.mk: check the Lua, the C under two compilers, its format, and the layers
# make m32            spec/m32/m32.mk: build what needs no Lua for 32 bits, and run the JMESPath suite over it
# make bench          spec/bench/bench.mk: measure, one JSON object a line; bench-soon STARTS=30 is the part with npm's peers
# make fuzz           spec/fuzz/fuzz.mk: run the fuzzers, SECONDS=60 each
# make examples       spec/examples/examples.mk: let other systems' tools check docs/examples; engines: run Temporal and Airflow
# make soak           spec/soak/soak.mk: cut attempts at random for MINUTES=20, and count what the process holds at its end
# make sweep          spec/sweep/sweep.mk: let each allocation fail in turn; WITHIN=90 takes a stride that ends in 90 s
# make library        src/library/library.mk: libbide, for programs in C and C++; install-library puts it below PREFIX
# make site           src/release/site.mk: the pages of docs as a site, into build/site/html
# make deb            .ci/package.mk: a package for Debian in build/, of what make install installs
# make static         src/release/static.mk: one file that needs no other, build/static/bide
# make bundle         src/release/tarball.mk: the program for any Linux with glibc, with what belongs to it, as a tar file
# make image          src/release/artefacts.mk: an image with it, as a folder of the OCI's layout
# make release        the same: all artefacts with their digests, SHA256SUMS
# make uses           spec/release/release.mk: use each artefact in bare roots; make lifetime: what becomes of the package
# make reproducible   .ci/package.mk: build in two folders, and compare what is installed and packaged

PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g
LUA     ?= lua5.4
LUA_PC  ?= lua5.4
LUV_PC  ?= lua5.4-luv
export LUA LUA_PC LUV_PC

$(if $(word 2,$(CURDIR)),$(error $(CURDIR): make takes no folder with a blank in its path))
# What fails half way through leaves nothing behind that looks made.
.DELETE_ON_ERROR:

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
            $(hardening) $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(packages) $(LUV_PC) libcurl zlib sqlite3 libcrypto libxml-2.0 2>/dev/null))

# The core is everything but the program, and what loads libcurl, SQLite, libcrypto, and libssl on its first use.
walls_sources    := $(wildcard src/process/walls*.c) src/host/api/walls.c
http_in_lua      := $(wildcard src/host/api/http*.c)
apart            := src/process/supervisor.c $(http_in_lua) src/host/api/sqlite.c src/host/api/digest.c \
                    src/host/api/tls.c src/host/api/xml.c $(walls_sources)
core_sources     := $(filter-out $(apart),$(wildcard src/base/*.c src/process/*.c src/secret/*.c src/json/*.c \
                    src/jmespath/*.c src/jmespath/*/*.c src/model/*.c src/wait/*.c src/host/*.c src/host/*/*.c)) \
                    $(addprefix src/net/,loop.c policy.c resolver.c signals.c timers.c)
program_sources  := src/main.c src/modules.c src/modules_beside.c src/process/supervisor.c src/process/descriptors.c src/base/blocks.c src/base/clock.c $(wildcard src/base/platform_*.c)
transfer_sources := $(wildcard src/net/http*.c) $(http_in_lua)
secure_sources   := $(wildcard src/net/tls*.c) src/host/api/tls.c src/base/error.c
# What reads JSON and searches it, without a loop and without Lua.
engine_sources   := $(wildcard src/base/*.c src/secret/*.c src/json/*.c src/jmespath/*.c src/jmespath/*/*.c)
sources          := $(wildcard src/*.c src/*/*.c src/*/*/*.c)
objects = $(patsubst src/%.c,$(build)/obj/%.o,$(1))

core     := $(build)/lib/bide/core.so
transfer := $(build)/lib/bide/transfer.so
sqlite   := $(build)/lib/bide/sqlite.so
digest   := $(build)/lib/bide/digest.so
secure   := $(build)/lib/bide/secure.so
walls    := $(build)/lib/bide/walls.so
xml      := $(build)/lib/bide/xml.so
program  := $(build)/bide

# Lua's text, compiled: reading it takes the program as long as everything else.
modules  := $(patsubst lua/%,$(build)/lua/%,$(shell find lua/bide -name '*.lua' -not -path 'lua/bide/meta/*')) \
            $(build)/lua/argparse.lua
argparse := $(shell $(LUA) -e 'print(package.searchpath("argparse", package.path))' 2>/dev/null)

# The program loads them from one file. The others are for what looks for a module's file.
joined   := $(build)/lua/bide/modules

# What modules read stands beside them.
data     := $(patsubst lua/%,$(build)/lua/%,$(shell find lua/bide -name '*.sql' -o -path '*/html/*.*'))

# A module that was deleted or moved leaves its compiled text behind, which a require would still find, and its folder, which
# a package would have.
stale    := $(filter-out $(modules),$(shell find $(build)/lua -name '*.lua' 2>/dev/null))
$(if $(stale),$(shell rm -f $(stale) $(joined); find $(build)/lua -type d -empty -delete))

libraries := $(core) $(transfer) $(sqlite) $(digest) $(secure) $(walls) $(xml)

all: $(program) $(libraries) $(modules) $(joined) $(data) $(build)/scripts $(build)/docs

$(call objects,$(sources)): | ready

$(program): $(call objects,$(program_sources))
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -pie -o $@ $^ $(shell pkg-config --libs $(LUA_PC))

# The core and what may have threads of its own stay mapped when the Lua state closes: the watchdog runs on, and a thread
# of libcurl may still be resolving a name. So does libxml2, which keeps what it has set up once for the process.
stays_mapped := -Wl,-z,nodelete

# The others need the core beside them, and use the one that the process has loaded, if any. The walls need nothing.
beside_core = $(core) -Wl,-rpath,'$$ORIGIN'
$(transfer) $(sqlite) $(digest) $(secure) $(xml): | $(core)

$(core):     $(call objects,$(core_sources))
$(core):     link_options = $(stays_mapped) -Wl,-soname,$(@F)
$(core):     links_with   = $(shell pkg-config --libs $(LUV_PC) $(packages)) -lm
$(transfer): $(call objects,$(transfer_sources))
$(transfer): link_options = $(stays_mapped)
# libcurl comes before the core, since most names that the loader looks up are of libcurl and its libraries.
$(transfer): links_with   = $(shell pkg-config --libs libcurl zlib libssl libcrypto) $(beside_core) $(shell pkg-config --libs $(packages))
$(sqlite):   $(call objects,src/host/api/sqlite.c)
$(sqlite):   links_with   = $(beside_core) $(shell pkg-config --libs sqlite3)
$(digest):   $(call objects,src/host/api/digest.c)
$(digest):   links_with   = $(beside_core) $(shell pkg-config --libs libcrypto)
$(secure):   $(call objects,$(secure_sources))
$(secure):   links_with   = $(beside_core) $(shell pkg-config --libs libssl libcrypto)
$(walls):    $(call objects,$(walls_sources))
$(xml):      $(call objects,src/host/api/xml.c)
$(xml):      link_options = $(stays_mapped)
$(xml):      links_with   = $(beside_core) $(shell pkg-config --libs libxml-2.0)

$(libraries):
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared $(link_options) -o $@ $^ $(links_with)

# libcurl and its libraries are those of this machine: a build for others is static, or made there.
curl_library = $$(pkg-config --variable=libdir libcurl)/libcurl.so
of_libcurl = $(shell ldd $(curl_library) 2>/dev/null | grep -o '^[[:space:]]*$(1)\.so\.[0-9]*' | tr -d '[:space:]')
$(build)/obj/modules_beside.o: defined = -DBIDE_LIBCRYPTO='"$(call of_libcurl,libcrypto)"' \
  -DBIDE_GNUTLS='"$(call of_libcurl,libgnutls)"' \
  -DBIDE_LIBCURL='"$(shell objdump -p $(curl_library) 2>/dev/null | sed -n 's/^ *SONAME *//p')"'

$(build)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  $<"
	@$(CC) $(flags) $(defined) -fvisibility=hidden $(CFLAGS) -MMD -MP -c -o $@ $<

$(build)/lua/%.lua: lua/%.lua src/compile.lua
	@mkdir -p $(@D)
	@$(LUA) src/compile.lua $< $@

$(joined): $(modules) src/join.lua
	@$(LUA) src/join.lua $(build)/lua $(patsubst $(build)/lua/%,%,$(modules)) >$@.new
	@mv $@.new $@

$(data): $(build)/%: %
	@mkdir -p $(@D)
	@cp $< $@

# The distribution's argparse, which every command needs, is as long as bide's own modules together.
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

# Modes and folders are given, so that the umask of whoever installs has no say. find fails with what `{} +` runs, which
# installs all files of a folder at once.
root = $(DESTDIR)$(PREFIX)
copy = (cd $(1) && find . -type d -exec sh -ec 'install -d -m 755 "$$0" && cd "$$0" && install -d -m 755 "$$@"' $(2) {} + && \
        find . -type d -exec sh -ec 'for folder; do \
          set --; for file in "$$folder"/* "$$folder"/.[!.]*; do [ ! -f "$$file" ] || set -- "$$@" "$$file"; done; \
          [ -z "$$*" ] || install -m 644 "$$@" "$$0/$$folder"; \
        done' $(2) {} +)

pages: all
	@mkdir -p docs/recipes docs/api
	@rm -f docs/recipes/*.md docs/api/*.md
	@$(with_modules) $(LUA) -e 'require("spec.api.pages").write "docs/api"'
	@for file in scripts/*.lua; do \
	  name=$$(basename $$file .lua) && BIDE_PATH= $(program) list $$name --output markdown >docs/recipes/$$name.md || exit; \
	done

version = $(shell sed 's/.*"\(.*\)".*/\1/' lua/bide/version.lua)

# Packages and the page for man have this time and no other: the one that is given, or that of the last commit.
given_time  := $(SOURCE_DATE_EPOCH)
time_of_all  = $(or $(given_time),$(shell git log -1 --format=%ct 2>/dev/null || date +%s))
man: export SOURCE_DATE_EPOCH = $(time_of_all)

# The page is the same on every machine: it has no recipes of BIDE_PATH, and no user's home folder.
write_man_page = HOME='~' XDG_DATA_HOME= BIDE_PATH= $(1) exec src/man.lua
man: all
	@$(call write_man_page,$(program)) >$(build)/bide.1

# Where bash, zsh and fish look for what completes the command lines of a program.
completions := share/bash-completion/completions/bide share/zsh/site-functions/_bide share/fish/vendor_completions.d/bide.fish
write_completions = for file in $(completions); do \
                      case $$file in *.fish) shell=fish ;; */_bide) shell=zsh ;; *) shell=bash ;; esac; \
                      $(1) completion $$shell >$(2)/$$file && chmod 644 $(2)/$$file || exit 1; \
                    done

install: all man
	install -d -m 755 $(root)/bin $(root)/lib/bide/bide $(root)/lib/bide/lua $(root)/share/bide/lua $(root)/share/bide/scripts
	install -m 755 $(program) $(root)/bin/
	install -m 644 $(libraries) $(root)/lib/bide/bide/
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
	$(call write_completions,$(program),$(root))
	install -d -m 755 $(root)/share/man/man1
	install -m 644 $(build)/bide.1 $(root)/share/man/man1/

uninstall:
	rm -rf $(root)/bin/bide $(root)/lib/bide $(root)/share/bide $(root)/share/doc/bide $(root)/share/man/man1/bide.1 \
	  $(addprefix $(root)/,$(completions))

clean:
	rm -rf build build-asan build-posix

# Lua with the modules of the build, for specs and benches; and the flags of programs that link no library of bide's.
with_modules = LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;'
plain_flags  = $(filter-out -fPIC,$(flags))

# A folder of sources alone can be built and installed: it has no specs.
include $(wildcard src/*/*.mk .ci/*.mk spec/*.mk spec/*/*.mk spec/*/*/*.mk)

.PHONY: all ready deps demo pages man install uninstall clean
