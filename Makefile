# make          build/bide, and the C modules it loads, into build/
# make demo     install what is missing, build, and wait for something
# make test     install what is missing, build, and run every spec; services= leaves the
#               services out that recipes wait for, whose specs then are pending
# make lint     check the Lua, the C under two compilers, and the layers
# make asan     run every spec under AddressSanitizer and UBSan
# make bench    measure, one JSON object a line
# make fuzz     run the fuzzers, SECONDS=60 each
# make deps     install the packages that all of this needs
# make install  into PREFIX, below DESTDIR
# make clean    forget what was built

PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g

build    := build
packages := lua5.4 libuv
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wundef -Wwrite-strings -Wpointer-arith -Wvla \
            -Wswitch-enum -Wcast-qual -Wformat=2
flags    := -std=c11 -D_GNU_SOURCE -Isrc $(warnings) -fPIC -fno-semantic-interposition \
            $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(packages) lua5.4-luv libcurl sqlite3 libcrypto 2>/dev/null))

# The core is everything but the program, and what loads libcurl, SQLite and libcrypto on its first use.
core_sources     := $(filter-out src/host/api_http.c src/host/api_store.c src/host/api_digest.c,$(wildcard src/base/*.c src/json/*.c \
                    src/jmespath/*.c src/wait/*.c src/host/*.c)) src/net/loop.c
transfer_sources := $(wildcard src/net/http*.c) src/host/api_http.c
objects = $(patsubst src/%.c,$(build)/obj/%.o,$(1))

core     := $(build)/lib/bide/core.so
transfer := $(build)/lib/bide/transfer.so
store    := $(build)/lib/bide/store.so
digest   := $(build)/lib/bide/digest.so
program  := $(build)/bide

modules  := $(patsubst lua/%,$(build)/lua/%,$(filter-out lua/bide/meta/%,$(wildcard lua/bide/*.lua lua/bide/*/*.lua)))

all: $(program) $(core) $(transfer) $(store) $(digest) $(modules) $(build)/scripts

$(program): $(call objects,src/main.c)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs lua5.4)

$(core): $(call objects,$(core_sources))
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,bide-core.so -o $@ $^ \
	  $(shell pkg-config --libs lua5.4-luv $(packages)) -lm

# It calls into the core that the same process has loaded, which its soname finds. It stays
# mapped when the Lua state closes: a thread of libcurl may still be resolving a name.
$(transfer): $(call objects,$(transfer_sources)) | $(core)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete -o $@ $^ $(core) \
	  -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs libcurl $(packages))

$(store): $(call objects,src/host/api_store.c)
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ $(shell pkg-config --libs sqlite3)

$(digest): $(call objects,src/host/api_digest.c)
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ $(shell pkg-config --libs libcrypto)

$(build)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  $<"
	@$(CC) $(flags) $(CFLAGS) -MMD -MP -c -o $@ $<

# The program starts with compiled modules: reading their texts takes it as long as everything else.
$(build)/lua/%.lua: lua/%.lua src/compile.lua
	@mkdir -p $(@D)
	@lua5.4 src/compile.lua $< $@

$(build)/scripts:
	@mkdir -p $(@D)
	@ln -sfn ../scripts $@

-include $(shell find $(build)/obj -name '*.d' 2>/dev/null)

deps:
	@.ci/deps

# What the recipes' specs start, each for itself.
services := redis-server postgresql rabbitmq-server etcd-server prometheus dnsmasq-base systemd

deps-services:
	@.ci/deps $(services)

# A make of its own builds, since this one has asked pkg-config before deps installed anything.
demo: deps
	+@$(MAKE) --no-print-directory all
	@lua5.4 docs/demo.lua $(program)

test: deps-services
	+@$(MAKE) --no-print-directory all
	busted

# Leaks are looked for as well; what the distribution's libraries keep until exit is not ours.
asan: deps-services
	+$(MAKE) build=build-asan CFLAGS='$(sanitize)' LDFLAGS='$(sanitize)' all
	BIDE=build-asan/bide LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) $(sanitizers) \
	  busted --cpath='./build-asan/lib/?.so'

sanitize   := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
sanitizers := ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/leaks \
              UBSAN_OPTIONS=print_stacktrace=1

lint: deps
	luacheck --quiet lua scripts spec docs .luacheckrc
	lua5.4 spec/lint.lua
	+@$(MAKE) --no-print-directory lint-c

lint-c:
	@for source in $(wildcard src/*.c src/*/*.c); do \
	  gcc $(flags) -Werror -fsyntax-only $$source || exit 1; \
	  clang $(flags) -Werror -fsyntax-only $$source || exit 1; \
	done

bench: bench-poll bench-fleet

include spec/bench/engine/engine.mk

# What a wait over HTTP costs, against nginx and a bare loop of libcurl.
bench-poll: all
	@mkdir -p $(build)/poll
	@$(CC) $(CFLAGS) -o $(build)/poll/reference spec/bench/poll_reference.c -lcurl
	@$(CC) $(CFLAGS) -o $(build)/poll/usage spec/bench/usage.c
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  lua5.4 spec/bench/poll.lua $(build)

# What a hundred thousand sleeping waits take, and how late thousands of attempts a second are.
bench-fleet: all
	@mkdir -p $(build)/fleet
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  lua5.4 spec/bench/fleet/bench.lua $(build)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/bide/bide
	install $(program) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(core) $(transfer) $(store) $(digest) $(DESTDIR)$(PREFIX)/lib/bide/bide/
	cp -R $(build)/lua $(DESTDIR)$(PREFIX)/lib/bide/
	install -d $(DESTDIR)$(PREFIX)/share/bide
	cp -R lua scripts $(DESTDIR)$(PREFIX)/share/bide/
	ln -sfn ../../share/bide/scripts $(DESTDIR)$(PREFIX)/lib/bide/scripts

clean:
	rm -rf build build-asan

.PHONY: all lint-c bench bench-poll bench-fleet demo deps deps-services test asan lint install clean
