---`bide exec`: a script in which everything may wait.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("bide exec", function()
  local workspace = Workspace.of_block()

  local server = Server.of_each(function() return { delay = 0.1, body = '{"a":[]}' } end)

  local function exec(script, ...)
    workspace:write("script.lua", script)
    return workspace:bide { "exec", "script.lua", ... }
  end

  it("gives the script its words, whatever they look like", function()
    local done = exec([[print(..., select("#", ...), arg[0], #arg, arg[3])]], "--max-wait", "-x", "a b", "--help")
    assert.same({ 0, "--max-wait\t4\tscript.lua\t4\ta b\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("exits as the script says", function()
    for code, script in pairs { [0] = "return 5", [7] = "os.exit(7)", [1] = "os.exit(false)", [3] = "os.exit(3, true)" } do
      assert.equal(code, exec(script).code)
    end
  end)

  it("never ends with success for a number that is not 0", function()
    for _, code in ipairs { "256", "-256", "512, true", "2^31", "1 << 32", "math.mininteger", '"256"' } do
      assert.equal(1, exec(("os.exit(%s)"):format(code)).code, code)
    end
    assert.same({ 0, 0, 255, 44 }, { exec("os.exit(0.0)").code, exec('os.exit("0")').code, exec("os.exit(-1)").code,
      exec("os.exit(300)").code })
    assert.equal(5, exec("os.exit(0.5)").code)
  end)

  it("refuses a script in which nothing is, such as the output of a program that failed", function()
    for _, script in ipairs { "", "\n", " \t\n" } do
      local done = exec(script)
      assert.same({ 2, "bide: script.lua: expected a script, found nothing\n" }, { done.code, done.stderr })
    end
    local done = workspace:shell 'false | "$BIDE" exec -'
    assert.same({ 2, "bide: standard input: expected a script, found nothing\n" }, { done.code, done.stderr })
  end)

  local raised = {
    { "a text", 'error "boom"', "bide: script.lua:1: boom" },
    { "a bug", "local x\nreturn x.y", "bide: script.lua:2: attempt to index a nil value (local 'x')" },
    { "an operation error", 'error { type = "Gone", message = "long ago" }', "bide: uncaught operation error Gone: long ago" },
    { "nothing", "error()", "nil was raised" },
    { "an outcome that succeeded", [[local bide = require "bide"
      error(bide.waiter({ name = "Done", call = function() end,
        acceptors = { { state = "success", matcher = { success = true } } } }):wait({}, { maxWait = 5 }))]],
      "script.lua:2: Done succeeded after 1 attempt in " },
  }

  for _, case in ipairs(raised) do
    it(("exits with 5 where it raised %s, and says what"):format(case[1]), function()
      exec(case[2]):says(5, case[3])
    end)
  end

  describe("with the outcome of a wait that nobody caught", function()
    local function exec_quietly(script)
      workspace:write("script.lua", script)
      return workspace:bide { "exec", "--quiet", "script.lua" }
    end

    local waiters = [[
      local bide = require "bide"
      local function waiter(name, call)
        return bide.waiter { name = name, call = call, minDelay = 0.02, maxDelay = 0.02, acceptors = {
          { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "up" } } },
          { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "lost" } } },
        } }
      end
      local up = waiter("Up", function() return { state = "up" } end)
      local lost = waiter("Lost", function() return { state = "lost" } end)
      local slow = waiter("Slow", function() return { state = "slow" } end)
      local gone = waiter("Gone", function() error { type = "Gone" } end)
      local wrong = waiter("Wrong", function() return nil .. "" end)
    ]]
    local rows = {
      { "assert(lost:wait({}, { maxWait = 5 }))", 1, "Lost failed after 1 attempt in [%d.]+ s: state is \"lost\"" },
      { "local _, failed = gone:wait({}, { maxWait = 5 }) error(failed)", 3, "Gone failed after 1 attempt in [^\n]*" },
      { "assert(slow:wait({}, { maxWait = 5, maxAttempts = 2 }))", 4, "Slow gave up after 2 attempts [^\n]*" },
      { "assert(slow:wait({}, { maxWait = 0.1 }))", 124, "Slow [^\n]*" },
      { "assert(wrong:wait({}, { maxWait = 5 }))", 5, "[^\n]*script.lua:%d+: attempt to concatenate a nil value" },
      { "bide.spawn(function() assert(slow:wait({}, { maxWait = 0.1 })) end):join()", 124, "Slow [^\n]*" },
      { "bide.spawn(function() assert(slow:wait({}, { maxWait = 0.1 })) end) bide.sleep(0.3)", 124, "Slow [^\n]*" },
      { "assert(bide.all { db = up:prepare({}, { maxWait = 5 }), gone = gone:prepare({}, { maxWait = 5 }) })", 3,
        "%d of 2 waits succeeded, 1 failed, %d cancelled; 2 needed; first failure: [^\n]*" },
    }
    for _, row in ipairs(rows) do
      it("exits as that wait would: " .. row[1], function()
        local done = exec_quietly(waiters .. row[1])
        assert.equal(row[2], done.code)
        assert.matches("^bide: " .. row[3] .. "\n$", done.stderr)
      end)
    end

    it("goes on if it was caught", function()
      assert.equal(0, exec(waiters .. "assert(not pcall(function() assert(lost:wait({}, { maxWait = 5 })) end))").code)
    end)

    it("shows what each wait sees, unless it is to be quiet", function()
      local script = waiters .. [[
        bide.all { db = up:prepare({}, { maxWait = 5 }), slow:prepare({}, { maxWait = 5, maxAttempts = 3 }) }
        pcall(bide.timeout, 0.05, function() slow:wait({}, { maxWait = 5 }) end)
        print "printed" ]]
      local done = exec(script)
      assert.equal("printed\n", done.stdout)
      assert.matches('^Slow: attempt 1, [%d.]+ s of 5 s: state is "slow", next in 0.02 s\n', done.stderr)
      assert.matches('\ndb: attempt 1, [%d.]+ s of 5 s: state is "up"\n', done.stderr)
      assert.matches('\nSlow: attempt 1, [%d.]+ s of 5 s: state is "slow", next in 0.02 s\n$', done.stderr)
      assert.equal("", exec_quietly(script).stderr)
    end)
  end)

  it("gives the script its words after a bare --sandbox, too", function()
    workspace:write("script.lua", "print(...)")
    local done = workspace:bide { "exec", "--sandbox", "script.lua", "--sandbox", "-5" }
    assert.same({ 0, "--sandbox\t-5\n" }, { done.code, done.stdout })
  end)

  it("reads the script from standard input", function()
    local done = workspace:bide({ "exec", "-", "a", "-b" }, { stdin = "print(arg[0], ...)" })
    assert.same({ 0, "-\ta\t-b\n" }, { done.code, done.stdout })
    done = workspace:bide({ "exec", "--sandbox", "-" }, { stdin = "\nlocal x\nreturn x.y" })
    done:says(5, "bide: stdin:3: attempt to index a nil value")
    assert.equal(2, workspace:bide({ "exec", "-" }, { stdin = "return =" }).code)
  end)

  it("refuses a script that does not parse", function()
    exec("return = 5"):says(2, "bide: script.lua:1: unexpected symbol near '='")
  end)

  it("waits in the script, and in coroutines of its own", function()
    local done = exec([[
      local bide, http = require "bide", require "bide.http"
      local url = ...
      local function get() return bide.json.encode(http.get(url):json()) end
      print(get())
      print(coroutine.wrap(get)())
      local co = coroutine.create(function(word)
        local second = coroutine.yield(word .. get())
        bide.sleep(0.01)
        return second .. get()
      end)
      print(coroutine.resume(co, "one"))
      print(coroutine.status(co), coroutine.resume(co, "two"))
      print(coroutine.status(co), coroutine.resume(co))
      local generator = coroutine.wrap(function() for i = 1, 3 do bide.sleep(0.001) coroutine.yield(i) end end)
      for i in generator do io.write(i, " ") end
      print(pcall(coroutine.wrap(function() bide.sleep(0.001) error "within" end)))
      print(coroutine.resume(coroutine.create(function() bide.sleep(0.001) error { type = "Gone" } end)))
    ]], server.url)
    assert.equal(0, done.code, done.stderr)
    local expected = '{"a":[]}\n{"a":[]}\ntrue\tone{"a":[]}\nsuspended\ttrue\ttwo{"a":[]}\n'
      .. "dead\tfalse\tcannot resume dead coroutine\n1 2 3 false\tscript.lua:16: within\nfalse\ttable: "
    assert.equal(expected, done.stdout:sub(1, #expected))
  end)

  it("lets waits share one thread", function()
    local done = exec([[
      local bide, core = require "bide", require "bide.core"
      local url, began, left = ..., bide.now(), 10
      local waker = core.task.waker()
      for i = 1, 10 do
        core.task.start(function()
          local waiter = bide.waiter { call = function() return require("bide.http").get(url) end,
            acceptors = { { state = "success", matcher = { success = true } } } }
          return assert(waiter:wait({}, { maxWait = 5 }))
        end, function(_, how)
          assert(how == "returned")
          left = left - 1
          if left == 0 then waker() end
        end)
      end
      core.task.pause(waker)
      print(bide.now() - began < 0.5)
    ]], server.url)
    assert.equal("true\n", done.stdout)
    assert.equal(10, #server.requests)
  end)

  it("says where a call cannot wait", function()
    local done = exec [[table.sort({ 3, 1, 2 }, function() require("bide").sleep(0.01) end)]]
    done:says(5, "script.lua:1: cannot wait here: a C function (such as table.sort")
  end)

  it("ends a script that waits for what cannot happen", function()
    local done = exec [[local core = require "bide.core" core.task.pause(core.task.waker())]]
    done:says(5, "waits for something that can never happen")
  end)
end)

describe("the help of bide", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.lua", [[return { GetThing = {
      call = function() return { status = "success" } end,
      waitable = { ThingExists = { acceptors = {
        { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "success" } } },
      } } },
    } }]])
    workspace:write("answers.jsonl", '{"output": {"status": "success"}}\n')
    workspace:write("answer.json", '{"Reservations": [{"Instances": [{"State": {"Name": "running"}}]}]}')
    workspace:write("deploy.lua", "print(...)")
  end)

  for _, command in ipairs { "run", "replay", "plan", "list", "query", "exec" } do
    it(("has an example of %s that works"):format(command), function()
      local help = workspace:bide { command, "--help" }
      assert.same({ 0, "" }, { help.code, help.stderr })
      assert.matches("^Usage: bide " .. command, help.stdout)
      local example = help.stdout:match "\nExample:\n  bide ([^\n]+)\n$"
      workspace:shell('"$BIDE" ' .. example):ends(0)
    end)
  end

  it("names every command, with an example", function()
    for _, words in ipairs { { "--help" }, { "-h" }, { "help" } } do
      local done = workspace:bide(words)
      assert.equal(0, done.code)
      for _, command in ipairs { "run", "replay", "plan", "list", "query", "exec" } do
        assert.matches("\n  " .. command .. " ", done.stdout)
      end
      assert.matches("\nExample:\n  bide ", done.stdout)
    end
  end)

  it("comes on standard error, with 2, where no command is given", function()
    workspace:bide({}):says(2, "Usage: bide COMMAND")
  end)

  it("names the versions of bide and its libraries", function()
    local done = workspace:bide { "--version" }
    assert.equal(0, done.code)
    for _, name in ipairs { "^bide %d+%.%d+%.%d+\n", "Lua 5.4", "libcurl/", "libuv/" } do
      assert.matches(name, done.stdout)
    end
  end)
end)
