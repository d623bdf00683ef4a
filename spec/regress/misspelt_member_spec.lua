---A recipe whose acceptor misspelt a member of its own output passed `bide check`: it waited in vain, and only its cases
---noticed.

local bide = require "bide"
local declared = require "bide.model.check.declared"
local Directory = require "spec.support.directory"
local process = require "spec.support.process"

---The operations whose output is the JSON of their service, with members that a recipe does not know.
local of_services = {
  ["clickhouse.Query"] = true, ["consul.GetLeader"] = true, ["consul.GetService"] = true, ["docker.Inspect"] = true,
  ["elasticsearch.GetHealth"] = true, ["etcd.GetHealth"] = true, ["influxdb.GetHealth"] = true, ["kubernetes.Look"] = true,
  ["kubernetes_job.GetJob"] = true, ["kubernetes_rollout.GetDeployment"] = true, ["rabbitmq.GetQueue"] = true,
}

local function asks_for_members(waiter)
  for _, acceptor in ipairs(waiter.acceptors) do
    if acceptor.matcher.output or acceptor.matcher.inputOutput then return true end
  end
  return false
end

describe("a misspelt member of an output", function()
  local directory = Directory.of_each()

  it("is found in each bundled recipe that makes its outputs itself", function()
    local found = {}
    for file in io.popen("ls scripts/*.lua"):lines() do
      local name = file:match "([%w_]+)%.lua$"
      for _, waiter in pairs(assert(bide.load(file)).waiters) do
        local operation = name .. "." .. waiter.operation
        if asks_for_members(waiter) then
          found[operation] = true
          assert(waiter.output or of_services[operation], operation .. " declares no output")
          assert(not waiter.output or not of_services[operation], operation .. " declares its output: take it off the list")
        end
        assert.same({}, declared.dangers(waiter))
      end
    end
    for operation in pairs(of_services) do assert.is_true(found[operation], operation) end
  end)

  it("is named with the nearest one", function()
    local file = directory:write("quux.lua", [[
      return { Get = {
        call = function() return { state = "ready" } end,
        output = { state = { type = "string" } },
        waitable = { ThingReady = {
          documentation = "Waits until it is ready.",
          acceptors = { require("bide.acceptor").output("success", "stat", "ready") },
        } },
      } }]])
    process.run({ process.bide, "check", file }):prints(1, "there is no member stat; did you mean state?")
  end)
end)
