# The benches; part of the Makefile. Each prints one JSON object a line.
#
# make bench                all of them
# make bench-poll PARTS=static  some parts of it: start, static, memory, lateness, instructions, lines, record, poll
# make bench-advise SEEDS=20 what bide advise finds, over that many seeds of each distribution
# make bench-store ROWS="verbs memory"  some rows of it; BIDE_SLEEPING, BIDE_REFUSED, BIDE_HELD, BIDE_ENDS and BIDE_ROUNDS are its sizes
# make bench-soon STARTS=30 how late a service is found, beside npm's peers, over that many starts
# make bench-events EVENTS=30 how late an event is acted on, beside inotifywait, etcdctl, docker and kubectl; ROLLOUT=120
#                           is the seconds for which the requests of a wait for a pod are counted
# make bench-rollout ROLLOUT=600 what a wait for a rollout asks of a real API server, over that many seconds

bench: bench-poll bench-calls bench-fleet bench-soon bench-events bench-model bench-sign bench-aws bench-engine bench-store bench-library bench-advise bench-cases

# What a wait over HTTP costs, against nginx and a bare loop of libcurl. All share one core: a server on another one
# costs half as much again, and the scheduler would choose for each run.
bench-poll: all
	@mkdir -p $(build)/poll
	@$(CC) $(CFLAGS) -o $(build)/poll/reference spec/bench/poll_reference.c -lcurl
	@$(CC) $(CFLAGS) -o $(build)/poll/usage spec/bench/usage.c
	@$(with_modules) taskset -c 0 $(LUA) spec/bench/poll.lua $(build) $(PARTS)

# How long the cases of recipes take, on all cores.
bench-cases: all
	@$(with_modules) $(LUA) spec/bench/cases.lua $(build)

# How many functions of Lua an attempt calls.
bench-calls: all
	@$(with_modules) AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=example AWS_REGION=eu-west-1 \
	  $(LUA) spec/bench/calls.lua

# What a model costs beside its text.
bench-model: all
	@$(with_modules) $(LUA) spec/bench/model.lua $(build)

# What a signature for AWS costs, against a C loop that makes its HMACs and digests; and the endpoint of a request.
bench-sign: all
	@mkdir -p $(build)/sign
	@$(CC) $(CFLAGS) -o $(build)/sign/reference spec/bench/sign_reference.c -lcrypto
	@$(with_modules) $(LUA) spec/bench/sign.lua $(build)

# What a wait for a service of AWS costs, against a recipe written by hand and the AWS CLI; and a fleet of such waits.
bench-aws: all
	@mkdir -p $(build)/aws
	@$(CC) $(CFLAGS) -o $(build)/aws/usage spec/bench/usage.c
	@$(with_modules) $(LUA) spec/bench/aws/bench.lua $(build)

# What an expression costs in Python, over libbide and over the packages that pip gives.
bench-library: library
	@[ -x $(build)/library/bin/python3 ] || python3 -m venv $(build)/library
	@$(build)/library/bin/pip install --quiet --disable-pip-version-check cffi orjson jmespath rjmespath
	@LIBBIDE=$(library)/$(soname) PYTHONPATH=docs/examples/python $(build)/library/bin/python3 spec/bench/library.py

# What a hundred thousand sleeping waits take, and how late thousands of attempts a second are.
bench-fleet: all
	@mkdir -p $(build)/fleet
	@$(with_modules) $(LUA) spec/bench/fleet/bench.lua $(build)

# What a store in PostgreSQL costs: ROWS="verbs kept" names some of its rows.
bench-store: all
	@mkdir -p $(build)/store
	@for program in bare_session bare_loop bare_late; do $(CC) $(CFLAGS) -I$(shell pg_config --includedir 2>/dev/null) \
	  -o $(build)/store/$$program spec/bench/store/$$program.c spec/bench/store/bare.c -lpq || exit 1; done
	@$(with_modules) $(LUA) spec/bench/store/bench.lua $(build) $(ROWS)

SEEDS ?= 20

# What an advice finds beside brute force, and how often its intervals have the truth.
bench-advise: all
	@$(with_modules) $(LUA) spec/bench/advise/bench.lua $(SEEDS) $(DISTRIBUTIONS)

STARTS ?= 30

# How late a service is found that comes up, beside the peers of npm, which this fetches.
bench-soon: all
	@mkdir -p $(build)/soon
	@$(CC) $(CFLAGS) -o $(build)/soon/usage spec/bench/usage.c
	@$(with_modules) $(LUA) spec/bench/soon/bench.lua $(build) $(STARTS)

EVENTS ?= 30
ROLLOUT ?= 120

# How long after an event bide ends, beside peers that hear of the same one; and what waits for pods ask of their server.
bench-events: all
	@$(with_modules) $(LUA) spec/bench/soon/events.lua $(build) $(EVENTS) $(ROLLOUT)

# What a wait for a rollout of ten minutes asks of a real API server with its controllers, beside one that only polls.
bench-rollout: all
	@$(with_modules) $(LUA) spec/bench/soon/rollout.lua $(build) $(ROLLOUT)

.PHONY: bench-rollout bench bench-poll bench-fleet bench-soon bench-events bench-model bench-sign bench-aws bench-store bench-library bench-advise bench-cases
