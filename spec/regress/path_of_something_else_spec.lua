---An operation asked for something else where its path and its members did not fit: a label without a member was sent as it
---stood, and a member with httpLabel that no label named was not sent at all, so that a wait for one thing asked for all of
---them. An operation without the trait http, or with a method that is no text, ended in a script error of bide's own.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local EMPTY = json.decode "{}"

---Makes a model of an operation with a member `name`, which is a label.
local function model_of(http)
  return json.encode { smithy = "2.0", shapes = {
    ["x#S"] = { type = "service", version = "1", operations = { { target = "x#Get" } },
      traits = { ["aws.protocols#restJson1"] = EMPTY } },
    ["x#Get"] = { type = "operation", input = { target = "x#In" }, output = { target = "x#In" }, traits = {
      ["smithy.api#http"] = http,
      ["smithy.waiters#waitable"] = { Ready = { acceptors = { { state = "success", matcher = { success = true } } } } } } },
    ["x#In"] = { type = "structure", members = { name = { target = "smithy.api#String",
      traits = { ["smithy.api#httpLabel"] = EMPTY, ["smithy.api#required"] = EMPTY } } } },
  } }
end

local NONE = "the operation Get has no trait http with a method and a uri, which its protocol needs"

local rows = {
  { { method = "GET", uri = "/things", code = 200 }, "the path /things: it has no label for the member name" },
  { { method = "GET", uri = "/things?name={name}" }, "the path /things: it has no label for the member name" },
  { { method = "GET", uri = "/things/{name}/{part}" },
    "the path /things/{name}/{part}: the input has no member part with httpLabel" },
  { { method = 5, uri = "/things/{name}" }, NONE },
}

describe("an operation of a model", function()
  local workspace = Workspace.of_each()

  local server = Server.of_each(function() return { body = '{"name":"a"}' } end)

  local function run(http)
    workspace:write("model.json", model_of(http))
    return workspace:bide { "run", "model.json", "Ready", "name=a", "--endpoint", server.url, "--max-wait", "50s", "--quiet" }
  end

  it("asks for what its members name, or for nothing", function()
    for number = 1, #rows + 1 do
      local row = rows[number] or { nil, NONE }
      run(row[1]):says(2, row[2])
    end
    assert.equal(0, #server.requests)
    assert.equal(0, run({ method = "GET", uri = "/things/{name}" }).code)
    assert.equal("/things/a", server:last().target)
  end)
end)
