---The `status` matcher: the HTTP status of an answer or of an error.

local bide = require "bide"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local not_found = '{"error": {"type": "NotFound", "message": "no such thing", "status": 404}}'

---matcher, line of the answers, whether it matches
local rows = {
  { "404", not_found, true }, { "[403, 404]", not_found, true }, { "[404.0]", not_found, true },
  { "403", not_found, false }, { "[403, 405]", not_found, false },
  { "404", '{"error": {"type": "NotFound"}}', false }, { "404", '{"error": {"type": "X", "status": 404.5}}', false },
  { "204", '{"output": {}, "status": 204}', true }, { "[200, 204]", '{"output": {}, "status": 204}', true },
  { "200", '{"output": {}, "status": 204}', false }, { "200", '{"output": {}}', false },
  { "200", '{"output": {"status": 200}}', false }, { "999", '{"error": {"type": "X", "status": 999}}', true },
}

---What a recipe may not say, and what bide finds there.
local refused = {
  { "false", "matcher.status: expected an HTTP status, 100 to 999, found false" },
  { "0", "matcher.status: expected an HTTP status, 100 to 999, found 0" },
  { "99", "matcher.status: expected an HTTP status, 100 to 999, found 99" },
  { "1000", "matcher.status: expected an HTTP status, 100 to 999, found 1000" },
  { "-404", "matcher.status: expected an HTTP status, 100 to 999, found -404" },
  { "404.5", "matcher.status: expected an HTTP status, 100 to 999, found 404.5" },
  { '"404"', 'matcher.status: expected an HTTP status, 100 to 999, found "404"' },
  { "{}", "matcher.status: expected at least one HTTP status, found an empty list" },
  { '{ 200, "404" }', 'matcher.status[2]: expected an HTTP status, 100 to 999, found "404"' },
  { "{ 200, 1000 }", "matcher.status[2]: expected an HTTP status, 100 to 999, found 1000" },
  { "{ { 200 } }", "matcher.status[1]: expected an HTTP status, 100 to 999, found a list" },
  { "{ least = 200 }", "matcher.status: expected a list of HTTP statuses, found a table" },
  { "{ 200, least = 1 }", "matcher.status: expected a list of HTTP statuses, found the member least in it" },
}

local recipe = [[
local http = require "bide.http"
return {
  GetThing = {
    call = function(input) return http.get(input.url) end,
    waitable = {
      ThingGone = { minDelay = 1, documentation = "Waits until a thing is gone.", acceptors = {
        { state = "success", matcher = { status = 404 } },
        { state = "failure", matcher = { status = { 410, 500 } } },
      } },
      ThingMade = { minDelay = 0.01, maxDelay = 0.01, acceptors = { { state = "success", matcher = { status = 201 } } } },
    },
  },
}
]]

describe("the status matcher", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  for _, row in ipairs(rows) do
    local status, line, matches = table.unpack(row)
    it(("%s %s %s"):format(status, matches and "matches" or "does not match", line), function()
      local outcome = workspace:outcome(workspace:replay_of(
        ('[{"state": "success", "matcher": {"status": %s}}, {"state": "retry", "matcher": {"success": false}}]')
          :format(status), { line }, "--max-wait", "1m", "--max-attempts", "1"))
      assert.equal(matches and "acceptor" or "maxAttempts", outcome.reason)
    end)
  end

  for _, row in ipairs(refused) do
    it("refuses " .. row[1], function()
      workspace:write("wrong.lua", (recipe:gsub("status = 404", "status = " .. row[1])))
      workspace:bide({ "list", "wrong.lua" }):says(2, "ThingGone: acceptors[1]." .. row[2])
    end)
  end

  it("refuses what is no status in a bare trait value, too", function()
    for _, value in ipairs { "null", "[]", "1000", '"404"', '{"404": true}' } do
      local words = workspace:replay_of(('[{"state": "success", "matcher": {"status": %s}}]'):format(value),
        { '{"output": 1}' }, "--max-wait", "1m")
      local done = workspace:bide(words)
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.truthy(done.stderr:find("acceptors[1].matcher.status", 1, true), done.stderr)
    end
  end)

  it("is told by the outcome", function()
    local function message(...)
      workspace:write("answers.jsonl", table.concat({ ... }, "\n") .. "\n")
      return workspace:outcome({ "replay", "recipe.lua", "ThingGone", "answers.jsonl", "--max-wait", "1m",
        "--max-attempts", "2" }).message
    end
    assert.equal("ThingGone succeeded after 1 attempt in 0 s: the status is 404, with the error NotFound (404): no such thing",
      message(not_found))
    assert.equal("ThingGone failed after 2 attempts in 1 s: the status is 410",
      message('{"output": {}, "status": 200}', '{"output": {}, "status": 410}'))
    assert.equal("ThingGone gave up after 2 attempts in 1 s (--max-attempts 2); last seen: the status is 202",
      message('{"output": {}, "status": 202}'))
    assert.equal("ThingGone gave up after 2 attempts in 1 s (--max-attempts 2); last seen: the operation succeeded",
      message '{"output": {}}')
  end)

  it("looks at what a service answers", function()
    local asked = 0
    local server = Server.start(function()
      asked = asked + 1
      return { status = ({ 202, 404, 201 })[asked] }
    end)
    finally(function() server:close() end)
    local words = { "run", "recipe.lua", "ThingMade", "url=" .. server.url, "--max-wait", "50s" }
    local outcome = workspace:outcome(words)
    assert.same({ "failure", "unmatchedError" }, { outcome.state, outcome.reason })
    outcome = workspace:outcome(words)
    assert.same({ "success", 1 }, { outcome.state, outcome.acceptor })
    assert.matches(": the status is 201$", outcome.message)
  end)

  it("is no part of the Smithy trait, and says so", function()
    local loaded = assert(bide.load(workspace.path .. "/recipe.lua"))
    local gone = loaded.ThingGone
    assert.is_false(gone.portable)
    assert.same({ "acceptors[1].matcher.status", "acceptors[2].matcher.status" }, gone.unportable)
  end)

  it("is listed and planned like any other", function()
    local list = workspace:bide { "list", "recipe.lua" }
    assert.same({ 0, true }, { list.code, list.stdout:find("ThingGone", 1, true) ~= nil })
    local plan = workspace:bide { "plan", "recipe.lua", "ThingGone", "--max-wait", "10s", "--seed", "1" }
    assert.same({ 0, true }, { plan.code, plan.stdout:find("Polls: at least", 1, true) ~= nil })
  end)

  it("of a line that answers a replay is checked", function()
    for _, line in ipairs { '{"output": 1, "status": "404"}', '{"output": 1, "status": 1000}', '{"output": 1, "status": 404.5}',
      '{"error": {"type": "X"}, "status": 404}' } do
      local done = workspace:bide(workspace:replay_of('[{"state": "success", "matcher": {"success": true}}]', { line },
        "--max-wait", "1m"))
      assert.same({ 2, true }, { done.code, done.stderr:find("answers.jsonl:1: status: ", 1, true) ~= nil }, done.stderr)
    end
  end)
end)
