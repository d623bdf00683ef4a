---The pace at which the workers of a store ask a host together, in a file and in PostgreSQL.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"
local turns = require "spec.support.turns"
local luv = require "luv"

require "bide"

local asking = [[
local http = require "bide.http"
local function ask(input) return http.get(input.url) end
local function waiter()
  return { minDelay = 0.05, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "retry", matcher = { success = false } },
  } }
end
local input = { url = { type = "string", required = true } }
return {
  Ask = { input = input, rate = "20/s", call = ask, waitable = { Asked = waiter() } },
  Free = { input = input, call = ask, waitable = { Open = waiter() } },
}
]]

---@param name string
---@param new fun(): { submit: string, work: string, allow: string?, close: fun() }
local function pace(name, new)
  describe("the workers of " .. name, function()
    local workspace = Workspace.of_each()
    local place, server, workers, arrivals, answer

    setup(function() place = new() end)
    teardown(function() place.close() end)
    before_each(function()
      workers, arrivals = {}, {}
      workspace:write("asking.lua", asking)
      answer = function() return { state = "waiting" } end
      server = Server.start(function(request)
        arrivals[#arrivals + 1] = { at = luv.hrtime() / 1e9, path = request.path }
        local body, status, headers = answer(request.path)
        headers = headers or {}
        headers["Content-Type"] = "application/json"
        return { headers = headers, status = status, body = core.json.encode(body) }
      end)
    end)
    after_each(function()
      for _, worker in ipairs(workers) do
        if not worker.code then
          worker:kill "sigterm"
          worker:wait()
        end
      end
      server:close()
      assert.is_nil(leftovers.find())
    end)

    ---Starts workers, of which each holds a part of the waits.
    local function work(count, jobs)
      for _ = 1, count do
        local worker = workspace:start({ "worker", "--store", place.work, "--jobs", jobs, "--quiet", place.allow },
          { longest = 120 })
        worker:hold_loop(false)
        workers[#workers + 1] = worker
      end
    end

    local function submit(waiter, count, path)
      local lines = {}
      for number = 1, count do lines[number] = core.json.encode { url = ("%s/%s%d"):format(server.url, path, number) } end
      workspace:write("lines.jsonl", table.concat(lines, "\n"))
      local done = workspace:bide { "submit", "asking.lua", waiter, "--each", "lines.jsonl", "--store", place.submit,
        "--max-wait", "60s", "--quiet" }
      assert.same({ 0, "" }, { done.code, done.stderr })
      return done.stdout:match "%d+"
    end

    local function cancel(run) return workspace:bide { "jobs", "cancel", run, "--store", place.submit } end

    ---Returns the most arrivals within a second.
    local function most_in_a_second()
      local most, first = 0, 1
      for last, arrival in ipairs(arrivals) do
        while arrival.at - arrivals[first].at >= 1 do first = first + 1 end
        most = math.max(most, last - first + 1)
      end
      return most
    end

    it("keep the rate of a recipe together, and while one of them is killed", function()
      work(4, "15")
      local run = submit("Asked", 60, "a")
      turns.await(function() return #arrivals >= 40 end)
      workers[1]:kill "sigkill"
      turns.await(function() return #arrivals >= 90 end)
      assert.equal(0, cancel(run).code)
      local most = most_in_a_second()
      assert.is_true(most <= 22, most .. " requests within a second") -- 20/s, a burst of 1, and 1 more
      assert.is_true(arrivals[90].at - arrivals[1].at < 30, "they are much slower than the rate")
    end)

    it("leave a host alone that asks one of them for a pause, whatever the rate", function()
      local paused_at
      answer = function(path)
        if path == "/busy1" and not paused_at then
          paused_at = luv.hrtime() / 1e9
          return {}, 429, { ["Retry-After"] = "4" }
        end
        return { state = "waiting" }
      end
      work(2, "6")
      local run = submit("Open", 10, "free")
      turns.await(function() return #arrivals >= 30 end)
      submit("Open", 1, "busy")
      turns.await(function() return paused_at end)
      turns.await(function() return luv.hrtime() / 1e9 > paused_at + 5.5 end)
      local within, after = 0, 0
      for _, arrival in ipairs(arrivals) do
        local since = arrival.at - paused_at
        if since > 1.5 and since < 3.9 then within = within + 1 end -- all know within a second
        if since >= 4 then after = after + 1 end
      end
      assert.equal(0, within)
      assert.is_true(after > 0)
      cancel(run)
    end)
  end)
end

pace("a file", function()
  local workspace = Workspace.make()
  local file = workspace.path .. "/waits.db"
  return { submit = file, work = file, close = function() workspace:remove() end }
end)

local cluster = Cluster.installed()
if not cluster then return end
pace("a database", function()
  return { submit = cluster:url "ada", work = cluster:url "wim", allow = "--allow-net=127.0.0.1", close = function() end }
end)
