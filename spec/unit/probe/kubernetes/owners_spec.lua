---Whom the events of pods concern.

local core = require "bide.core"
local kinds = require "bide.probe.kubernetes.kinds"
local owners = require "bide.probe.kubernetes.owners"

local json = core.json

local function pod(owner, change)
  local object = { metadata = { name = "p", uid = "u1", labels = { ["pod-template-hash"] = "5d" },
    ownerReferences = { { kind = owner[1], name = owner[2], uid = "o", controller = true } } },
    status = { containerStatuses = { { name = "app", restartCount = 1, state = { waiting = { reason = "ErrImagePull" } } } } } }
  for name, value in pairs(change or {}) do object[name] = value end
  return object
end

describe("the owners of pods", function()
  local told

  before_each(function() told = {} end)

  local function new(kind)
    return owners.new(kinds.usual(kind), 3600, function(name) told[#told + 1] = name end)
  end

  it("are a Deployment through its ReplicaSet, and other workloads by their names", function()
    local rows = { { "deployment", "ReplicaSet", "web-5d", "web" }, { "replicaset", "ReplicaSet", "web-5d", "web-5d" },
      { "statefulset", "StatefulSet", "db", "db" }, { "daemonset", "DaemonSet", "log", "log" }, { "job", "Job", "m", "m" } }
    for _, row in ipairs(rows) do
      local of <close> = new(row[1])
      told = {}
      of:handle { type = "MODIFIED", object = pod { row[2], row[3] } }
      assert.same({ row[4] }, told)
    end
  end)

  it("are not of another kind, nor by another hash, nor without a controller", function()
    local of <close> = new "deployment"
    of:handle { type = "MODIFIED", object = pod { "Job", "web-5d" } }
    of:handle { type = "MODIFIED", object = pod { "ReplicaSet", "web-6e" } }
    of:handle { type = "MODIFIED", object = pod({ "ReplicaSet", "web-5d" }, { metadata = { uid = "u1" } }) }
    of:handle { type = "MODIFIED", object = { metadata = core.json.null, status = 7 } }
    assert.same({}, told)
  end)

  it("hear of a pod's trouble once, and again when it is another one", function()
    local of <close> = new "job"
    local object = pod { "Job", "m" }
    of:handle { type = "ADDED", object = object }
    of:handle { type = "MODIFIED", object = object }
    assert.same({ "m" }, told)
    object.status.containerStatuses[1].restartCount = 2
    of:handle { type = "MODIFIED", object = object }
    assert.same({ "m", "m" }, told)
    of:handle { type = "DELETED", object = object }
    assert.equal(0, of.count)
  end)

  it("hear nothing of a pod that only goes on", function()
    local of <close> = new "job"
    of:handle { type = "MODIFIED", object = pod({ "Job", "m" }, { status = { phase = "Pending", containerStatuses = {
      { name = "app", restartCount = 0, state = { waiting = { reason = "ContainerCreating" } } } } } }) }
    assert.same({}, told)
    assert.equal(0, of.count)
  end)

  ---An Event that a pod could not be made.
  local function refusal(kind, name, message, uid)
    return { metadata = { uid = uid or "e1" }, message = message, involvedObject = { kind = kind, name = name } }
  end

  it("hear once that a pod may not be made, and again when it is for another reason", function()
    local of <close> = new "statefulset"
    for _, message in ipairs { "quota", "quota", "limits" } do
      of:handle_refusal { type = "MODIFIED", object = refusal("StatefulSet", "db", message) }
    end
    of:handle_refusal { type = "DELETED", object = refusal("StatefulSet", "db", "limits") }
    assert.same({ { "db", "db" }, 0 }, { told, of.count })
  end)

  it("do not hear of refusals of another kind, and of what is no event", function()
    local of <close> = new "job"
    local of_sets <close> = new "deployment"
    of:handle_refusal { type = "ADDED", object = refusal("StatefulSet", "db", "quota") }
    of:handle_refusal { type = "ADDED", object = refusal("Job", 7, "quota") }
    of:handle_refusal { type = "ADDED", object = refusal("Job", "m", json.null) }
    of:handle_refusal { type = "ADDED", object = { metadata = 7 } }
    of_sets:handle_refusal { type = "ADDED", object = refusal("Deployment", "web", "quota") }
    of_sets:handle_refusal { type = "ADDED", object = refusal(nil, "web", "quota") }
    assert.same({}, told)
  end)

  it("hear again when the grace of a pod's trouble is over", function()
    local of <close> = owners.new(kinds.usual "job", 0, function(name) told[#told + 1] = name end)
    of:handle { type = "MODIFIED", object = pod { "Job", "m" } }
    assert.is_true(of.later[1].at - core.loop.now() <= 1000)
    of.later[1].at = core.loop.now()
    of.alarm:start(core.loop.now())
    while #told < 2 do core.loop.turn() end
    assert.same({ "m", "m" }, told)
    assert.same({}, of.later)
  end)
end)
