---The example of "Making retries safe with idempotent APIs": an instance is launched, the answer is lost, the
---request is retried, repeated, repeated with other parameters, and comes once more after the instance was terminated.
---The service is a real one, over HTTP, that keeps what it creates.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"

require "bide"

local recipe = [[
local http = require "bide.http"
local function ask(action)
  return function(input) return http.post("ENDPOINT/" .. action, { json = input }) end
end
return {
  RunInstances = {
    idempotencyToken = "ClientToken",
    call = ask "RunInstances",
    waitable = { InstanceLaunched = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
      { state = "success", matcher = { output = { path = "Instances[0].InstanceId != null", comparator = "booleanEquals",
        expected = "true" } } },
      { state = "retry", matcher = { errorType = "ConnectionReset" } },
      { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
      { state = "failure", matcher = { errorType = "IdempotentParameterMismatch" } },
    } } },
  },
  DescribeInstances = {
    call = ask "DescribeInstances",
    waitable = { InstanceTerminated = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
      { state = "success", matcher = { output = { path = "Instances[].State.Name", comparator = "allStringEquals",
        expected = "terminated" } } },
    } } },
  },
  TerminateInstances = {
    call = ask "TerminateInstances",
    waitable = { InstanceTold = { acceptors = { { state = "success", matcher = { success = true } } } } },
  },
}
]]

---A service as the seed describes it: a session for each token, the parameters kept with it, and an answer
---that means the same however the instance has changed meanwhile.
local function new_service()
  local service = { instances = {}, sessions = {}, lost = 0 }
  local function describe(instance)
    return { InstanceId = instance.id, State = { Name = instance.state }, ClientToken = instance.token,
      InstanceType = instance.kind }
  end
  local function answer(instances) return { body = core.json.encode { Instances = core.json.array(instances) } } end

  function service.RunInstances(input)
    local instance = service.sessions[input.ClientToken]
    if instance and instance.kind ~= input.InstanceType then
      return { status = 400, body = '{"__type": "IdempotentParameterMismatch", "message": "other parameters"}' }
    end
    if not instance then
      instance = { id = ("i-%04d"):format(#service.instances + 1), state = "pending", token = input.ClientToken,
        kind = input.InstanceType }
      table.insert(service.instances, instance)
      service.sessions[input.ClientToken] = instance
    end
    if service.lost > 0 then
      service.lost = service.lost - 1
      return nil
    end
    local shown = answer { describe(instance) }
    if instance.state == "pending" then instance.state = "running" end
    return shown
  end

  function service.TerminateInstances(input)
    for _, instance in ipairs(service.instances) do
      if instance.id == input.InstanceId then instance.state = "shutting-down" end
    end
    return answer {}
  end

  function service.DescribeInstances()
    local list = {}
    for position, instance in ipairs(service.instances) do
      list[position] = describe(instance)
      if instance.state == "shutting-down" then instance.state = "terminated" end
    end
    return answer(list)
  end
  return service
end

describe("the seed's instance", function()
  local workspace = Workspace.of_each()
  local service

  local server = Server.of_each(nil, { raw = function(peer, bytes)
    peer.bytes = peer.bytes .. bytes
    local head, body = peer.bytes:match "^(.-\r\n\r\n)(.*)$"
    if not head or #body < tonumber(head:match "[Cc]ontent%-[Ll]ength: (%d+)") then return end
    peer.bytes = ""
    local answer = service[head:match "^POST /(%w+)"](core.json.decode(body))
    if not answer then return peer:reset() end -- it was done, and nobody hears of it
    peer:write(("HTTP/1.1 %d Status\r\nContent-Length: %d\r\n\r\n%s"):format(answer.status or 200, #answer.body, answer.body))
  end })

  before_each(function()
    service = new_service()
    workspace:write("ec2.lua", (recipe:gsub("ENDPOINT", server.url)))
  end)

  local function run(...)
    return workspace:outcome { "run", "ec2.lua", "--max-wait", "50s", ... }
  end

  it("is launched once, whatever is lost, repeated, changed or late", function()
    service.lost = 3
    local first = run("InstanceLaunched", "InstanceType=t2.micro")
    local token, instance = first.input.ClientToken, first.output.Instances[1]
    assert.same({ "success", 4, "ConnectionReset" }, { first.state, first.attempts, first.history[1].error.type })
    assert.same({ "i-0001", "pending", token }, { instance.InstanceId, instance.State.Name, instance.ClientToken })

    local repeated = run("InstanceLaunched", "InstanceType=t2.micro", "--token", token)
    instance = repeated.output.Instances[1]
    assert.same({ "i-0001", "running", token }, { instance.InstanceId, instance.State.Name, instance.ClientToken })

    local changed, done = run("InstanceLaunched", "InstanceType=t2.large", "--token", token)
    assert.same({ 1, "acceptor", "IdempotentParameterMismatch" }, { done.code, changed.reason, changed.error.type })

    run("InstanceTold", "InstanceId=i-0001")
    assert.equal("success", run("InstanceTerminated").state)
    local late = run("InstanceLaunched", "InstanceType=t2.micro", "--token", token)
    instance = late.output.Instances[1]
    assert.same({ "i-0001", "terminated", token }, { instance.InstanceId, instance.State.Name, instance.ClientToken })

    assert.equal(1, #service.instances)
    assert.not_equal(token, run("InstanceLaunched", "InstanceType=t2.micro").input.ClientToken)
    assert.equal(2, #service.instances)
  end)

  it("is launched once for all who ask with one token, and stays what it was for them", function()
    workspace:write("launch.lua", [[
local bide, http = require "bide", require "bide.http"
local kind = ...
local ok, result = pcall(bide.once, "eb3c3141", { InstanceType = kind }, function(parameters, token)
  parameters.ClientToken = token
  return http.post("]] .. server.url .. [[/RunInstances", { json = parameters })
end)
print(ok, result.type or result.Instances[1].InstanceId, result.parameter or result.Instances and result.Instances[1].State.Name)
]])
    local function launch(kind)
      return workspace:bide({ "exec", "--journal", "requests.db", "launch.lua", kind }).stdout
    end
    service.lost = 2
    assert.equal("false\tConnectionReset\tnil\n", launch "t2.micro")
    assert.equal("false\tConnectionReset\tnil\n", launch "t2.micro")
    assert.equal("true\ti-0001\tpending\n", launch "t2.micro")
    assert.equal("false\tIdempotentParameterMismatch\tInstanceType\n", launch "t2.large")
    run("InstanceTold", "InstanceId=i-0001")
    run("InstanceTerminated")
    assert.equal("true\ti-0001\tpending\n", launch "t2.micro")
    assert.equal(1, #service.instances)
  end)
end)
