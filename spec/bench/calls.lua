---How many Lua functions of bide an attempt calls, once a wait has had a few: what is the same at each attempt belongs into
---the preparation. Prints one JSON object a line. Run by `make bench-calls`; the keys for AWS are in its environment.
---
---    lua5.4 spec/bench/calls.lua

local acceptors = require "bide.cli.words.acceptors"
local bide = require "bide"
local core = require "bide.core"
local Server = require "spec.support.server"

local ATTEMPTS <const>, STEADY <const> = 12, 6

local STACKS = '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>'
  .. "<Stacks><member><StackName>web</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>"
  .. "<StackStatus>CREATE_IN_PROGRESS</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>"

local calls = 0

---Counts a call of a Lua function below lua/bide, a tail call included.
local function count()
  local called = debug.getinfo(2, "S")
  if called.what == "Lua" and called.source:find "lua/bide/" then calls = calls + 1 end
end

---Lets the tasks that begin from now on count, too: bide gives the coroutine of each a hook of its own.
local start = core.task.start
function core.task.start(run, ...)
  return start(function(argument)
    debug.sethook(count, "c")
    return run(argument)
  end, ...)
end

---Prints the calls between two requests of a wait in its steady state.
local function measure(name, waiter, input, answer)
  local at = {}
  local server = Server.start(function()
    at[#at + 1] = calls
    return answer
  end)
  for key, value in pairs(input) do
    if value == "SERVER" then input[key] = server.url end
  end
  debug.sethook(count, "c")
  waiter(server.url):wait(input, { maxWait = 60, maxAttempts = ATTEMPTS, minDelay = 0.001, maxDelay = 0.002 })
  debug.sethook()
  server:close()
  assert(#at == ATTEMPTS, "the wait had other attempts")
  local steady = {}
  for position = STEADY, ATTEMPTS do steady[#steady + 1] = at[position] - at[position - 1] end
  table.sort(steady)
  print(bide.json.encode { bench = "lua calls of an attempt", wait = name, calls = steady[#steady // 2 + 1],
    least = steady[1], most = steady[#steady] })
end

local function http()
  local condition = { ["until"] = { "state=ready" }, fail = {}, retry_on = {} }
  return assert(acceptors.derive(condition, assert(bide.load "http").waiters.ServiceHealthy))
end

local function aws(url)
  return assert(bide.load("aws:cloudformation", { endpoint = url })).waiters.StackCreateComplete
end

measure("http --until state=ready", http, { url = "SERVER" }, { body = '{"state":"pending"}' })
measure("aws cloudformation stack-create-complete", aws, { StackName = "web" },
  { body = STACKS, headers = { ["Content-Type"] = "text/xml" } })
