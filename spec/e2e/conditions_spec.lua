---What a condition means while the wait runs: --until, --fail and the inputs that say what to wait for.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

---Each row is a line of the shell after `bide command`, the exit code, and what the message has in it.
---@type { printed: string, words: string[], code: integer, says: string? }[]
local rows = {
  -- a text or a number is no yes for a success
  { '{"status":"DOWN"}', { "--until", "status" }, 4,
    'status is the text "DOWN": write status=DOWN, or status != `null` for its presence' },
  { '{"n":3}', { "--until", "n" }, 4, "n is the number 3: write n=3, or n != `null` for its presence" },
  { '{"a":{"b":"x"}}', { "--until", "a.c || a.b" }, 4, "write a.c || a.b=x, or (a.c || a.b) != `null` for its presence" },
  { '{"status":"FAILED"}', { "path=status" }, 4,
    [[status is the text "FAILED": write path='status' expect=FAILED, or path='status != `null`' for its presence]] },
  { '{"ready":"false"}', { "path=ready" }, 4 }, { '{"n":0}', { "path=n" }, 4 }, { '{"n":1}', { "path=n" }, 4 },
  { '{"ready":true}', { "path=ready" }, 0 }, { '{"items":[0]}', { "path=items" }, 0 }, { '{"items":[]}', { "path=items" }, 4 },
  { '{"status":"DOWN"}', { "--until", "status=DOWN" }, 0 }, { '{"status":"DOWN"}', { "--until", "status != `null`" }, 0 },
  -- all but what means no is a yes for a failure
  { '{"error":"disk full"}', { "--fail", "error" }, 1 }, { '{"errors":["a"]}', { "--fail", "errors" }, 1 },
  { '{"errors":3}', { "--fail", "errors" }, 1 }, { '{"errors":0}', { "--fail", "errors" }, 0 },
  { '{"failed":"No"}', { "--fail", "failed" }, 0 }, { '{"failed":"none"}', { "--fail", "failed" }, 0 },
  { '{"failed":"OFF"}', { "--fail", "failed" }, 0 }, { '{"failed":"yes"}', { "--fail", "failed" }, 1 },
  { '{"failed":[]}', { "--fail", "failed" }, 0 }, { '{"failed":null}', { "--fail", "failed" }, 0 },
  -- no answer is no yes
  { "<html>", { "--until", "!pending" }, 4, "the command printed no JSON" },
  { "<html>", { "path=!pending" }, 4, "the command printed no JSON" },
  { "<html>", { "--until", "not_null(x, `true`)" }, 4 },
  { "", { "path=error", "expect:=null" }, 4, "the command printed no JSON" },
  { "<html>", { "--fail", "state=failed" }, 4, "the command printed no JSON" }, { "<html>", {}, 0 }, { "", {}, 0 },
  { "5", { "--until", "!pending" }, 4, "the answer is a number, which has no members" },
  { '"ok"', { "path=!pending" }, 4, "the answer is a text, which has no members" },
  { "null", { "--until", "status != 'starting'" }, 4, "the answer is null, which has no members" },
  { "[1,2]", { "path=ready != 'no'" }, 4, "the answer is a list, which has no members" },
  { "5", { "--fail", "state=failed" }, 4, "the answer is a number, which has no members" },
  { "5", { "--until", "@ == `5`" }, 0 }, { "[1]", { "--until", "length(@) == `1`" }, 0 },
  { '{"error":null}', { "path=error", "expect:=null" }, 0 },
  -- all that was asked must hold
  { '{"a":"1","b":"0"}', { "--until", "a=1", "--until", "b=1" }, 4, '; unmet: --until "b=1"' },
  { '{"a":"1","b":"1"}', { "--until", "a=1", "--until", "b=1" }, 0, 'a is "1", b is "1" (--until "a=1", --until "b=1")' },
  { '{"a":"1","b":"1"}', { "--until", "a=1", "--fail", "z=1", "--fail", "b=1" }, 1, '(--fail "b=1")' },
  { '{"status":"ok","n":3}', { "path=status", "expect=bad", "--until", "n=3" }, 4, 'status is "ok", expected "bad"' },
  { '{"status":"ok","n":3}', { "path=status", "expect=ok", "--until", "n=3" }, 0 },
  { '{"status":"ok","n":3}', { "path=status", "expect=ok", "--until", "n=4" }, 4, '; unmet: --until "n=4"' },
  { '{"ready":true,"n":3}', { "path=ready", "--until", "n=3" }, 0 },
  { '{"ready":false,"n":3}', { "path=ready", "--until", "n=3" }, 4 },
  { '{"n":3}', { "matches=x", "--until", "n=3" }, 4 }, { '{"n":3}', { "expect=n", "--until", "n=3" }, 0 },
  -- members that no answer had
  { '{"n":3}', { "--until", "!pending" }, 4,
    "!pending does not count: no answer has had the member pending; --allow-missing accepts it" },
  { '{"n":3}', { "path=!pending" }, 4, "no answer has had the member pending" },
  { '{"n":3}', { "--until", "!pending", "--allow-missing" }, 0 }, { '{"n":3}', { "path=!pending", "--allow-missing" }, 0 },
  { '{"n":3}', { "--until", "state != 'starting'" }, 4, "no answer has had the member state" },
  { '{"n":3}', { "--until", "pending == `null`" }, 0 },
  { '{"n":3}', { "path=!pending", "expect=true" }, 4, "no answer has had the member pending" },
  { '{"n":3}', { "path=state != 'x'", "expect:=true" }, 4, "no answer has had the member state" },
  { '{"n":3}', { "path=!pending", "expect=true", "--allow-missing" }, 0 },
  { '{"n":3}', { "path=pending", "expect:=null" }, 0 }, { '{"n":0}', { "path=n", "expect=0" }, 0 },
  -- what is counted, listed or compared by a member that no answer had
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?stat=='p']) == `0`" }, 4,
    "length(jobs[?stat=='p']) == `0` does not count: no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?stat=='p']) == `0`", "--allow-missing" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?state=='q']) == `0`" }, 0 },
  { '{"jobs":[]}', { "--until", "length(jobs[?state=='p']) == `0`" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?stat=='p'])=0" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?state=='q'])=0" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "path=length(jobs[?stat=='p'])", "expect=0" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "path=length(jobs[?state=='q'])", "expect=0" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(jobs[?stat=='p']) < `1`" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "`0` >= length(jobs[?stat=='p'])" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "jobs[?stat=='p'] | length(@) == `0`" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "jobs[?stat=='p'] == `[]`" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "contains(jobs[*].stat, 'p') == `false`" }, 4, "had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "(stat == 'p') == `false`" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "(stat == 'p' || jobs) == `true`" }, 4 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "length(items || jobs) == `1`" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "type(stat) == 'null'" }, 0 },
  -- members behind a pipe, a reference, a call and an object
  { '{"jobs":[{"id":"a","state":"p"}]}', { "--until", "jobs[?id=='a'] | [0].stat != 'q'" }, 4, "answer has had the member stat" },
  { '{"jobs":[{"id":"a","state":"p"}]}', { "--until", "jobs[?id=='a'] | [0].state != 'q'" }, 0 },
  { '{"jobs":[{"id":"a","state":"p"}]}', { "--until", "jobs[*] | [?id=='a'] | !([0].stat)" }, 4, "had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "!contains(map(&stat, jobs), 'p')" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "!contains(map(&state, jobs), 'q')" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "!(sort_by(jobs, &state)[?stat=='p'])" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "!(sort_by(jobs, &state)[?state=='q'])" }, 0 },
  { '{"jobs":[{"state":"p"}]}', { "--until", "{x: jobs} | !(x[?stat=='p'])" }, 4, "no answer has had the member stat" },
  { '{"jobs":[{"state":"p"}]}', { "--until", "{x: jobs} | !(x[?state=='q'])" }, 0 },
  { '{"status":"x"}', { "--fail", "satus=failed" }, 0,
    'warning: --fail "satus=failed": no answer had a member satus; did you mean status?' },
  { '{"jobs":[{"state":"failed"}]}', { "--fail", "jobs=failed" }, 0,
    'warning: --fail "jobs=failed" wants the text "failed", jobs is the list [{"state":"failed"}]\n' },
  { '{"state":"FAILED"}', { "--fail", "state=failed" }, 0,
    'warning: --fail "state=failed" wants the text "failed", state is the string "FAILED"\n' },
  { '{"n":3}', { "--fail", "a.b=failed" }, 0, 'warning: --fail "a.b=failed": no answer had a member a\n' },
  { '{"jobs":[{"state":"x"}]}', { "--fail", "jobs[?stat=='failed']" }, 0, "no answer had a member stat; did you mean state?" },
  -- lists with false in them
  { '{"jobs":[{"ready":false}]}', { "--until", "jobs[*].ready" }, 0,
    "warning: jobs[*].ready is the list [false]: a list that is not empty is a yes, whatever is in it; LIST" },
  { '{"jobs":[{"ready":true},{"ready":null},{"ready":false}]}', { "path=jobs[*].ready" }, 0, "is the list [true,false]: a list" },
  { '{"jobs":[{"ready":true}]}', { "--until", "jobs && !(jobs[?!ready])" }, 0 },
  { '{"jobs":[{"ready":true},{}]}', { "--until", "jobs && !(jobs[?!ready])" }, 4 },
  { '{"jobs":[]}', { "--until", "jobs && !(jobs[?!ready])" }, 4 },
  -- type errors
  { '{"n":3}', { "--fail", "contains(n, `1`)" }, 0,
    'warning: --fail "contains(n, `1`)": contains(n, `1`) cannot be evaluated: invalid-type' },
  { '{"n":3}', { "--until", "contains(n, `1`)" }, 4, "last seen: contains(n, `1`) cannot be evaluated: invalid-type" },
  { '{"a":1}', { "--until", "a > `18446744073709551616`" }, 4, "numbers from 2^64 on are compared as doubles" },
}

