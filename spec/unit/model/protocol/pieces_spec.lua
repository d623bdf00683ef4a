---Long answers are read in pieces: between them the loop handles what is due.

local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local model = require "bide.model"
local protocols = require "spec.support.protocols"

local json, loop, task = core.json, core.loop, core.task

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restXml
service Service { version: "1" operations: [GetThings] }
@http(method: "GET", uri: "/")
operation GetThings { input := {}, output := { things: Things } }
list Things { member: Thing }
structure Thing { name: String, size: Integer }
]] } }

local COUNT = 10000

---Calls a function as a task, and counts how often an alarm that is always due rings before it returns.
---@return integer count
---@return any result
local function rings_during(f)
  local rings, result, count, alarm = 0, nil, nil, nil
  alarm = loop.alarm(function()
    rings = rings + 1
    alarm:start(loop.now())
  end)
  local done = false
  task.start(function()
    rings = 0
    result = f()
    count = rings
  end, function(_, how, value)
    done = true
    assert.equal("returned", how, tostring(value))
  end)
  alarm:start(loop.now())
  while not done do loop.turn() end
  alarm:stop()
  return count, result
end

local function things()
  local list = json.array {}
  for index = 1, COUNT do list[index] = { name = "abcdefgh", size = index } end
  return { things = list }
end

local bodies = {
  ["aws.protocols#restXml"] = function()
    local parts = {}
    for index = 1, COUNT do parts[index] = ("<member><name>abcdefgh</name><size>%d</size></member>"):format(index) end
    return "<Output><things>" .. table.concat(parts) .. "</things></Output>"
  end,
  ["aws.protocols#restJson1"] = function() return json.encode(things()) end,
  ["smithy.protocols#rpcv2Cbor"] = function() return cbor.encode(things()) end,
}

---The fewest pieces that each is read in.
local least = { ["aws.protocols#restXml"] = 60, ["aws.protocols#restJson1"] = 6, ["smithy.protocols#rpcv2Cbor"] = 12 }

describe("a long answer", function()
  for id, make in pairs(bodies) do
    local operation = assert(opened:operation("GetThings", { protocol = id }))
    local response = { status = 200, headers = protocols.headers_of(id), body = make() }

    it("of " .. id .. " is read in pieces within a task", function()
      local rings, output = rings_during(function() return operation:answer(response) end)
      assert.is_true(rings >= least[id], ("%d rings"):format(rings))
      assert.same({ COUNT, COUNT }, { #output.things, output.things[COUNT].size })
    end)

    it("of " .. id .. " is read at once where code may not wait, and outside of tasks", function()
      local rings = rings_during(function()
        assert(task.without_waiting("a matcher", operation.answer, operation, response))
      end)
      assert.equal(0, rings)
      assert.equal(COUNT, #operation:answer(response).things)
    end)
  end

  it("ends with its task", function()
    local operation = assert(opened:operation("GetThings", { protocol = "aws.protocols#restXml" }))
    local response = { status = 200, headers = {}, body = bodies["aws.protocols#restXml"]() }
    local ended
    local running = task.start(function() return operation:answer(response) end, function(_, how) ended = how end)
    loop.turn()
    assert.is_nil(ended)
    running:cancel()
    while not ended do loop.turn() end
    assert.equal("cancelled", ended)
  end)
end)
