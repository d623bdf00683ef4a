---Of a member that an answer gave twice the last value counted in silence, and a condition held by it. RFC 8259 leaves open
---which one counts, and a proxy or another reader may see the first: a wait that asks for such a member cannot know.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local DIFFERENT = '{"status":"DOWN","n":1,"list":[{"ready":true}],"status":"UP"}'
local EQUAL = '{"status":"UP","n":1,"status":"UP"}'
local WITHIN = '{"list":[{"ready":false,"ready":true},{"ready":true}],"status":"UP"}'
local COMPARED = '{"wanted":{"ready":true},"found":{"ready":false,"ready":true},"old":{"n":2},"list":["a"]}'

---A body, further words, and the exit code.
local rows = {
  { DIFFERENT, 4, "--until", "status=UP" },
  { DIFFERENT, 4, "--until", "n == `1` && status != 'x'" },
  { DIFFERENT, 4, "--until", '"status"' .. " == 'UP'" },
  { DIFFERENT, 4, "--fail", "status=UP" },
  { DIFFERENT, 4, "path=status", "expect=UP" },
  { DIFFERENT, 4, "path=status", "failed=DOWN" },
  { DIFFERENT, 0, "path=n", "expect:=1" },
  { DIFFERENT, 0, "--until", "n == `1` && list[0].ready" },
  { DIFFERENT, 0, "--until", "contains(['status'], 'status') && n == `1`" },
  { DIFFERENT, 0 },
  { EQUAL, 0, "--until", "status=UP" },
  { WITHIN, 4, "--until", "list && !(list[?!ready])" },
  { WITHIN, 0, "--until", "status=UP" },
  { '{"\\u0000":1,"\\u0000":2,"status":"UP"}', 4, "--until", "status=UP" },
  { '{"é":"DOWN","é":"UP"}', 4, "--until", '"é"=UP' },
  { '{"x-status":"DOWN","x-status":"UP"}', 4, "--until", '"x-status"' .. " == 'UP'" },
  { DIFFERENT, 4, "--until", [["st\u0061tus" == 'UP']] },
  { DIFFERENT, 4, "--until", "contains(*, 'UP')" },
  { DIFFERENT, 4, "--until", "contains(@.values(@), 'UP')" },
  { DIFFERENT, 4, "--until", [[contains(to_string(@), '"status":"UP"')]] },
  { WITHIN, 4, "--until", 'contains(list, `{"ready":true}`)' },
  { WITHIN, 4, "--until", "list[].[*][] | [?@]" },
  { WITHIN, 0, "--until", "list[*] | length(@) == `2`" },
  { '{"values":[1],"n":1,"n":2}', 0, "--until", "values[*]" },
  { COMPARED, 4, "--until", "@.wanted == @.found" },
  { COMPARED, 4, "--until", "@.wanted != @.old" },
  { COMPARED, 4, "--until", "contains([@.found], @.wanted)" },
  { COMPARED, 0, "--until", "contains(@.list, 'a') && contains('abc', @.list[0])" },
  { COMPARED, 0, "--until", "old.n == `2` && 'a' != @.old" },
}

---The body of an error, its headers, and the type that it has for acceptors.
local errors = {
  { '{"code":"AccessDenied","code":"NotFound"}', nil, "InvalidResponse" },
  { '{"__type":"ns#Throttling","__type":"ns#NotFound"}', nil, "InvalidResponse" },
  { '{"error":{"code":"AccessDenied"},"error":{"code":"NotFound"}}', nil, "InvalidResponse" },
  { '{"error":{"type":"AccessDenied","type":"NotFound"}}', nil, "InvalidResponse" },
  { '{"code":"NotFound","code":"NotFound"}', nil, "NotFound" },
  { '{"__type":"NotFound","code":1,"code":2}', nil, "NotFound" },
  { '{"code":"NotFound","id":1,"id":2}', nil, "NotFound" },
  { '{"code":"AccessDenied","code":"Throttling"}', "NotFound", "NotFound" },
}

