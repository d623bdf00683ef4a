---Declared inputs: checked and coerced before anything is sent, on every way in.

local Workspace = require "spec.support.workspace"

local bide = require "bide"

local recipe = [[
return {
  Echo = {
    input = {
      url = { type = "string", required = true, positional = 1, example = "http://localhost/" },
      port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, default = 80 },
      names = { type = "list", of = { type = "string" } },
      timeout = { type = "duration", default = "2s" },
      pin = { type = "string", secret = true },
    },
    idempotencyToken = "token",
    call = function(input)
      print("called")
      return { input = input, kind = math.type(input.timeout) }
    end,
    waitable = { EchoHeard = { minDelay = 0.01, acceptors = { { state = "success", matcher = { success = true } } } } },
  },
}
]]

describe("declared inputs", function()
  local workspace = Workspace.of_block { ["echo.lua"] = recipe }

  local function run(words)
    return workspace:bide { "run", "echo.lua", "--max-wait", "5s", table.unpack(words) }
  end

  local function assert_refused(done, message)
    assert.same({ 2, "", "bide: " .. message .. "\n" }, { done.code, done.stdout, done.stderr })
  end

  it("that are given as options, as other tools have them, are refused with the word for them", function()
    for words, word in pairs {
      [{ "aws", "rds", "wait", "db-instance-available", "--db-instance-identifier", "db1" }] = "DBInstanceIdentifier=db1",
      [{ "aws", "rds", "db-instance-available", "--db-instance-identifier=db1" }] = "DBInstanceIdentifier=db1",
      [{ "http", "--method", "a b", "localhost" }] = "method=VALUE",
      [{ "postgres", "db", "--insecure" }] = "insecure=true",
      [{ "run", "echo.lua", "x", "--pin", "sesame" }] = "pin=@env:NAME",
    } do
      local done = workspace:bide { table.unpack(words) }
      assert.matches("^bide: unknown option '%-%-[%l-]+': inputs are KEY=VALUE, here " .. word .. " %(see bide run %-%-help%)\n$",
        done.stderr)
      assert.equal(2, done.code)
    end
    assert.matches("unknown option '--timeout', did you mean --max-wait?", run({ "x", "--timeout", "5s" }).stderr, 1, true)
    assert.matches("unknown option '--untill', did you mean --until?", run({ "x", "--untill", "y" }).stderr, 1, true)
  end)

  it("that only other waiters of the recipe have are refused with their names, on every way in", function()
    for words, message in pairs {
      [{ "kafka", "bus", "topic=orders" }] = 'unknown input "topic"; name a waiter that takes it: TopicGone, TopicReady',
      [{ "postgres", "db", 'query:="SELECT 1"' }] = 'unknown input "query"; name a waiter that takes it: RowFound, RowGone',
      [{ "postgres", "--input", '{"url":"db","query":""}' }] =
        'unknown input "query"; name a waiter that takes it: RowFound, RowGone',
      [{ "file", "x", "matches=y" }] = 'unknown input "matches"; name the waiter that takes it: LineFound',
    } do
      local done = workspace:bide { "run", "--max-wait", "1s", table.unpack(words) }
      assert.same({ 2, "bide: " .. message .. "\n" }, { done.code, done.stderr })
    end
    local ok, mistake = pcall(function()
      return assert(bide.load "mysql").MysqlReady:wait({ url = "db", query = "SELECT 1" }, { maxWait = 1 })
    end)
    assert.is_false(ok)
    assert.matches('unknown input "query"; name a waiter that takes it: RowFound, RowGone', mistake, 1, true)
  end)

  it("are typed values for call, with the defaults, in the outcome and the events", function()
    local outcome = workspace:outcome { "run", "echo.lua", "url=x", "port=5432", "names=a,b\\,c", "token=t", "--max-wait", "5s",
      "--events", "events.jsonl" }
    local input = { url = "x", port = 5432, names = { "a", "b,c" }, timeout = 2, token = "t" }
    assert.same(input, outcome.input)
    assert.same({ input = input, kind = "integer" }, outcome.output)
    assert.same(input, bide.json.decode(workspace:read("events.jsonl"):match "[^\n]+").input)
  end)

  it("may come as JSON", function()
    local outcome = workspace:outcome { "run", "echo.lua", "--input", '{"url": "x", "timeout": "1m"}', 'names:=["a,b"]',
      "token=t", "--max-wait", "5s" }
    assert.same({ url = "x", port = 80, names = { "a,b" }, timeout = 60, token = "t" }, outcome.input)
  end)

  for _, case in ipairs {
    { { "ulr=x" }, 'unknown input "ulr", did you mean "url"?' },
    { {}, "url: expected a string, found nothing; for example url=http://localhost/" },
    { { "url=x", "port=99999" }, 'port: expected 1 to 65535, found "99999"' },
    { { "url=x", 'port:="80"' }, 'port: expected an integer, 1 to 65535, found "80"' },
    { { "--input", '{"url": 5}' }, "url: expected a string, found 5" },
    { { "url=x", "pin:=12345678" }, "pin: expected a string, found [redacted]" },
  } do
    it("are refused with exit code 2: " .. case[2], function() assert_refused(run(case[1]), case[2]) end)
  end

  it("are refused on a line of --each, with its number, before any line is sent", function()
    workspace:write("lines.jsonl", '{"url": "x"}\n\n{"url": "x", "prot": 5}\n')
    assert_refused(run { "--each", "lines.jsonl" }, 'lines.jsonl:3: unknown input "prot", did you mean "port"?')
    workspace:write("lines.jsonl", '{"url": "x"}\n{"port": 5}\n')
    assert_refused(run { "--each", "lines.jsonl" },
      "lines.jsonl:2: url: expected a string, found nothing; for example url=http://localhost/")
    run({ "--each", "lines.jsonl", "url=y" }):ends(0)
  end)

  it("may be declared by a file for --with", function()
    workspace:write("waiters.json", '{"EchoHeard": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    workspace:write("with.lua", 'return { Echo = { call = function(input) return input end, input = '
      .. '{ port = { type = "integer" } } } }')
    local done = workspace:bide { "run", "waiters.json", "--with", "with.lua", "port=x", "--max-wait", "50s" }
    assert_refused(done, 'port: expected an integer, found "x"')
  end)

  it("may be anything where nothing is declared", function()
    workspace:write("any.lua", recipe:gsub("input = {.-\n    },", ""))
    local outcome = workspace:outcome { "run", "any.lua", "zebra=5", "token=t", "--max-wait", "50s" }
    assert.same({ zebra = "5", token = "t" }, outcome.input)
  end)

  it("are checked when the recipe is loaded", function()
    workspace:write("bad.lua", (recipe:gsub('"integer"', '"intger"')))
    assert_refused(workspace:bide { "run", "bad.lua", "--max-wait", "50s" }, 'bad.lua:2: Echo.input.port.type: '
      .. 'expected "string", "path", "integer", "number", "boolean", "duration", "size", "list", "object" or "any", '
      .. 'found "intger", did you mean "integer"?')
  end)

  describe("may be checked further by the recipe", function()
    local function run_with(check, ...)
      workspace:write("check.lua", ([[
        return { Ask = {
          input = { a = { type = "integer", default = 1 }, pin = { type = "string", secret = true } }, check = %s,
          call = function() io.open("called", "w"):close() end,
          waitable = { Asked = { acceptors = { { state = "success", matcher = { success = true } } } } },
        } }
      ]]):format(check))
      return workspace:bide { "run", "check.lua", "--max-wait", "5s", "--quiet", ... }
    end

    for check, message in pairs {
      ['function(input) return input.a == 1 and "a is one" or nil end'] = "a is one",
      ['function() error { type = "InvalidInput", message = "neither" } end'] = "neither",
      ["function() return {} end"] = "check.lua: the check of the input: expected a text or nothing, found a table",
      ["function() return nil + 1 end"] = "check.lua:2: attempt to perform arithmetic on a nil value",
      ['function() require("bide").sleep(1) end'] = "a check of the input may not wait",
    } do
      it("with exit code 2: " .. message, function()
        local done = run_with(check)
        done:says(2, message)
        assert.equal("", done.stdout)
        assert.is_nil(io.open(workspace.path .. "/called"))
      end)
    end

    it("and goes on if it finds nothing", function()
      assert.equal(0, run_with("function(input) input.a = 5 end").code)
    end)

    it("but shows no secret", function()
      local done = run_with('function(input) return "wrong: " .. input.pin end', "pin=sesame-street")
      assert.equal("bide: wrong: [redacted]\n", done.stderr)
    end)

    it("within --load-timeout", function()
      run_with("function() while true do end end", "--load-timeout", "300ms"):says(2, "check.lua: it takes too long to load")
    end)

    it("within the limits of a sandbox", function()
      run_with("function() while true do end end", "--sandbox", "--instructions", "100000"):says(2, "instructions")
    end)

    it("and not by a replay", function()
      workspace:write("answers.jsonl", '{"output": {}}')
      run_with 'function() return "no" end'
      assert.equal(0, workspace:bide({ "replay", "check.lua", "Asked", "answers.jsonl", "--max-wait", "5s" }).code)
    end)
  end)

  it("hide their secrets by name and by value", function()
    workspace:write("secret.lua", [[
      return { Ask = {
        input = { pin = { type = "string", secret = true } },
        call = function(input) error { type = "Wrong", message = "0000" .. input.pin .. "0000", pin = input.pin } end,
        waitable = { Asked = { acceptors = { { state = "success", matcher = { success = true } } } } },
      } }
    ]])
    local done = workspace:bide { "run", "secret.lua", "pin=sesame-street", "--max-wait", "50s", "--output", "json" }
    assert.equal(3, done.code)
    assert.is_nil((done.stdout .. done.stderr):find("sesame", 1, true))
    assert.same({ pin = "[redacted]" }, bide.json.decode(done.stdout).input)
  end)
end)

describe("declared inputs in Lua", function()
  local function waiter(input)
    return bide.waiter {
      name = "EchoHeard", input = input, call = function(given) return given end,
      acceptors = { { state = "success", matcher = { success = true } } },
    }
  end

  it("are checked, and raise where the wait was called", function()
    local echo = waiter { port = { type = "integer", default = 80 } }
    local ok, mistake = pcall(function() assert(echo:wait({ port = "x" }, { maxWait = 5 })) end)
    assert.is_false(ok)
    assert.matches('^spec/e2e/inputs_spec.lua:%d+: port: expected an integer, found "x"$', mistake)
    ok, mistake = pcall(function() assert(echo:prepare({ prot = 5 }, { maxWait = 5 })) end)
    assert.is_false(ok)
    assert.matches('^spec/e2e/inputs_spec.lua:%d+: unknown input "prot", did you mean "port"%?$', mistake)
    assert.same({ port = 80 }, assert(echo:wait({}, { maxWait = 5 })).output)
    assert.same({ port = 81 }, assert(echo:wait({ port = 81.0 }, { maxWait = 5 })).output)
  end)

  it("may be checked further", function()
    local checked = bide.waiter {
      name = "EchoHeard", input = { a = { type = "integer" } }, call = function(given) return given end,
      check = function(input) return not input.a and "a: expected an integer or nothing, but not nothing" or nil end,
      acceptors = { { state = "success", matcher = { success = true } } },
    }
    local ok, mistake = pcall(function() assert(checked:wait({}, { maxWait = 5 })) end)
    assert.is_false(ok)
    assert.matches("^spec/e2e/inputs_spec.lua:%d+: a: expected an integer", mistake)
    assert(checked:wait({ a = 1 }, { maxWait = 5 }))
  end)

  it("can be read from the waiter", function()
    assert.same({ port = { type = "integer", default = 80 } }, waiter({ port = { type = "integer", default = 80 } }).inputs)
    assert.is_nil(waiter(nil).inputs)
  end)

  it("can be read in a sandbox, where a change has no effect", function()
    local workspace = Workspace.make()
    workspace:write("read.lua", [[
      local tcp = require("bide").load("tcp").PortOpen
      print(tcp.inputs.port.maximum)
      tcp.inputs.port.maximum = 0
      print(pcall(tcp.wait, tcp, { host = "x", port = 65536 }, { maxWait = 1 }))
    ]])
    local done = workspace:bide { "exec", "--sandbox", "read.lua" }
    workspace:remove()
    assert.matches("^65535\nfalse\t.*port: expected 1 to 65535, found 65536\n$", done.stdout)
  end)

  it("are checked where they are declared", function()
    local ok, mistake = pcall(waiter, { port = { type = "intger" } })
    assert.is_false(ok)
    assert.matches('bide.waiter: input.port.type: expected .*, found "intger"', mistake)
  end)
end)
