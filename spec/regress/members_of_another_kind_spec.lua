---A condition held by a member that was not what the model says: a list by `{}`, which counted as an empty list, or by a text
---within its element; a union by one of two members, of which the other says the opposite; a member of XML by the first of
---two elements. A member of another type stays as it came, so that a wait does not end for what no condition asks; of one
---that is asked for, nobody can know.

local cbor = require "bide.model.protocol.cbor"
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
  Empty: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "length(items[?state=='FAILED']) == `0`", comparator: "booleanEquals", expected: "true"}}}]}
  Counted: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "length(items) == `0`", comparator: "booleanEquals", expected: "true"}}}]}
  Done: {minDelay: 1, acceptors: [
    {state: "success", matcher: {output: {path: "state.done.ok", comparator: "booleanEquals", expected: "true"}}}]}
  Ready: {minDelay: 1, acceptors: [
    {state: "success", matcher: {output: {path: "status", comparator: "stringEquals", expected: "READY"}}}]}
  Bare: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "length(keys(tags)) == `0`", comparator: "booleanEquals", expected: "true"}}}]}
  AllWell: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "length(tags.*.ok) == `0`", comparator: "booleanEquals", expected: "true"}}}]}
  NoneOk: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "state.* | length([?ok == `true`]) == `0`", comparator: "booleanEquals", expected: "true"}}}]}
  NoneBad: {minDelay: 1, acceptors: [{state: "success",
    matcher: {output: {path: "length(values(state)[?!ok]) == `0`", comparator: "booleanEquals", expected: "true"}}}]})
@http(method: "GET", uri: "/")
operation GetThing {
    output := { status: String, items: Items, state: State, tags: Tags }
}
list Items { member: Item }
structure Item { state: String, status: String }
union State { done: Done, failed: Item }
structure Done { ok: Boolean }
map Tags { key: String, value: Done }
]]

---A waiter, the members of an answer, and the doubt; none if the wait succeeds.
local of_json = {
  { "Empty", '"items":{}', "no list at items" },
  { "Counted", '"items":{}', "no list at items" },
  { "Counted", '"items":""', "no list at items" },
  { "Empty", '"items":["DONE"]', "no structure at items[0]" },
  { "Empty", '"items":[[]]', "no structure at items[0]" },
  { "Empty", '"items":[]' },
  { "Bare", '"tags":[]', "no map at tags" },
  { "Bare", '"tags":{}' },
  { "AllWell", '"tags":{"a":[]}', "no structure at tags.a" },
  { "AllWell", '"tags":{"a":{"ok":5}}', "no boolean at tags.a.ok" },
  { "NoneOk", '"state":{"done":{"ok":"yes"}}', "no boolean at state.done.ok" },
  { "NoneOk", '"state":{"done":{"ok":false}}' },
  { "NoneBad", '"state":{"done":{"ok":"no"}}', "no boolean at state.done.ok" },
  { "NoneBad", '"state":{"done":{"ok":true}}' },
  { "Done", '"state":{"done":{"ok":true},"failed":{"state":"x"}}', "no union of one member at state" },
  { "Done", '"state":{"done":{"ok":true},"other":{}}', "no union of one member at state" },
  { "Done", '"state":{"done":{"ok":true},"failed":null,"__type":"Done"}' },
  { "Ready", '"status":"READY","items":{},"state":{"done":{},"failed":{}},"tags":[]' },
  { "Ready", '"status":"READY","items":[{"status":5}],"tags":{"status":[]}' },
}

local FAILED = "<member><state>FAILED</state></member>"

local of_xml = {
  { "Empty", "<items>Access denied</items>", "no list at items" },
  { "Empty", "<items/><items>" .. FAILED .. "</items>", "more than one element for items" },
  { "Empty", "<items>\n</items>" },
  { "Empty", "<items><member>FAILED</member></items>", "no structure at items[0]" },
  { "Bare", "<tags>none</tags>", "no map at tags" },
  { "Done", "<state><done><ok>true</ok></done><failed/></state>", "no union of one member at state" },
  { "Done", "<state><done><ok>true</ok></done></state>" },
  { "Ready", "<status>READY</status><status>BUSY</status>", "more than one element for status" },
  { "Ready", "<status>READY</status><items/><items>a</items><tags>none</tags><state><done/><failed/></state>" },
  { "Ready", "<status>READY</status><items><member><status>a</status><status>b</status></member></items>" },
}

---The protocols, with their answers' headers, the cases, and what makes a body of the members.
local protocols = {
  ["aws.protocols#awsJson1_0"] = { {}, of_json, function(members) return ("{%s}"):format(members) end },
  ["aws.protocols#restJson1"] = { {}, of_json, function(members) return ("{%s}"):format(members) end },
  ["smithy.protocols#rpcv2Cbor"] = { { ["Smithy-Protocol"] = "rpc-v2-cbor" }, of_json, function(members)
    return cbor.encode((json.decode(("{%s}"):format(members))))
  end },
  ["aws.protocols#restXml"] = { {}, of_xml, function(members) return ("<R>%s</R>"):format(members) end },
  ["aws.protocols#awsQuery"] = { {}, of_xml, function(members)
    return ("<GetThingResponse><GetThingResult>%s</GetThingResult></GetThingResponse>"):format(members)
  end },
}

describe("a condition of a model", function()
  local workspace = Workspace.of_block()
  local response
  local server = Server.of_block(function() return response end)

  for id, protocol in pairs(protocols) do
    local headers, rows, body_of = table.unpack(protocol)
    it("holds by no member of another kind, by " .. id, function()
      workspace:write("things.smithy", MODEL:format(id))
      for _, row in ipairs(rows) do
        response = { headers = headers, body = body_of(row[2]) }
        local done = workspace:bide { "run", "things.smithy", row[1], "--max-wait", "50s", "--max-attempts", "1", "--quiet",
          "--output", "json", "--endpoint", server.url }
        local outcome = json.decode(done.stdout)
        assert.equal(row[3] and 3 or 0, done.code, row[1] .. " " .. row[2] .. done.stdout .. done.stderr)
        if row[3] then
          assert.equal("InvalidResponse", outcome.error.type)
          assert.matches("the answer has " .. row[3], outcome.error.message, 1, true)
        end
      end
    end)
  end
end)
