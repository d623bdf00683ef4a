# The bench of JSON and JMESPath beside simdjson, jansson, hand-written loops and the engines of other languages; part of
# the Makefile. BENCH_CPU is the core that it uses.

engine_bench := $(wildcard spec/bench/engine/*.c)
counted      := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
BENCH_CPU    ?= 0

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
	@$(CC) $(plain_flags) -Ispec/bench/engine $(CFLAGS) $(counted) -o $@ $(engine_bench) $(engine_sources) \
	  $(build)/reference_simdjson.o -lsimdjson -ljansson -lm -lstdc++

.PHONY: bench-engine
