---An answer was InvalidResponse where a member of it had another type than the model says, so that a wait failed for a
---member that no acceptor reads.

local core = require "bide.core"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local MODEL = [[
$version: "2.0"
namespace example.things
use aws.protocols#awsJson1_0
use aws.protocols#awsQuery
use aws.protocols#restXml
use smithy.waiters#waitable

@%s
service Things { version: "1", operations: [GetThing] }

@readonly
@waitable(ThingExists: {minDelay: 1, acceptors: [
  {state: "success", matcher: {output: {path: "status", comparator: "stringEquals", expected: "on"}}}]})
@http(method: "GET", uri: "/")
operation GetThing {
    output := { status: String, @httpHeader("X-Size") size: Integer, parts: Parts }
}
list Parts { member: Part }
structure Part { count: Integer, since: Timestamp, name: String, labels: Parts }
]]

local JSON = '{"status": "on", "parts": [{"count": "many", "since": "soon", "name": 5, "labels": "none"}, 7]}'
local XML = "<status>on</status><parts><member><count>many</count><since>soon</since><name>5</name></member></parts>"

describe("a wait for an answer with members of other types", function()
  local workspace = Workspace.of_each()
  local response
  local server = Server.of_each(function() return response end)

  ---@return table output
  ---@return string note of the attempt
  local function wait_with(protocol, body)
    response = { headers = { ["X-Size"] = "big" }, body = body }
    workspace:write("things.smithy", MODEL:format(protocol))
    local done = workspace:bide { "run", "things.smithy", "ThingExists", "--max-wait", "50s", "--quiet", "--output", "json",
      "--endpoint", server.url }
    assert.equal(0, done.code, done.stderr .. done.stdout)
    local outcome = core.json.decode(done.stdout)
    return outcome.output, outcome.history[1].note
  end

  it("succeeds in JSON, and its note names their places", function()
    local output, note = wait_with("awsJson1_0", JSON)
    assert.same({ { count = "many", since = "soon", name = 5, labels = "none" }, 7 }, output.parts)
    assert.matches("the answer has no integer at parts[0].count", note, 1, true)
    assert.matches("the answer has no list at parts[0].labels", note, 1, true)
  end)

  it("succeeds in XML and in headers", function()
    local output, note = wait_with("restXml", ("<R>%s</R>"):format(XML))
    assert.same({ status = "on", size = "big", parts = { { count = "many", since = "soon", name = "5" } } }, output)
    assert.matches("the answer has no integer at size; the answer has no integer at parts[0].count", note, 1, true)
    output = wait_with("awsQuery", ("<GetThingResponse><GetThingResult>%s</GetThingResult></GetThingResponse>"):format(XML))
    assert.equal("many", output.parts[1].count)
  end)
end)
