---A finalizer of an object that is older than bide runs when the host is closed, and met pointers to nothing.

local Server = require "spec.support.server"
local plain_lua = require "spec.support.plain_lua"

local calls = {
  ["bide.sleep"] = "bide.sleep(0.01)",
  ["bide.spawn"] = "bide.spawn(print)",
  ["bide.timeout"] = "bide.timeout(1, print)",
  ["bide.now"] = "bide.now()",
  ["http.get"] = "http.get(url)",
  ["bide.tcp"] = "bide.tcp { host = '127.0.0.1', port = 1 }",
  ["bide.exec"] = "bide.exec { 'true' }",
  ["bide.dns"] = "bide.dns('x.example', { server = '127.0.0.1', port = 1 })",
  ["bide.dns of the system"] = "bide.dns 'localhost'",
  ["bide.file"] = "(function() local ok, mistake = pcall(bide.file, '.') require('luv').sleep(100) error(mistake, 0) end)()",
  ["a waker"] = "core.task.waker()",
  ["a wait"] = "waiter:wait({}, { maxWait = 1 })",
  ["an alarm"] = "alarm:start(1)",
  ["a turn of the loop"] = "core.loop.turn()",
  ["a pause"] = "core.task.pause(core.task.waker())",
}

local before = [[
  local act
  GUARD = setmetatable({}, { __gc = function()
    local ok, mistake = pcall(act)
    print(ok, type(mistake) == "string" and mistake:match "bide: the host is closed$" or mistake)
  end })
  local url = ...
  local bide, core, http = require "bide", require "bide.core", require "bide.http"
  local waiter = bide.waiter { name = "W", call = print, acceptors = { { state = "success", matcher = { success = true } } } }
  local alarm, task, waker = core.loop.alarm(print), nil, core.task.waker()
  alarm:start(core.loop.now() + 100000)
  task = bide.spawn(core.task.pause, waker)
  http.get(url)
]]

describe("after the host has closed", function()
  local server = Server.of_each(function() return { body = "{}" } end)

  for name, call in pairs(calls) do
    it(name .. " raises an error that says so", function()
      local done = plain_lua(before .. "act = function() return " .. call .. " end", server.url)
      assert.same({ "false\tbide: the host is closed\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
    end)
  end

  it("what closes, ends and looks is silent", function()
    local done = plain_lua(before .. [[
      local document, expression = bide.json.document { 1 }, bide.jmespath "[0]"
      act = function()
        alarm:stop()
        local _ <close> = alarm
        task:cancel()
        waker(1)
        core.loop.settle()
        return expression:search(document)
      end]], server.url)
    assert.same({ "", 0, 0 }, { done.stderr, done.code, done.signal })
    assert.truthy(done.stdout:find "^true" or done.stdout:find "was collected")
  end)
end)
