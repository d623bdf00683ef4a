---bide.once in the workers of a store. That the verbs do the same in PostgreSQL is in spec/support/store_suite.lua.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"
local turns = require "spec.support.turns"

require "bide"

local recipe = [[
local bide = require "bide"
local http = require "bide.http"
return { Make = {
  input = { url = { type = "string", required = true }, n = { type = "integer" } },
  call = function(input)
    local made = bide.once("the token", { url = input.url }, function(parameters, token)
      return http.get(parameters.url .. "/" .. token:gsub(" ", "-"), { timeout = 60 })
    end)
    return { state = made.state }
  end,
  waitable = { Made = { minDelay = 0.05, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "made" } } },
    { state = "retry", matcher = { success = false } },
  } } },
} }
]]

describe("a request that is made once", function()
  local workspace = Workspace.of_each()

  it("is made by one of the workers of a file, and by another one if that is killed", function()
    local store, asked, workers = workspace.path .. "/waits.db", 0, {}
    local server = Server.start(function()
      asked = asked + 1
      return { headers = { ["Content-Type"] = "application/json" }, silent = asked == 1, body = '{"state": "made"}' }
    end)
    local function work()
      local worker = workspace:start({ "worker", "--store", store, "--jobs", "5", "--quiet" }, { longest = 120 })
      worker:hold_loop(false)
      workers[#workers + 1] = worker
      return worker
    end
    workspace:write("make.lua", recipe)
    local lines = {}
    for number = 1, 10 do lines[number] = core.json.encode { url = server.url, n = number } end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
    local first = work()
    local submitted = workspace:bide { "submit", "make.lua", "--each", "lines.jsonl", "--store", store, "--max-wait",
      "60s", "--quiet" }
    assert.same({ 0, "" }, { submitted.code, submitted.stderr })
    turns.await(function() return asked == 1 end)
    work()
    first:kill "sigkill" -- both processes: its child ends with it
    first:wait()
    workspace:bide({ "watch", submitted.stdout:match "%d+", "--store", store, "--quiet" }, { longest = 90 }):ends(0)
    assert.equal(2, asked) -- the killed one had asked; of the others' ten waits, one asked again
    for position = 2, #workers do
      workers[position]:kill "sigterm"
      workers[position]:wait()
    end
    server:close()
    assert.is_nil(leftovers.find())
  end)
end)
