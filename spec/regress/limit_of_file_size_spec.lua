---A limit of file size (ulimit -f, LimitFSIZE= of systemd) ended bide by SIGXFSZ, without an outcome and without a word.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local recipe = [[
local http = require "bide.http"
return { Get = { call = function() return http.get("%s") end, waitable = { Done = { minDelay = 0.01, maxDelay = 0.02,
  acceptors = { { state = "success", matcher = { output = {
    path = "state", comparator = "stringEquals", expected = "done" } } } } } } } }
]]

describe("a limit of file size", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(function() return { body = '{"state": "pending"}' } end)
  setup(function() workspace:write("get.lua", recipe:format(server.url)) end)

  local function shell(line)
    return workspace:shell("ulimit -f 1; " .. line)
  end

  it("ends events with a warning, and the wait with its outcome", function()
    local done = shell '"$BIDE" run get.lua --max-wait 1s --quiet --events events.jsonl'
    done:says(124, "the events cannot be written: File too large")
  end)

  it("is why a journal cannot be opened", function()
    local done = shell '"$BIDE" run get.lua --max-wait 1s --quiet --journal waits.db'
    done:says(2, "waits.db: disk I/O error")
  end)

  it("is as fatal to COMMAND and to programs as it was before", function()
    local write = 'head -c 5000 /dev/zero > big'
    assert.equal(153, shell("sh -c '" .. write .. "'").code)
    local done = shell(([["$BIDE" run file . --max-wait 50s --quiet -- sh -c '%s']]):format(write))
    assert.equal(153, done.code)
    workspace:write("program.lua", ([[
      local done = require("bide").exec { "sh", "-c", "exec %s" }
      assert(done.signal == 25, done.signal)]]):format("head -c 5000 /dev/zero > big"))
    assert.same({ 0, "" }, { shell('"$BIDE" exec program.lua').code, "" })
  end)
end)