describe("a member that an answer has twice", function()
  local workspace = Workspace.of_block()
  local body
  local server = Server.of_block(function() return { headers = { ["Content-Type"] = "application/json" }, body = body } end)

  for number, row in ipairs(rows) do
    it(("counts as it should in row %d, %s"):format(number, table.concat(row, " ", 3)), function()
      body = row[1]
      local done = workspace:bide { "http", server.url, "--max-attempts", "2", "--max-wait", "50s", "--quiet", "--output",
        "json", table.unpack(row, 3) }
      assert.equal(row[2], done.code, done.stdout .. done.stderr)
      local outcome = json.decode(done.stdout)
      if row[2] == 4 then
        assert.equal("InvalidResponse", outcome.error.type)
        assert.matches("is there twice in the answer, with different values", outcome.error.message, 1, true)
      end
      local note = outcome.history[1].note or ""
      assert.equal(body ~= EQUAL, note:find("there twice was read as the last value", 1, true) ~= nil, note)
    end)
  end

  it("is read by no function of a script", function()
    workspace:write("custom.lua", [[
      local bide = require "bide"
      bide.jmespath.register("is_up", { "any", returns = "boolean" }, function(answer) return answer.status == "UP" end)
      local function ready(matcher)
        return { minDelay = 0.01, acceptors = { { state = "success", matcher = matcher } } }
      end
      return { GetThing = {
        call = function(input) return require("bide.http").get(input.url) end,
        waitable = {
          ThingReady = ready { lua = function(seen) return seen.output and seen.output.status == "UP" end },
          ThingUp = ready { output = { path = "is_up(@)", comparator = "booleanEquals", expected = "true" } },
        },
      } }]])
    for _, waiter in ipairs { "ThingReady", "ThingUp" } do
      for code, answer in pairs { [3] = DIFFERENT, [0] = EQUAL } do
        body = answer
        local done = workspace:bide { "run", "custom.lua", waiter, "url=" .. server.url, "--max-wait", "50s", "--quiet" }
        assert.equal(code, done.code, waiter .. done.stdout .. done.stderr)
      end
    end
  end)

  it("names no type of an error", function()
    local header
    local failing = Server.start(function()
      return { status = 403, headers = { ["Content-Type"] = "application/json", ["X-Amzn-Errortype"] = header }, body = body }
    end)
    workspace:write("gone.lua", ([[
      return { GetThing = {
        call = function() return require("bide.http").get %q end,
        waitable = { ThingGone = { acceptors = { { state = "success", matcher = { errorType = "NotFound" } } } } },
      } }]]):format(failing.url))
    for _, row in ipairs(errors) do
      local wanted
      body, header, wanted = table.unpack(row, 1, 3)
      local done = workspace:bide { "run", "gone.lua", "--max-wait", "50s", "--quiet", "--output", "json" }
      local outcome = json.decode(done.stdout)
      assert.same({ wanted, 403, wanted == "NotFound" and 0 or 3 }, { outcome.error.type, outcome.error.status, done.code }, body)
    end
    failing:close()
  end)

  it("makes no failure of the operation, which answered", function()
    body = DIFFERENT
    workspace:write("gone.lua", ([[
      local stuck = { output = { path = "status", comparator = "stringEquals", expected = "STUCK" } }
      return { GetThing = {
        call = function() return require("bide.http").get %q end,
        waitable = { ThingGone = { acceptors = {
          { state = "failure", matcher = stuck }, { state = "success", matcher = { success = false } } } } },
      } }]]):format(server.url))
    local done = workspace:bide { "run", "gone.lua", "--max-wait", "50s", "--quiet", "--record", "gone.jsonl" }
    assert.equal(3, done.code, done.stderr .. done.stdout)
    done = workspace:bide { "replay", "gone.lua", "ThingGone", "gone.jsonl", "--max-wait", "50s", "--quiet" }
    assert.equal(3, done.code, done.stderr .. done.stdout)
  end)

  it("is warned of, where an operation made an object of its own out of the answer", function()
    workspace:write("made.lua", ([[
      local function done(state) return { state = "success", matcher = { output = {
        path = "state", comparator = "stringEquals", expected = state } } } end
      return { GetThing = {
        call = function() return { state = require("bide.http").get(%q):json().status } end,
        waitable = { ThingUp = { acceptors = { done "UP", done "OK" } } },
      } }]]):format(server.url))
    local warning = "ThingUp: status is there twice in the answer, with different values, and the operation may have read either"
    body = DIFFERENT
    workspace:bide({ "run", "made.lua", "--max-wait", "50s", "--quiet" }):says(0, warning)
    body = '{"status":"OK","status":"OK"}'
    assert.equal("", workspace:bide({ "run", "made.lua", "--max-wait", "50s", "--quiet" }).stderr)
  end)

  it("is seen in the output of a command", function()
    local done = workspace:bide { "command", ("printf %%s '%s'"):format(DIFFERENT), "path=status", "expect=UP",
      "--max-attempts", "1", "--max-wait", "50s", "--quiet" }
    done:says(4, "status is there twice in the answer, with different values")
  end)

  it("is seen in an answer that an operation returns, and that a model reads", function()
    body = DIFFERENT
    workspace:write("things.lua", ([[
      return { GetThing = {
        call = function() return require("bide.http").get %q end,
        waitable = { ThingUp = { minDelay = 0.05, acceptors = { { state = "success",
          matcher = { output = { path = "status", comparator = "stringEquals", expected = "UP" } } } } } },
      } }]]):format(server.url))
    local done = workspace:bide { "run", "things.lua", "--max-wait", "50s", "--quiet" }
    done:says(3, "InvalidResponse (200): status is there twice")
    body = '{"Table":{"TableStatus":"CREATING","TableStatus":"ACTIVE"}}'
    done = workspace:bide { "aws", "dynamodb", "table-exists", "TableName=shop", "--endpoint", server.url, "--region",
      "eu-west-1", "--no-sign-request", "--max-wait", "1m", "--quiet" }
    done:says(3, "TableStatus is there twice")
  end)
end)
