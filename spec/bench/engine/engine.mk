# The bench of JSON and JMESPath, and the fuzzers; part of the Makefile.
#
# make bench-engine         beside simdjson, jansson, hand-written loops and the
#                           engines of other languages, and the targets
# make fuzz SECONDS=600     each fuzz target for so long (clang)
# make fuzz-script          hostile scripts alone, for SCRIPT_SECONDS, SECONDS otherwise
# make fuzz-protocols       the readers of protocols alone, PROTOCOL_SECONDS each
# make fuzz-models          hostile models alone, for MODEL_SECONDS

engine_sources := $(filter-out $(walls_sources),$(wildcard src/base/*.c src/secret/*.c src/json/*.c src/jmespath/*.c))
engine_bench   := $(wildcard spec/bench/engine/*.c)
engine_flags    = $(filter-out -fPIC,$(flags)) -Ispec/bench/engine
counted        := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
BENCH_CPU      ?= 0
SECONDS        ?= 60
SCRIPT_SECONDS ?= $(SECONDS)
PROTOCOL_SECONDS ?= $(SECONDS)
MODEL_SECONDS ?= $(SECONDS)
fuzz_targets   := json expression search

bench: bench-engine

bench-engine:
	@.ci/deps build bench
	+@$(MAKE) --no-print-directory $(build)/bench
	@taskset -c $(BENCH_CPU) $(build)/bench | tee $(build)/bench-engine.jsonl
	@BENCH_CPU=$(BENCH_CPU) spec/bench/engine/peers/run $(build) | tee $(build)/bench-peers.jsonl
	@$(LUA) spec/bench/engine/compare.lua $(build)/bench-engine.jsonl $(build)/bench-peers.jsonl

$(build)/bench: $(engine_sources) $(engine_bench) $(wildcard src/*/*.h spec/bench/engine/*.h*) \
                spec/bench/engine/reference_simdjson.cpp
	@mkdir -p $(@D)
	@$(CXX) -O2 -Ispec/bench/engine -c -o $(build)/reference_simdjson.o \
	  spec/bench/engine/reference_simdjson.cpp
	@$(CC) $(engine_flags) $(CFLAGS) $(counted) -o $@ $(engine_bench) $(engine_sources) \
	  $(build)/reference_simdjson.o -lsimdjson -ljansson -lm -lstdc++

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

$(build)/fuzz/%: spec/fuzz/%.c spec/fuzz/check.h $(engine_sources) $(wildcard src/*/*.h)
	@mkdir -p $(@D)
	@clang $(filter-out -fPIC,$(flags)) -Ispec/fuzz -DBIDE_JMESPATH_WORK=1000000 -O1 -g \
	  -fno-sanitize-recover=undefined \
	  -fsanitize=fuzzer,address,undefined -o $@ $< $(engine_sources) -lm

# Random calls of all that Lua sees, in plain Lua and in the sandbox, a process a seed.
fuzz-script: all
	+@$(MAKE) --no-print-directory sanitized
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/fuzz/script.lua --seconds $(SCRIPT_SECONDS) --build build-asan

# Damaged conversations with the servers of databases, brokers and mail.
fuzz-protocols: all
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/fuzz/protocols.lua --seconds $(PROTOCOL_SECONDS)

# Models that lead credentials elsewhere, beside servers that look for them.
fuzz-models: all
	@LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' LUA_CPATH='$(build)/lib/?.so;;' \
	  $(LUA) spec/fuzz/models.lua --seconds $(MODEL_SECONDS) --build $(build)

.PHONY: bench-engine fuzz fuzz-script fuzz-protocols fuzz-models
