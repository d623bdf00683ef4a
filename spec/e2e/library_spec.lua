---libbide: the programs of its page, its waiters beside those of `bide replay`, its expressions in Python over JMESPath's
---suite, and the names that its users see.

local cjson = require "cjson.safe"
local data = require "spec.support.data"
local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local python = require "spec.support.python"
local read = require "spec.support.read"
local uv = require "luv"

local folder = process.build .. "/libbide"
local header = "src/library/bide.h"

local function shell(line, ...)
  return process.run({ "/bin/sh", "-c", line, ... }, { tool = true, longest = 120 })
end

local function succeed(line, ...)
  local done = shell(line, ...)
  assert.equal(0, done.code, line .. "\n" .. done.stdout .. done.stderr)
  return done.stdout
end

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

local sanitize = process.is_sanitized and "-fsanitize=address,undefined " or ""

---Builds a program of one file; `compiler` has its own options.
local function build(compiler, source, target, library)
  succeed(("%s %s-Wall -Wextra -Werror -I%s -o %s %s %s -lm"):format(compiler, sanitize, folder, target, source, library))
end

describe("libbide", function()
  local place = Directory.of_block()

  describe("page", function()
    local programs = {}

    setup(function()
      local page = read "docs/reference/libbide.md"
      for block in page:gmatch "```c\n(.-)```" do programs[#programs + 1] = block end
      assert.equal(3, #programs)
    end)

    ---Builds a program of the page each way, and calls `try` with the words that run it.
    local function each_way(number, try)
      place:write("program.c", programs[number])
      place:write("program.cpp", programs[number])
      local target = place.path .. "/program"
      build("cc -std=gnu11", place.path .. "/program.c", target, folder .. "/libbide.a")
      try(target)
      build("g++", place.path .. "/program.cpp", target, folder .. "/libbide.a")
      try(target)
      build("cc -std=gnu11", place.path .. "/program.c", target, folder .. "/libbide.so -Wl,-rpath,$PWD/" .. folder)
      try(target)
    end

    local function run(words, stdin)
      local done = process.run(words, { stdin = stdin })
      return done.code, done.stdout .. done.stderr
    end

    it("prints the members of a document", function()
      each_way(1, function(program)
        local code, text = run({ program }, '{"a": [1, 2], "b": "x", "c": 18446744073709551615}')
        assert.equal("a: array of 2\nb: string of 0\nc: unsigned of 0\n", text)
        assert.equal(0, code)
        code, text = run({ program }, '{"a": \n [1,]}')
        assert.equal(1, code)
        assert.matches("^2:%d", text)
        assert.equal(1, (run({ program }, "")))
      end)
    end)

    it("builds its programs against the installed library, below any PREFIX", function()
      local prefix = place.path .. "/installed"
      succeed(("make -s build=%s install-library PREFIX=%s"):format(process.build, prefix))
      local program = place:write("program.c", programs[2])
      succeed(("export PKG_CONFIG_PATH=%s/lib/pkgconfig; cc %s%s $(pkg-config --cflags --libs libbide) -o %s/found"):format(
        prefix, sanitize, program, place.path))
      assert.equal("3\n", succeed(("echo '{\"a\": 3}' | LD_LIBRARY_PATH=%s/lib %s/found a"):format(prefix, place.path)))
    end)

    it("searches by an expression", function()
      each_way(2, function(program)
        local code, text = run({ program, "items[?ready].name" }, '{"items": [{"name": "a", "ready": true}, {"name": "b"}]}')
        assert.equal('["a"]\n', text)
        assert.equal(0, code)
        code, text = run({ program, "a.[" }, "{}")
        assert.equal(1, code)
        assert.matches("^syntax at column %d", text)
        code, text = run({ program, "abs(@)" }, '"x"')
        assert.equal(1, code)
        assert.matches("^invalid%-type at column", text)
      end)
    end)

    it("waits for a file", function()
      each_way(3, function(program)
        local path = place:write("state.json", '{"state": "ready"}')
        assert.same({ 0, "acceptor after 1 attempts\n" }, { run { program, path } })
        place:write("state.json", '{"state": "failed"}')
        assert.same({ 1, "acceptor after 1 attempts\n" }, { run { program, path } })
      end)
      local late = place.path .. "/late.json"
      local waiting = process.start({ place.path .. "/program", late })
      uv.sleep(300) -- after its first attempt, or a second one would not be seen
      place:write("late.json", '{"state": "ready"}')
      waiting:wait()
      assert.matches("^acceptor after %d attempts", waiting.stdout)
    end)
  end)

  describe("waiter", function()
    local program

    setup(function()
      program = place.path .. "/waiter"
      build("cc -std=gnu11", "spec/unit/library/waiter.c", program, folder .. "/libbide.a")
    end)

    local function decide(definition, answers, max_wait, seed, attempts)
      local path = place:write("definition.json", definition)
      local words = { program, path, tostring(max_wait), tostring(seed), tostring(attempts or 0) }
      return process.run(words, { stdin = answers })
    end

    local function acceptor(state, matcher) return { state = state, matcher = matcher } end

    local function output(path, expected)
      return { output = { path = path, comparator = "stringEquals", expected = expected } }
    end

    ---A waiter, its answers and its limits, by a random generator.
    local function random_case(random)
      local answers, kinds = {}, { "on", "off", "x" }
      for i = 1, random(8) do
        local after = random(4) == 1 and random(20) or nil
        local failed = { error = { type = random(2) == 1 and "Known" or "Other", retryAfter = after } }
        answers[i] = cjson.encode(random(3) == 1 and failed or { output = { s = kinds[random(3)] }, retryAfter = after })
      end
      local acceptors = { acceptor("success", output("s", "on")), acceptor("retry", { errorType = "Known" }) }
      if random(2) == 1 then table.insert(acceptors, 1, acceptor("failure", output("s", "off"))) end
      if random(3) == 1 then acceptors[#acceptors + 1] = acceptor("retry", { success = false }) end
      local min = random(5)
      return { acceptors = acceptors, minDelay = min, maxDelay = min + random(60) }, table.concat(answers, "\n") .. "\n"
    end

    it("has the delays and the end of bide replay", function()
      local state = 20261124
      local function random(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return state // 65536 % n + 1
      end
      for case = 1, 40 do
        local definition, answers = random_case(random)
        local wait, attempts = random(90), random(2) == 1 and random(12) or 0
        local mine = decide(cjson.encode(definition), answers, wait * 1000, case, attempts)
        assert.equal(0, mine.code, mine.stderr)
        local recipe = place:write("recipe.json", cjson.encode { Waited = definition })
        local recorded = place:write("answers.jsonl", answers)
        local words = { process.bide, "replay", recipe, "Waited", recorded, "--max-wait", wait .. "s", "--seed", tostring(case),
          "--output", "json", "--quiet" }
        if attempts > 0 then table.move({ "--max-attempts", tostring(attempts) }, 1, 2, #words + 1, words) end
        local done = process.run(words)
        local outcome = assert(cjson.decode(done.stdout), done.stderr)
        local expected = {}
        for _, attempt in ipairs(outcome.history) do
          if attempt.delay then expected[#expected + 1] = ("%.0f"):format(attempt.delay * 1000) end
        end
        local last = outcome.history[#outcome.history]
        expected[#expected + 1] = ("%s %s %d %d"):format(outcome.state, outcome.reason, last.acceptor or 0, outcome.attempts)
        assert.same(expected, lines_of(mine.stdout), ("case %d: %s\n%s"):format(case, cjson.encode(definition), answers))
      end
    end)

    it("refuses a definition, and says where", function()
      local good = '{"state": "success", "matcher": {"success": true}}'
      local function refuse(definition, pattern)
        local done = decide(definition, '{"output": 1}\n', 1000, 0)
        assert.equal(2, done.code, definition)
        assert.matches(pattern, done.stderr)
      end
      refuse("", "^json 1:1 ")
      refuse("[]", "^definition 0:0 waiter: expected an object")
      refuse('{"acceptors": 1}', "acceptors: expected an array")
      refuse('{"acceptors": []}', 'at least one with the state "success"')
      refuse(('{"acceptors": [%s], "minDelay": 0}'):format(good), "minDelay: expected whole seconds")
      refuse(('{"acceptors": [%s], "minDelay": 1.5}'):format(good), "minDelay: expected whole seconds")
      refuse(('{"acceptors": [%s], "minDelay": 9, "maxDelay": 3}'):format(good), "minDelay no greater than maxDelay")
      refuse(('{"acceptors": [%s], "mindelay": 9}'):format(good), 'waiter: unknown member "mindelay"')
      refuse(('{"acceptors": [%s], "minDelay": 9, "minDelay": 9}'):format(good), "^json 1:")
      refuse(('{"acceptors": [%s, {"state": "done"}]}'):format(good), 'acceptor 2: state: expected "success"')
      refuse('{"acceptors": [{"state": "success"}]}', "acceptor 1: matcher: expected an object")
      refuse('{"acceptors": [{"state": "success", "matcher": {}}]}', "expected exactly one of")
      refuse('{"acceptors": [{"state": "success", "matcher": {"lua": "x"}}]}', 'matcher: unknown member "lua"')
      local broken = '{"path": "a[", "comparator": "stringEquals", "expected": ""}'
      refuse(('{"acceptors": [{"state": "success", "matcher": {"output": %s}}]}'):format(broken), "^syntax 1:%d+ acceptor 1: ")
    end)

    it("refuses a wait without an end", function()
      local done = decide('{"acceptors": [{"state": "success", "matcher": {"success": true}}]}', "{}\n", 0, 0)
      done:says(2, "max_wait must be at least 1")
    end)
  end)

  it("shows the names of its header, and no other", function()
    local declared, seen = {}, {}
    for name in read(header):gmatch "[ %*](bide_[%l_]+)%(" do
      if not seen[name] then declared[#declared + 1] = name end
      seen[name] = true
    end
    table.sort(declared)
    assert.same(declared, lines_of(succeed(("nm -g --defined-only %s/libbide.a | sed -n 's/.* T //p' | sort"):format(folder))))
    assert.same(declared, lines_of(succeed(("nm -D --defined-only %s/libbide.so | sed -n 's/.* T \\(.*\\)@@BIDE_1$/\\1/p' | sort")
      :format(folder))))
  end)

  it("links beside a name of its own insides", function()
    local text = '#include <bide.h>\n#include <cstdio>\nint bide_random_seed(int n) { return n; }\n'
      .. 'int bide_waiter_observe = 3;\nint main() { std::printf("%d %d\\n", bide_random_seed(2), bide_waiter_observe);\n'
      .. "return bide_jmespath_new(\"[\", 1, nullptr) == nullptr ? 0 : 1; }\n"
    build("g++", place:write("own.cpp", text), place.path .. "/own", folder .. "/libbide.a")
    assert.equal("2 3\n", process.run({ place.path .. "/own" }).stdout)
  end)

  if process.is_sanitized then return end -- what is below needs a library without a sanitizer's own names

  it("needs only the C library, and writes to no memory of its own", function()
    local needed = succeed(("nm -D --undefined-only %s/libbide.so | sed -n 's/.* U //p'"):format(folder))
    for _, name in ipairs { "socket", "pthread", "clock", "prctl", "open", "dlopen", "getenv" } do
      assert.not_matches(name, needed)
    end
    assert.equal("", succeed(("nm %s/libbide.a | grep -E ' [bBC] ' || true"):format(folder)))
  end)

  it("has the interface of the last release", function()
    if shell("command -v abidw").code ~= 0 then pending "abidw is missing: install abigail-tools" end
    succeed "make -s build/libbide/libbide.abi"
    shell("abidiff --no-added-syms src/release/libbide.abi build/libbide/libbide.abi"):ends(0)
  end)

  it("passes JMESPath's suite from Python", function()
    local files = data.jmespath()
    if #files == 0 then pending "the suite of JMESPath is missing: run .ci/deps test" end
    local program = python.that_runs "import cffi"
    if not program then pending "cffi is missing: run .ci/deps test, or install the package python3-cffi" end
    local paths = {}
    for i, name in ipairs(files) do paths[i] = data.path(name) end
    local done = process.run({ program, "spec/support/jmespath_suite.py", table.unpack(paths) },
      { tool = true, env = { LIBBIDE = folder .. "/libbide.so.1", PYTHONPATH = "docs/examples/python" } })
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.is_true(tonumber(done.stdout:match "(%d+) passed, 0 failed") > 800, done.stdout)
  end)
end)
