---What bide knows of AWS's waiters beside their data: each row of its tables fits the model of its service, every failure for
---which a member of the answer has the reason has a row, and so has every success for which an empty answer is enough.

local absences = require "bide.wait.absences"
local bide = require "bide"
local check = require "bide.model.check.model"
local core = require "bide.core"
local data = require "bide.model.aws.data"
local matchers = require "bide.recipe.waiter.matchers"
local model = require "bide.model"
local own = require "bide.model.aws.own"
local static = require "bide.model.check.static"

local SERVICES = "acm cloudformation codedeploy dms dynamodb ec2 ecs eks elasticache emr lambda rds redshift sagemaker ssm "
  .. "transfer"

---The waiters with acceptors for failures of outputs, in which no member says why.
local SILENT = {
  ec2 = "CustomerGatewayAvailable VolumeAvailable VolumeInUse VpnConnectionAvailable VpnConnectionDeleted",
  ecs = "DaemonActive DaemonTaskDefinitionActive",
  elasticache = "CacheClusterAvailable CacheClusterDeleted ReplicationGroupAvailable ReplicationGroupDeleted",
  dms = "EndpointDeleted ReplicationInstanceAvailable ReplicationInstanceDeleted",
  rds = "DBClusterSnapshotAvailable DBClusterSnapshotDeleted DBSnapshotAvailable DBSnapshotDeleted TenantDatabaseAvailable",
  redshift = "ClusterAvailable ClusterDeleted ClusterRestored SnapshotAvailable",
  transfer = "ServerOffline ServerOnline",
}

---The waiters for which an empty answer is the point: it is how the service says that something is gone.
local ABSENT = {
  autoscaling = "GroupNotExists", ec2 = "SecurityGroupVpcAssociationDisassociated",
  rds = "DBClusterDeleted DBClusterSnapshotDeleted DBInstanceDeleted DBSnapshotDeleted TenantDatabaseDeleted",
}

---The types that a text of a failure may have.
local function is_text(found)
  return found == "string" or type(found) == "table" and found.array == "string"
end

---The output of the operation of each waiter of a service, as its model has it.
local function outputs_of(service)
  local opened, outputs = assert(model.open("scripts/aws/" .. service .. ".json")), {}
  for id, waiters in opened:waited_operations() do
    local operation = opened:operation(id)
    for name, waiter in pairs(waiters) do
      outputs[name] = { waiter = waiter, shape = static.of(opened, operation.output.id),
        input = static.of(opened, operation.input.id) }
    end
  end
  return outputs
end

---Returns what is wrong with a path over an output; nil if nothing is.
local function mistake_of(path, shape, is_wanted)
  local expression, failure = core.jmespath.compile(path)
  if not expression then return tostring(failure) end
  local analysis = expression:analyse(shape)
  if analysis.problems[1] then return analysis.problems[1].message end
  return not is_wanted(analysis.type) and "a wrong type" or nil
end

local kinds = {
  path = function(found) return found == "string" end,
  pathAny = function(found) return type(found) == "table" and found.array == "string" end,
  list = function(found) return type(found) == "table" and found.array ~= nil end,
}

---Returns a value of a static type in which every list is empty, and no other value is there.
local function emptied(static_type, depth)
  if type(static_type) ~= "table" or depth == 0 then return nil end
  if static_type.array then return core.json.array {} end
  local made = {}
  for name, member in pairs(static_type.object or {}) do made[name] = emptied(member, depth - 1) end
  return made
end

local function has_list(output)
  for _, member in pairs(output.shape.object) do
    if type(member) == "table" and member.array then return true end
  end
  return false
end

