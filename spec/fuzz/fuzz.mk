# The fuzzers; part of the Makefile.
#
# make fuzz SECONDS=600     each fuzzer for that long (clang)
# make fuzz-script          hostile scripts alone, for SCRIPT_SECONDS, by default SECONDS
# make fuzz-protocols       the readers of protocols alone, for PROTOCOL_SECONDS each
# make fuzz-models          hostile models alone, for MODEL_SECONDS

SECONDS          ?= 60
SCRIPT_SECONDS   ?= $(SECONDS)
PROTOCOL_SECONDS ?= $(SECONDS)
MODEL_SECONDS    ?= $(SECONDS)
fuzz_targets     := json expression search secret

# A crash leaves its input in the folder, and `make fuzz` fails.
fuzz: $(fuzz_targets:%=$(build)/fuzz/%) fuzz-script fuzz-protocols fuzz-models
	@mkdir -p $(fuzz_targets:%=$(build)/fuzz/corpus/%)
	@$(LUA) -e 'package.path = "./?.lua;" .. package.path' spec/fuzz/corpus.lua $(build)/fuzz/corpus
	@for target in $(fuzz_targets); do \
	  echo "  fuzzing $$target for $(SECONDS) s"; \
	  dictionary=spec/fuzz/expression.dict; \
	  if [ $$target = json ]; then dictionary=spec/fuzz/json.dict; fi; \
	  $(build)/fuzz/$$target -max_total_time=$(SECONDS) -timeout=15 -rss_limit_mb=3000 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix=$(build)/fuzz/$$target- -dict=$$dictionary \
	    $(build)/fuzz/corpus/$$target >$(build)/fuzz/$$target.log 2>&1 || \
	    { tail -40 $(build)/fuzz/$$target.log; exit 1; }; \
	done

$(build)/fuzz/%: spec/fuzz/%.c spec/fuzz/check.h $(engine_sources) $(wildcard src/*/*.h src/*/*/*.h)
	@mkdir -p $(@D)
	@clang $(plain_flags) -Ispec/fuzz -DBIDE_JMESPATH_WORK=1000000 -O1 -g \
	  -fno-sanitize-recover=undefined \
	  -fsanitize=fuzzer,address,undefined -o $@ $< $(engine_sources) -lm

# Random calls of all that Lua sees, in plain Lua and in the sandbox, a process a seed.
fuzz-script: all
	+@$(MAKE) --no-print-directory sanitized
	@$(with_modules) $(LUA) spec/fuzz/script.lua --seconds $(SCRIPT_SECONDS) --build build-asan

# Damaged conversations with the servers of databases, brokers and mail.
fuzz-protocols: all
	@$(with_modules) $(LUA) spec/fuzz/protocols.lua --seconds $(PROTOCOL_SECONDS)

# Models that lead credentials elsewhere, beside servers that look for them.
fuzz-models: all
	@$(with_modules) $(LUA) spec/fuzz/models.lua --seconds $(MODEL_SECONDS) --build $(build)

.PHONY: fuzz fuzz-script fuzz-protocols fuzz-models
