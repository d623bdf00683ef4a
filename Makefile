# make          build/bide and the Lua modules beside it
# make demo     install what is missing, build, and wait for something
# make test     install what is missing, build, and run every spec
# make help     the other targets

PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g

build    := build
packages := lua5.4 libuv
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wundef -Wwrite-strings -Wpointer-arith -Wvla \
            -Wswitch-enum -Wcast-qual -Wformat=2
flags    := -std=c11 -D_GNU_SOURCE -Isrc $(warnings) -fPIC \
            $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(packages) lua5.4-luv libcurl 2>/dev/null))

# The core is everything but the program and HTTP, which loads libcurl on its first use.
core_sources     := $(filter-out src/host/api_http.c,$(wildcard src/base/*.c src/json/*.c \
                    src/jmespath/*.c src/wait/*.c src/host/*.c)) src/net/loop.c
transfer_sources := $(wildcard src/net/http*.c) src/host/api_http.c
objects = $(patsubst src/%.c,$(build)/obj/%.o,$(1))

core     := $(build)/lib/bide/core.so
transfer := $(build)/lib/bide/transfer.so
program  := $(build)/bide

all: $(program) $(core) $(transfer)

$(program): $(call objects,src/main.c)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs lua5.4)

$(core): $(call objects,$(core_sources))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,bide-core.so -o $@ $^ \
	  $(shell pkg-config --libs lua5.4-luv $(packages)) -lm

# It calls into the core that the same process has loaded, which its soname finds. It stays
# mapped when the Lua state closes: a thread of libcurl may still be resolving a name.
$(transfer): $(call objects,$(transfer_sources)) | $(core)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete -o $@ $^ $(core) \
	  -Wl,-rpath,'$$ORIGIN' $(shell pkg-config --libs libcurl $(packages))

$(build)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(build)/obj -name '*.d' 2>/dev/null)

clean:
	rm -rf build

.PHONY: all clean
