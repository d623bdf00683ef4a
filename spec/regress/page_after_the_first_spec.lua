---A success over all elements of a list was warned of only if the token of the next page had one of the names that AWS has. A
---model says by its trait which member that is, and a condition over the first page held in silence.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local MODEL = [[
$version: "2.0"
namespace example.things
use aws.protocols#restJson1
use smithy.waiters#waitable

@restJson1
@paginated(inputToken: "after", outputToken: "page.after")
service Things { version: "1", operations: [ListThings, ListParts] }

@readonly
@paginated(outputToken: "next", inputToken: "after")
@waitable(
  ThingsDone: {minDelay: 1, acceptors: [
    {state: "success", matcher: {output: {path: "items[].state", comparator: "allStringEquals", expected: "DONE"}}}]}
  AnyDone: {minDelay: 1, acceptors: [
    {state: "success", matcher: {output: {path: "items[].state", comparator: "anyStringEquals", expected: "DONE"}}}]})
@http(method: "GET", uri: "/things")
operation ListThings { input := { @httpQuery("after") after: String }, output := { items: Items, next: Token } }

@readonly
@paginated
@waitable(PartsDone: {minDelay: 1, acceptors: [
  {state: "success", matcher: {output: {path: "items[].state", comparator: "allStringEquals", expected: "DONE"}}}]})
@http(method: "GET", uri: "/parts")
operation ListParts { input := { @httpQuery("after") after: String }, output := { items: Items, page: Page } }

structure Page { after: String }
map Token { key: String, value: String }
list Items { member: Item }
structure Item { state: String }
]]

---A waiter, the members beside the items, and the name of the token in the warning.
local rows = {
  { "ThingsDone", '"next":{"id":"5"}', "next" }, { "PartsDone", '"page":{"after":"5"}', "page.after" },
  { "ThingsDone", '"next":{}' }, { "ThingsDone", '"next":null' }, { "PartsDone", '"page":{"after":""}' },
  { "PartsDone", '"page":{}' }, { "AnyDone", '"next":{"id":"5"}' },
}

describe("a success over the first page alone", function()
  local workspace = Workspace.of_each()

  it("is warned of where the model says that a page follows", function()
    local body
    local server = Server.start(function() return { body = body } end)
    finally(function() server:close() end)
    workspace:write("things.smithy", MODEL)
    for _, row in ipairs(rows) do
      body = ('{"items":[{"state":"DONE"}],%s}'):format(row[2])
      local done = workspace:bide { "run", "things.smithy", row[1], "--endpoint", server.url, "--max-wait", "50s", "--quiet",
        "--output", "json" }
      assert.equal(0, done.code, done.stderr)
      local words = row[3] and ("%s: the answer has a %s: a further page follows, and a waiter looks at the first one alone")
        :format(row[1], row[3])
      assert.same({ words }, json.decode(done.stdout).warnings or {}, row[1] .. " " .. row[2])
    end
    assert.equal(#rows, #server.requests)
  end)
end)
