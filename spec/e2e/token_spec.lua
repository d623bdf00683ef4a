---Idempotency tokens: one for a request, the same on each of its retries.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"

local bide = require "bide"

local UUID = "^%x+%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x+$"

local recipe = [[
local http = require "bide.http"
return {
  Create = {
    idempotencyToken = "ClientToken",
    call = function(input) return http.post("%s/things", { json = input }) end,
    waitable = { Created = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "created" } } },
      { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
    } } },
  },
  Look = { call = function() return {} end,
    waitable = { Looked = { acceptors = { { state = "success", matcher = { success = true } } } } } },
}
]]

describe("an idempotency token", function()
  local workspace = Workspace.of_each()
  local server, tokens, failures

  before_each(function()
    tokens, failures = {}, 2
    server = Server.start(function(request)
      local input = core.json.decode(request.body)
      tokens[#tokens + 1] = input.ClientToken
      if #tokens <= failures then return { status = 503 } end
      return { body = '{"state": "created"}' }
    end)
    workspace:write("things.lua", recipe:format(server.url))
  end)

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  local function run(...)
    return workspace:outcome { "run", "things.lua", "Created", "--max-wait", "5s", ... }
  end

  it("is filled in, is the same on every retry, and is shown", function()
    local outcome = run("name=foo")
    assert.equal(3, #tokens)
    assert.matches(UUID, tokens[1])
    assert.same({ tokens[1], tokens[1], tokens[1] }, tokens)
    assert.same({ name = "foo", ClientToken = tokens[1] }, outcome.input)
    local events = workspace:events { "run", "things.lua", "Created", "--max-wait", "50s" }
    assert.equal(tokens[4], events[1].input.ClientToken)
    assert.not_equal(tokens[1], tokens[4])
  end)

  it("is the caller's where one is given, as a member or as an option", function()
    assert.equal("mine", run("ClientToken=mine").input.ClientToken)
    assert.equal("T", run("--token", "T").input.ClientToken)
    assert.equal("T", run("--token", "T", "ClientToken=T").input.ClientToken)
    assert.matches(UUID, run("ClientToken:=null").input.ClientToken)
  end)

  it("is refused where it has no place", function()
    local rows = {
      { { "Looked", "--token", "T" }, "--token: the operation of Looked declares no idempotencyToken" },
      { { "Created", "--token", "T", "ClientToken=U" }, "--token: the input already has a different ClientToken" },
      { { "Created", "--token", "" }, "--token: expected T, found an empty text" },
      { { "Created", "--token", "T", "--each", "things.lua" }, "--token is for one request, and --each makes several" },
    }
    for _, row in ipairs(rows) do
      local done = workspace:bide { "run", "things.lua", "--max-wait", "1s", table.unpack(row[1]) }
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches(row[2], done.stderr, 1, true)
    end
    assert.same({}, tokens)
  end)

  it("is another for each wait of a fleet", function()
    failures = 0
    workspace:write("lines.jsonl", '{"name": "a"}\n{"name": "b"}\n{"ClientToken": "mine"}\n')
    assert.equal(0, workspace:bide({ "run", "things.lua", "Created", "--each", "lines.jsonl", "--max-wait", "5s" }).code)
    table.sort(tokens)
    assert.equal("mine", tokens[3])
    assert.not_equal(tokens[1], tokens[2])
  end)

  it("is declared beside call in every kind of recipe", function()
    workspace:write("trait.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    workspace:write("with.lua", 'return { Op = { idempotencyToken = "Token", call = function() return {} end } }')
    local outcome = workspace:outcome { "run", "trait.json", "--with", "with.lua", "--max-wait", "1s" }
    assert.matches(UUID, outcome.input.Token)
    local waiter = bide.waiter { idempotencyToken = "id", call = function(input) return input end,
      acceptors = { { state = "success", matcher = { success = true } } } }
    local done = assert(waiter:wait({}, { maxWait = 1 }))
    assert.matches(UUID, done.output.id)
    assert.equal("mine", assert(waiter:wait({ id = "mine" }, { maxWait = 1 })).output.id)
    assert.equal("text", assert(waiter:wait("text", { maxWait = 1 })).output)
  end)

  it("is declared by the name of a member", function()
    workspace:write("bad.lua", 'return { Op = { idempotencyToken = 5, call = function() end, waitable = {} } }')
    local done = workspace:bide { "run", "bad.lua", "--max-wait", "1s" }
    done:says(2, "Op.idempotencyToken: expected the name of a member of the input, found 5")
    assert.has_error(function() bide.waiter { call = print, idempotencyToken = "", acceptors = {} } end,
      'bide.waiter: idempotencyToken: expected the name of a member of the input, found ""')
  end)
end)