describe("a condition", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    local printed, words, code, says = table.unpack(row)
    it(("%s on %s: %d"):format(table.concat(words, " "), printed, code), function()
      workspace:write("printed", printed)
      local all = { "command", "cat printed", "--max-wait", "30s", "--max-attempts", "2", "--quiet" }
      local done = workspace:bide(table.move(words, 1, #words, #all + 1, all))
      local text = done.stdout .. done.stderr
      assert.equal(code, done.code, text)
      if says then assert.matches(says, text, 1, true) end
    end)
  end

  for _, printed in ipairs { '{"n":3}', '{"n":3,"satus":1}' } do
    it("of --fail is warned of in JSON too, and only if no answer had the member: " .. printed, function()
      workspace:write("printed", printed)
      local outcome, done = workspace:outcome { "command", "cat printed", "--max-wait", "50s", "--fail", "satus=failed" }
      local wanted = printed == '{"n":3}' and { '--fail "satus=failed": no answer had a member satus' } or nil
      assert.same({ 0, wanted }, { done.code, outcome.warnings })
    end)
  end

  it("is not warned of where all of a list is true", function()
    workspace:write("printed", '{"jobs":[{"ready":true}]}')
    local done = workspace:bide { "command", "cat printed", "--max-wait", "50s", "-q", "--until", "jobs[*].ready" }
    assert.same({ 0, "" }, { done.code, done.stderr })
  end)

  it("is not warned of with --allow-missing", function()
    workspace:write("printed", '{"n":3}')
    local words = { "command", "cat printed", "--max-wait", "50s", "-q", "--fail", "satus=failed", "--allow-missing" }
    local done = workspace:bide(words)
    assert.same({ 0, "" }, { done.code, done.stderr })
  end)

  it("of a list of waits holds together with those before the list", function()
    workspace:write("printed", '{"a":"1","b":"0"}')
    workspace:write("waits.json", '[{"recipe":"command","input":{"run":"cat printed"},"until":["a=1","b=1"]}]')
    assert.equal(4, workspace:bide({ "run", "waits.json", "--max-wait", "30s", "--max-attempts", "2", "-q" }).code)
    workspace:write("waits.json", '[{"recipe":"command","input":{"run":"cat printed"},"until":["a=1"]}]')
    assert.equal(0, workspace:bide({ "run", "waits.json", "--max-wait", "30s", "--max-attempts", "2", "-q" }).code)
    assert.equal(4, workspace:bide({ "run", "--until", "b=1", "waits.json",
      "--max-wait", "30s", "--max-attempts", "2", "-q" }).code)
  end)

  it("of an input holds for the lines of a list that have it", function()
    workspace:write("printed", '{"a":"1","b":"0"}')
    workspace:write("each.jsonl", '{"run":"cat printed","path":"b","expect":"1"}\n{"run":"cat printed"}\n')
    local done = workspace:bide { "command", "--each", "each.jsonl", "--until", "a=1",
      "--max-wait", "30s", "--max-attempts", "2", "-q" }
    done:writes(4, "1 of 2 waits succeeded")
  end)

  it("excludes what contradicts it", function()
    for _, words in ipairs {
      { "tcp", "127.0.0.1:1", "--invert", "--until", "!x" }, { "tcp", "PortClosed", "127.0.0.1:1", "--until", "!x" },
      { "file", "FileGone", "x", "--until", "!x" }, { "http", "ServiceDown", "127.0.0.1:1", "--until", "!x" },
      { "file", "x", "--invert", "--until", "size" },
    } do
      local done = workspace:bide(table.move({ "--max-wait", "50s" }, 1, 2, #words + 1, words))
      assert.equal(2, done.code, table.concat(words, " "))
      assert.matches("%-%-until", done.stderr)
    end
  end)

  it("is explained alone, and why it could not be asked", function()
    local function explain(printed, ...)
      workspace:write("printed", printed)
      return workspace:bide({ "command", "cat printed",
        "--max-wait", "30s", "--max-attempts", "2", "-q", "--explain", ... }).stderr
    end
    local text = explain('{"a":"1","b":"0"}', "--until", "a=1", "--until", "b=1")
    assert.matches('acceptor 1, success, --until "a=1": yes, a is "1"\n', text, 1, true)
    assert.matches('acceptor 1, success, --until "b=1": no, b is "0"\n', text, 1, true)
    text = explain("<html>", "--until", "!a", "--until", "!b")
    assert.matches('--until "!a": no, !a is true\n', text, 1, true)
    assert.matches("\n  the command printed no JSON\n", text, 1, true)
    assert.matches("no answer has had the member a; --allow-missing accepts it\n", explain('{"n":1}', "--until", "!a"), 1, true)
    text = explain('{"n":1}', "--until", "n=1")
    assert.matches('acceptor 1, success, --until "n=1": yes, n is 1\n', text, 1, true)
    assert.matches("acceptor 2, failure, an answer that the input calls failed: no", text, 1, true)
  end)

  it("is listed for the waiters that take it", function()
    workspace:bide({ "list", "tcp", "--until", "x" }):prints(0, 'acceptor 1: success  --until "x"')
  end)

  it("is counted beside the count of files", function()
    workspace:write("printed", "x")
    local words = { "file", "FilesCounted", "print*", "count=100", "--until", "first",
      "--max-wait", "30s", "--max-attempts", "2", "-q" }
    assert.equal(4, workspace:bide(words).code)
  end)

  it("is looked at only in the bodies of errors that are answers, and that is said", function()
    local server = Server.start(function() return { status = 503, body = '{"status":"DOWN"}' } end)
    for _, words in ipairs { { "--fail", "status=DOWN" }, { "--until", "status=UP" }, { "path=status", "expect=UP" } } do
      local all = { "http", server.url, "--max-wait", "30s", "--max-attempts", "2", "-q" }
      local done = workspace:bide(table.move(words, 1, #words, #all + 1, all))
      done:writes(4, "to look into its body, take it for an answer: status=2xx,503")
    end
    local done = workspace:bide { "http", server.url, "status=2xx,503", "--fail", "status=DOWN",
      "--max-wait", "30s", "--max-attempts", "2", "-q" }
    assert.equal(1, done.code)
    server:close()
  end)

  it("is a retry over HTTP where there is no JSON, though the answer is a good one", function()
    local answer
    local server = Server.start(function() return answer end)
    for _, body in ipairs { "<html>maintenance</html>", "", "5", "null", '"ok"', "[1,2]" } do
      for _, words in ipairs { { "--until", "!x" }, { "path=!x" }, { "--fail", "x=1" }, { "path=x", "failed=1" } } do
        answer = { headers = { ["Content-Type"] = body:find "html" and "text/html" or "application/json" }, body = body }
        local all = { "http", server.url, "--max-attempts", "1", "--max-wait", "50s", "-q" }
        local done = workspace:bide(table.move(words, 1, #words, #all + 1, all))
        assert.equal(4, done.code, body .. " " .. words[#words])
      end
    end
    answer = { body = "<html>" }
    assert.equal(0, workspace:bide({ "http", server.url, "--max-wait", "50s", "-q" }).code)
    server:close()
  end)

  it("of failed with a path may be true, for all that means yes", function()
    local answer
    local server = Server.start(function() return { body = answer } end)
    for value, code in pairs { ['"disk full"'] = 1, ["true"] = 1, ["3"] = 1, ['["a"]'] = 1, ['"No"'] = 4, ["0"] = 4, ["[]"] = 4,
      ["null"] = 4, ["false"] = 4 } do
      answer = ('{"failed":%s}'):format(value)
      local done = workspace:bide { "http", server.url, "path=failed", "failed=true", "expect=x", "--max-attempts", "1",
        "--max-wait", "50s", "-q" }
      assert.equal(code, done.code, value)
    end
    server:close()
  end)
end)

local matcher_recipe = [[
local function rising(context)
  local memory, value = context.memory, context.output and context.output.value
  memory.good = value and value >= 60 and (memory.good or 0) + 1 or 0
  if memory.good >= 2 then return true end
  return false, ("%d of 2 good values"):format(memory.good)
end
return { Get = { call = function(input) return { value = input.value } end, waitable = { Steady = {
  minDelay = 0.01, maxDelay = 0.01, acceptors = { { state = "success", matcher = { lua = rising } } } } } } }]]

describe("a matcher of a script", function()
  local workspace = Workspace.of_block { ["steady.lua"] = matcher_recipe }

  it("has a memory of its own for each wait, and says why it did not match", function()
    workspace:write("each.jsonl", '{"value":90}\n{"value":10}\n{"value":60}\n')
    local done = workspace:bide { "run", "steady.lua", "--each", "each.jsonl", "--max-wait", "100ms", "-q", "--output", "json" }
    local outcome = require("bide.core").json.decode(done.stdout)
    local attempts = {}
    for position, one in pairs(outcome.outcomes or outcome.waits) do attempts[tonumber(position) or position] = one.attempts end
    assert.same({ 2, 2 }, { attempts[1], attempts[3] })
    assert.matches("last seen: 0 of 2 good values", done.stdout, 1, true)
  end)

  it("says it in progress, and in --explain", function()
    local done = workspace:bide { "run", "steady.lua", "value:=90", "--max-wait", "50s", "--explain" }
    assert.equal(0, done.code)
    assert.matches("attempt 1, .*: 1 of 2 good values, next", done.stderr)
    assert.matches("a custom matcher: no, it says: 1 of 2 good values", done.stderr, 1, true)
  end)
end)