---Reports whether a waiter succeeds by an answer with empty lists; where it asks for no list, the status may do.
local function succeeds_empty(output)
  local answer = assert(core.json.document(emptied(output.shape, 4)))
  for _, acceptor in ipairs(output.waiter.acceptors) do
    local by_path = acceptor.matcher.output and matchers.holds(acceptor, answer)
    local by_status = acceptor.matcher.status == 200 or acceptor.matcher.success == true
    if by_path or by_status then return acceptor.state == "success" and (by_path or has_list(output)) end
  end
  return false
end

---The names in a text, as a set.
local function set_of(text)
  local set = {}
  for name in (text or ""):gmatch "%S+" do set[name] = true end
  return set
end

describe("bide's own tables of AWS's waiters", function()
  it("name members that the models have", function()
    local count = 0
    for service in SERVICES:gmatch "%S+" do
      local outputs, before = outputs_of(service), nil
      for _, row in ipairs(own.rows("reasons.tsv", service)) do
        local output = outputs[row[1]]
        assert(output, service .. " has no waiter " .. row[1])
        assert.is_nil(mistake_of(row[2], output.shape, is_text), service .. " " .. row[1] .. ": " .. row[2])
        assert.is_true(#row == 2 and (not before or before < row[1]), row[1])
        before, count = row[1], count + 1
      end
      for _, row in ipairs(own.rows("failures.tsv", service)) do
        local output = outputs[row[1]]
        assert(output, service .. " has no waiter " .. row[1])
        assert.is_nil(mistake_of(row[3], output.shape, kinds[row[2]]), service .. " " .. row[1] .. ": " .. row[3])
        assert.equal(4, #row)
        count = count + 1
      end
    end
    local lines = 0
    for _, file in ipairs { "reasons.tsv", "failures.tsv" } do
      for _ in io.lines("scripts/aws/" .. file) do lines = lines + 1 end
    end
    assert.equal(lines, count)
  end)

  it("warn of each success for which an empty answer is enough, or which does not look at what the answer lacks", function()
    local seen, lines = 0, 0
    for _, service in ipairs(data.names()) do
      local rows, absent, outputs = {}, set_of(ABSENT[service]), outputs_of(service)
      for _, row in ipairs(own.rows("found.tsv", service)) do rows[row[1]] = row end
      for name, row in pairs(rows) do
        assert(outputs[name], service .. " has no waiter " .. name)
        assert.is_nil(mistake_of(row[2], outputs[name].shape, kinds.list), row[2])
        assert.is_nil(row[3] and mistake_of(row[3], outputs[name].shape, is_text), row[3])
        lines = lines + 1
      end
      for name, output in pairs(outputs) do
        local succeeds, lacks, row = succeeds_empty(output), output.shape.object.failures ~= nil, rows[name] or {}
        assert.equal(succeeds or lacks, rows[name] ~= nil or absent[name] or false, service .. " " .. name)
        assert.equal(lacks, row[3] ~= nil, service .. " " .. name)
        assert.is_true(not absent[name] or succeeds and not row[1], service .. " " .. name)
        seen = seen + 1
      end
    end
    for _ in io.lines "scripts/aws/found.tsv" do lines = lines - 1 end
    assert.equal(0, lines)
    assert.is_true(seen >= 366, seen)
  end)

  it("count what was found of names and ids that the input has", function()
    local count = 0
    for _, service in ipairs(data.names()) do
      local outputs = outputs_of(service)
      for _, row in ipairs(own.rows("asked.tsv", service)) do
        local output = outputs[row[1]]
        assert(output, service .. " has no waiter " .. row[1])
        assert.same({ array = "string" }, output.input.object[row[2]], row[1])
        local kind = output.shape.object[row[3]]
        assert.is_true(kind.array ~= nil or kind.map ~= nil, row[1])
        count = count + 1
      end
    end
    for _ in io.lines "scripts/aws/asked.tsv" do count = count - 1 end
    assert.equal(0, count)
  end)

  it("know each member by which an answer says that a page follows", function()
    local known, seen = set_of(table.concat(absences.tokens, " ")), {}
    for _, service in ipairs(data.names()) do
      for _, output in pairs(outputs_of(service)) do
        for member, kind in pairs(output.shape.object) do
          local is_token = kind == "string" and (member:find "Token$" or member:find "Marker$") and member ~= "clientToken"
          assert.is_true(not is_token or known[member] or false, service .. " " .. member)
          seen[member] = is_token and true or nil
        end
      end
    end
    assert.same(known, seen)
  end)

  it("would fail for a member that the model has not", function()
    local output = outputs_of("cloudformation").StackCreateComplete.shape
    assert.matches("StackStatusReazon", mistake_of("Stacks[].StackStatusReazon", output, is_text), 1, true)
    assert.equal("a wrong type", mistake_of("Stacks[].Outputs[]", output, is_text))
    assert.equal("a wrong type", mistake_of("Stacks", output, is_text))
    assert.is_string(mistake_of("Stacks[", output, is_text))
  end)

  it("say why for every failure whose output does", function()
    for service in SERVICES:gmatch "%S+" do
      local known, silent = {}, set_of(SILENT[service])
      for _, row in ipairs(own.rows("reasons.tsv", service)) do known[row[1]] = true end
      for name, output in pairs(outputs_of(service)) do
        local can_fail = false
        for _, acceptor in ipairs(output.waiter.acceptors) do
          can_fail = can_fail or acceptor.state == "failure" and acceptor.matcher.output ~= nil
        end
        assert.equal(can_fail, known[name] or silent[name] or false, service .. " " .. name)
        assert.is_false(known[name] and silent[name] or false, service .. " " .. name)
      end
    end
  end)

  it("come after the acceptors of the data, which stay as they are", function()
    local recipe = assert(bide.load "aws:eks")
    local waiter = recipe.waiters.NodegroupActive
    assert.equal(1, waiter.added)
    assert.same({ state = "failure", matcher = { output = { path = "nodegroup.status", comparator = "stringEquals",
      expected = "DELETING" } } }, waiter.acceptors[#waiter.acceptors])
    assert.equal(#waiter.acceptors - 1, #outputs_of("eks").NodegroupActive.waiter.acceptors)
    assert.is_nil(recipe.waiters.ClusterActive.added)
    assert.is_nil(assert(bide.load "scripts/aws/eks.json").waiters.NodegroupActive.added)
  end)

  it("are empty for other services, and for names that are patterns", function()
    for _, service in ipairs { "s3", "", ".*", "e%s", "ecs\tServicesStable" } do
      assert.same({}, own.rows("reasons.tsv", service))
      assert.same({}, own.complete(service, {}))
    end
    assert.same({}, own.rows("no-such-file.tsv", "ecs"))
  end)
end)

describe("bide's own data of AWS's waiters", function()
  it("have no acceptor that can never match, so that a wait looks for none", function()
    for _, file in ipairs { "scripts/aws/ec2.json", data.own_path .. "/../ec2.json", data.own_path .. "/ec2.json/", "aws:ec2" } do
      assert.is_false(data.is_own(file), file)
    end
    for _, service in ipairs(data.names()) do
      local file = ("%s/%s.json"):format(data.own_path, service)
      local opened = assert(model.open(file))
      assert.is_true(data.is_own(file))
      for id, waiters in opened:waited_operations() do
        for name in pairs(waiters) do assert.same({}, check.dangers(opened, opened:shape(id), name), service) end
      end
    end
  end)

  it("would have one for a member that the model has not", function()
    local file = data.own_path .. "/acm.json"
    local input <close> = assert(io.open(file))
    local text = input:read("a"):gsub('"path":"Certificate%.Status"', '"path":"Certificate.Statuz"')
    local opened = require("bide.model.assembly.reader").of_texts { { file = file, text = text } }
    for id in opened:waited_operations() do
      assert.is_true(#check.dangers(opened, opened:shape(id), "CertificateValidated") > 0)
    end
  end)
end)
