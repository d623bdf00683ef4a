---Two names that a silent name server did not answer stopped every tcp, udp and dns probe of the process, those of
---numeric addresses as well: libuv resolves two names at a time, and an attempt that was cut kept its place.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local process = require "spec.support.process"
local resolver = require "spec.support.counting_resolver"

describe("names that do not resolve", function()
  if process.is_static then return pending(process.NO_PRELOAD) end
  local workspace = Workspace.of_each()
  local environment
  local server = Server.of_each(nil, { raw = function() end })
  before_each(function() environment = resolver.make(workspace) end)

  ---Runs a script, with the port as its argument.
  local function run(script, ...)
    workspace:write("script.lua", script)
    return workspace:bide({ "exec", "script.lua", tostring(server.port), ... }, { env = environment })
  end

  it("do not keep probes of other hosts waiting", function()
    local lines = {}
    for number = 1, 8 do lines[number] = ('{"host": "slow%d", "port": 80}'):format(number) end
    lines[9] = ('{"host": "127.0.0.1", "port": %d}'):format(server.port)
    lines[10] = ('{"host": "quick", "port": %d}'):format(server.port)
    workspace:write("hosts.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide({ "run", "tcp", "PortOpen", "--each", "hosts.jsonl", "--some", "2", "--max-wait", "50s",
      "--output", "json" }, { env = environment })
    assert.equal(0, done.code, done.stderr)
    assert.is_true(done.elapsed < 50, done.elapsed)
  end)

  it("are not asked for where the host is an address", function()
    local done = run [[
      local bide, port = require "bide", tonumber((...))
      bide.tcp { host = "127.0.0.1", port = port }
      pcall(bide.tcp, { host = "::1", port = port, timeout = 1 })
      pcall(bide.tcp, { host = "fe80::1%lo", port = port, timeout = 1 })
      bide.dns "127.0.0.1"
    ]]
    assert.equal("", done.stderr)
    assert.same({}, resolver.count(workspace))
  end)

  it("are asked for once, however many ask", function()
    local done = run [[
      local bide, port = require "bide", tonumber((...))
      local tasks = {}
      for number = 1, 50 do
        tasks[number] = bide.spawn(pcall, bide.tcp, { host = number % 2 == 0 and "slow" or "quick", port = port, timeout = 2 })
      end
      local opened = 0
      for _, task in ipairs(tasks) do if task:join() then opened = opened + 1 end end
      local _, failure = pcall(bide.tcp, { host = "slow", port = port, timeout = 0.1 }) -- joins the one that was given up
      print(opened, failure.type)
    ]]
    assert.equal("25\tRequestTimeout\n", done.stdout, done.stderr)
    assert.same({ slow = 1, quick = 1 }, resolver.count(workspace))
    assert.is_true(done.elapsed < 50, done.elapsed)
  end)

  it("are 64 at a time, and an attempt that was cut gives its place up", function()
    local done = run [[
      local bide, port = require "bide", tonumber((...))
      local slow = {}
      for number = 1, 64 do
        slow[number] = bide.spawn(pcall, bide.tcp, { host = "slow" .. number, port = port, timeout = 2 })
      end
      bide.sleep(0.1)
      local before = bide.now()
      local answer = bide.tcp { host = "quick", port = port, timeout = 1 } -- the time in line is not the peer's
      print(answer.address, bide.now() - before > 1, bide.now() - before < 50)
    ]]
    assert.equal(("127.0.0.1:%d\ttrue\ttrue\n"):format(server.port), done.stdout, done.stderr)
    assert.is_true(done.elapsed < 50, done.elapsed) -- the threads do not keep the process
  end)

  it("tell what the wait lacked where no place comes free", function()
    workspace:write("names.lua", [[
      local bide = require "bide"
      return { Op = { call = function(input)
        local tasks = {}
        for number = 1, 64 do tasks[number] = bide.spawn(pcall, bide.tcp, { host = "slow" .. number, port = 1, timeout = 40 }) end
        bide.sleep(0.1)
        return bide.tcp { host = "quick", port = input.port }
      end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = false } } } } } } }
    ]])
    local done = workspace:bide({ "run", "names.lua", "port:=" .. server.port, "--max-wait", "5s", "--output", "json" },
      { env = environment })
    assert.equal(124, done.code)
    assert.matches("bide itself had no place to resolve another name: 64 are being resolved",
      core.json.decode(done.stdout).message)
  end)
end)
