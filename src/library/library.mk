# libbide: the decisions, JMESPath and documents as a library of C; part of the Makefile. It is built into build/libbide,
# and make install-library puts it below PREFIX. The soname changes with src/release/libbide.abi, which make keep-interface
# writes, and only when something that was there changes or goes.

library        := $(build)/libbide
soname         := libbide.so.1
# Each function has a section of its own, so that the linker leaves out what no public function reaches: the system's calls,
# the analysis of expressions, the advice on schedules.
library_sources = $(wildcard src/library/*.c src/wait/*.c) $(engine_sources)
library_objects = $(patsubst src/%.c,$(library)/obj/%.o,$(library_sources))
# The names that callers see: those of the header.
public_names    = $(shell sed -n 's|.*[ *]\(bide_[a-z_]*\)\x28.*|\1|p' src/library/bide.h | sort -u)

library: $(library)/libbide.so $(library)/libbide.a $(library)/bide.h

$(library)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  $<"
	@$(CC) $(flags) -fvisibility=hidden -ffunction-sections -fdata-sections $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(library)/obj -name '*.d' 2>/dev/null)

$(library)/libbide.map: src/library/bide.h
	@mkdir -p $(@D)
	@{ echo 'BIDE_1 {'; echo 'global:'; printf '  %s;\n' $(public_names); printf 'local:\n  *;\n};\n'; } >$@

$(library)/$(soname): $(library_objects) $(library)/libbide.map
	@echo "  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared -Wl,-soname,$(soname) -Wl,--version-script=$(library)/libbide.map \
	  -Wl,--gc-sections -o $@ $(library_objects) -lm

$(library)/libbide.so: $(library)/$(soname)
	@ln -sfn $(<F) $@

# One object whose other names are its own, so that a program may use them for something else.
$(library)/libbide.a: $(library_objects) src/library/bide.h
	@mkdir -p $(@D)
	@echo "  $@"
	@$(LD) -r --gc-sections $(addprefix -u ,$(public_names)) -o $(library)/bide.o $(library_objects)
	@objcopy --strip-unneeded $(addprefix --keep-global-symbol=,$(public_names)) $(library)/bide.o
	@rm -f $@ && $(AR) rcsD $@ $(library)/bide.o

$(library)/bide.h: src/library/bide.h
	@mkdir -p $(@D)
	@cp $< $@

install-library: library
	install -d -m 755 $(root)/include $(root)/lib/pkgconfig
	install -m 644 $(library)/bide.h $(root)/include/
	install -m 644 $(library)/libbide.a $(root)/lib/
	install -m 755 $(library)/$(soname) $(root)/lib/
	ln -sfn $(soname) $(root)/lib/libbide.so
	sed -e 's|@prefix@|$(PREFIX)|' -e 's|@version@|$(version)|' src/library/libbide.pc >$(root)/lib/pkgconfig/libbide.pc
	chmod 644 $(root)/lib/pkgconfig/libbide.pc

# The interface, from the compiler's own records. A release is compared with the one that is kept.
$(library)/libbide.abi: $(library)/$(soname)
	@abidw --exported-interfaces-only --header-file src/library/bide.h --drop-private-types --no-corpus-path --no-comp-dir-path \
	  --no-show-locs --out-file $@ $<

keep-interface: $(library)/libbide.abi
	cp $< src/release/libbide.abi

.PHONY: library install-library keep-interface
