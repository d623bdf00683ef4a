---A waiter that succeeds by the mere answer needs a member of the output in it, so that another program's is none. The default
---of a member, its status, a header that any program sends and a member of another type passed for one.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local MODEL = [[
$version: "2.0"
namespace example.things
use smithy.waiters#waitable

@%s
service Things { version: "1", operations: [GetThing] }

@readonly
@waitable(
  Exists: {minDelay: 1, acceptors: [{state: "success", matcher: {success: true}}]}
  Idle: {minDelay: 1, acceptors: [
    {state: "success", matcher: {output: {path: "count == `0`", comparator: "booleanEquals", expected: "true"}}}]})
@http(method: "GET", uri: "/")
operation GetThing {
    output := {
        name: String
        tags: Tags
        count: Integer = 0
        parts: Parts = []
        @httpResponseCode code: Integer
        @httpHeader("Content-Type") type: String
        @httpHeader("X-Thing") thing: String
        @httpPrefixHeaders("X-Meta-") meta: Tags
    }
}
list Parts { member: String }
map Tags { key: String, value: String }
]]

describe("a waiter that succeeds by the mere answer", function()
  local workspace = Workspace.of_each()
  local response
  local server = Server.of_each(function() return response end)

  local function run(protocol, waiter, body, headers)
    workspace:write("things.smithy", MODEL:format(protocol))
    response = { headers = headers or { ["Content-Type"] = "application/json" }, body = body }
    return workspace:bide { "run", "things.smithy", waiter, "--max-wait", "50s", "--max-attempts", "1", "--quiet", "--output",
      "json", "--endpoint", server.url }
  end

  for _, protocol in ipairs { "aws.protocols#restJson1", "aws.protocols#awsJson1_0", "aws.protocols#restXml" } do
    local is_json = not protocol:find "Xml"

    it("needs a member in it, by " .. protocol, function()
      local others = is_json and { "", "{}", '{"status":"ok"}', '{"tags":"none"}', '{"parts":{}}', '{"count":null}' }
        or { "", "<R/>", "<R><status>ok</status></R>" }
      for _, body in ipairs(others) do
        local done = run(protocol, "Exists", body)
        assert.equal(3, done.code, body .. done.stdout .. done.stderr)
        local failure = json.decode(done.stdout).error
        assert.same({ "InvalidResponse", "the answer has no member of GetThingOutput" }, { failure.type, failure.message })
      end
      for _, body in ipairs(is_json and { '{"name":"a"}', '{"count":0}', '{"tags":"none","parts":[]}' }
        or { "<R><name>a</name></R>", "<R><count>0</count></R>" }) do
        assert.equal(0, run(protocol, "Exists", body).code, body)
      end
    end)
  end

  it("may have it in a header of its own", function()
    assert.equal(0, run("aws.protocols#restJson1", "Exists", "{}", { ["X-Thing"] = "a" }).code)
    assert.equal(3, run("aws.protocols#restJson1", "Exists", "{}", { ["X-Meta-Thing"] = "a" }).code)
  end)

  it("has its defaults all the same", function()
    local done = run("aws.protocols#restJson1", "Idle", '{"name":"a"}')
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.equal(0, json.decode(done.stdout).output.count)
  end)
end)
