---A board without a battery starts before 1970. The journal that bide wrote then was "broken", and its wait was lost.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local recipe = [[
local http = require "bide.http"
return { Get = { call = function() return http.get("%s") end, waitable = { Done = { minDelay = 0.01, maxDelay = 0.02,
  acceptors = { { state = "success", matcher = { output = {
    path = "state", comparator = "stringEquals", expected = "done" } } } } } } } }
]]

describe("a journal whose times are before 1970", function()
  local workspace = Workspace.of_each()

  it("is resumed", function()
    local process, answer
    local server = Server.start(function()
      if answer then return { body = answer } end
      process:kill "sigkill"
      return { silent = true }
    end)
    workspace:write("get.lua", recipe:format(server.url))
    local words = { "run", "get.lua", "--max-wait", "60s", "--quiet", "--journal", "waits.db" }
    process = workspace:start(words)
    process:wait()
    answer = '{"state": "done"}'
    local file = workspace.path .. "/waits.db"
    journal.query(file, "UPDATE wait SET wall = -204000000000, boot = NULL")
    words[#words + 1] = "--resume"
    local done = workspace:bide(words)
    local listed = workspace:bide { "journal", "list", "--journal", "waits.db" }
    server:close()
    assert.same({ 124, 0 }, { done.code, listed.code }, done.stderr .. listed.stderr)
    assert.not_matches("broken", done.stderr, 1, true)
  end)
end)
