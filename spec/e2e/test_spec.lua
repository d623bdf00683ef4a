---`bide test`: cases of recipes on the virtual clock.

local json = require("bide.core").json
local process = require "spec.support.process"
local Workspace = require "spec.support.workspace"

local recipe = [[
local http = require "bide.http"
local calls = 0
return { GetJob = {
  input = { id = { type = "string" } },
  call = function(input)
    calls = calls + 1
    return http.post("http://jobs/" .. input.id, { json = { ask = calls }, bearer = "s3cret", headers = { ["X-A"] = "b" } })
  end,
  waitable = { JobDone = { minDelay = 1, maxDelay = 8, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
    { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
  } } },
} }]]

describe("bide test", function()
  local workspace = Workspace.of_each { ["jobs.lua"] = recipe }

  ---Writes cases, without the parts that all of them have, and runs them.
  local function run(cases, ...)
    workspace:write("jobs.wait.lua", ('local null = require("bide").null\nreturn { recipe = "./jobs.lua", %s }'):format(cases))
    local done = workspace:bide { "test", "jobs.wait.lua", ... }
    return done, done.stdout .. done.stderr
  end

  local function case(members)
    return ('{ name = "c", waiter = "JobDone", input = { id = "7" }, %s },'):format(members)
  end

  local two = [[answers = { { output = { state = "queued" } }, { output = { state = "done" } } }, ]]

  local function says(text, words) assert.truthy(text:find(words, 1, true), text) end

  it("passes cases that are as expected", function()
    local done, text = run(case(two .. [[expect = { state = "success", reason = "acceptor", acceptor = 1, attempts = 2,
      delays = { 1 }, exit_code = 0, message = "succeeded after 2", matches = "^JobDone .*done\"$", output = { state = "done" },
      requests = 0, events = { { attempt = 1, state = "retry", delay = 1 }, { state = "success" } } }]]))
    assert.equal(0, done.code, text)
    assert.equal("1 case, 0 failed; 1 of 3 acceptors decided; 0.0 virtual hours\n", done.stdout)
  end)

  local differences = {
    { [[state = "failure", attempts = 2]], 'state: expected "failure", found "success"' },
    { [[state = "success", attempts = 3]], "attempts: expected 3, found 2" },
    { [[state = "success", delays = { 2 }]], "delays: after attempt 1 expected 2 s, found 1 s" },
    { [[state = "success", delays = {}]], "delays: after attempt 1 expected the end, found 1" },
    { [[state = "success", attempts = 2, reason = "maxWait"]], 'reason: expected "maxWait", found "acceptor"' },
    { [[state = "success", attempts = 2, acceptor = 2]], "acceptor: expected 2, found 1" },
    { [[state = "success", attempts = 2, exit_code = 1]], "exit_code: expected 1, found 0" },
    { [[state = "success", attempts = 2, message = "no"]], 'message: expected "no" in it, found "JobDone succeeded' },
    { [[state = "success", attempts = 2, matches = "^no"]], 'matches: expected a match of "^no"' },
    { [[state = "success", attempts = 2, output = { a = 1 }]], "output.a: expected 1, found nothing" },
    { [[state = "success", attempts = 2, requests = 1]], "requests: expected 1, found 0" },
    { [[state = "success", attempts = 2, notes = { "x" }]], 'notes[1]: expected "x" in a note' },
    { [[state = "success", attempts = 2, events = { { attempt = 2, state = "retry" } }]], "events[1]" },
  }
  for _, row in ipairs(differences) do
    it("tells a difference of " .. row[2]:match "^%a+", function()
      local done, text = run(case(two .. ("expect = { %s }"):format(row[1])))
      assert.equal(1, done.code)
      says(text, "jobs.wait.lua: c: " .. row[2])
      says(text, "  attempt 1 at 0 s: retry, no acceptor matched, next in 1 s\n  attempt 2 at 1 s: success by acceptor 1\n")
      says(text, "1 case, 1 failed;")
    end)
  end

  local function exchange(request, response)
    return ('{ request = { method = "POST", url = "http://jobs/7"%s }, response = { %s } }'):format(request, response)
  end

  it("really sends, and compares the requests", function()
    local done, text = run(case(("exchanges = { %s, %s, %s }, %s"):format(
      exchange(', json = { ask = 1 }, headers = { authorization = "Bearer s3cret", ["x-a"] = "b" }',
        'json = { state = "queued" }'),
      exchange(', body = "{\\"ask\\":2}"', 'status = 503, headers = { ["Retry-After"] = "4" }'),
      exchange("", 'json = { state = "done" }'),
      'expect = { state = "success", requests = 3, delays = { 1, 4 } }')))
    assert.equal(0, done.code, text)
  end)

  local wrong = {
    { exchange(', json = { ask = 2 }', 'json = { state = "done" }'), "POST http://jobs/7: json.ask: expected 2, found 1" },
    { exchange(', json = { }', 'json = { state = "done" }'), "POST http://jobs/7: json.ask: expected nothing, found 1" },
    { exchange(', headers = { ["x-a"] = "c" }', 'json = { state = "done" }'),
      'POST http://jobs/7: header x-a: expected "c", found "b"' },
    { exchange(', body = "x"', 'json = { state = "done" }'), 'POST http://jobs/7: body: expected "x", found "{\\"ask\\":1}"' },
    { '{ request = { url = "http://jobs/7" }, response = {} }', "no exchange answers the request POST http://jobs/7" },
    { exchange("", 'json = { state = "done" }') .. ", " .. exchange("", "status = 503"),
      "exchange 2 of POST http://jobs/7 was not used" },
  }
  for _, row in ipairs(wrong) do
    it("tells of a request: " .. row[2], function()
      local done, text = run(case(('exchanges = { %s }, expect = { state = "success", attempts = 1 }'):format(row[1])))
      assert.equal(1, done.code)
      says(text, row[2])
    end)
  end

  it("lets the last exchange answer all later requests", function()
    local done, text = run(case(('exchanges = { %s }, max_wait = "10s", %s'):format(exchange("", 'json = { state = "queued" }'),
      'expect = { state = "failure", reason = "maxWait", attempts = 6, requests = 6 }')))
    assert.equal(0, done.code, text)
  end)

  it("plays the peer of a protocol", function()
    workspace:write("jobs.lua", [[return { Ask = { call = function()
      return { said = require "bide.tcp" { host = "127.0.0.1", port = 7, send = "hi\n", expect = "+OK" } }
    end, waitable = { JobDone = { minDelay = 1, acceptors = { { state = "success", matcher = { success = true } },
      { state = "retry", matcher = { success = false } } } } } } }]])
    local steps = '{ { refuse = "ECONNREFUSED" } }, { { receive = "hi\\n", close = true } }, '
      .. '{ { receive = "hi\\n", send = "+OK" } }'
    local done, text = run(case(("dialogue = { %s }, expect = { state = 'success', attempts = 3 }"):format(steps)))
    assert.equal(0, done.code, text)
    done, text = run(case("dialogue = { { receive = 'ho\\n', send = '+OK' } }, expect = { state = 'success', attempts = 1 }"))
    assert.equal(1, done.code)
    says(text, [[step 1 of the dialogue: expected "ho\n", received "hi\n"]])
  end)

  local refused = {
    { 'require "bide.http".get("http://127.0.0.1:1/x")', "the case sends a request, which is refused: GET http://127.0.0.1:1/x" },
    { 'require "bide.tcp" { host = "127.0.0.1", port = 7 }', "the case connects to 127.0.0.1:7, which is refused" },
    { 'require "bide.tcp" { host = "example.org", port = 7 }',
      'the case resolves the name "example.org", in place of an address, which is refused' },
    { 'os.execute "sleep 9"', 'the case runs a program: "sleep 9", which is refused' },
    { 'io.popen "sleep 9"', 'the case runs a program: "sleep 9", which is refused' },
    { 'require "luv".sleep(9000)', "the case sleeps for real, which is refused" },
    { 'require "bide.exec" { "sleep", "9" }', "the case runs a program: \"sleep\", which is refused" },
    { "os.exit(0)", "the case ends the process, which is refused" },
  }
  for _, row in ipairs(refused) do
    it("refuses what is real: " .. row[1], function()
      workspace:write("jobs.lua", ([[return { Ask = { call = function() pcall(function() %s end) return {} end,
        waitable = { JobDone = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]):format(row[1]))
      local began = os.time()
      local done, text = run(case "exchanges = {}, expect = { state = 'success', attempts = 1 }")
      assert.equal(1, done.code, text)
      assert.is_true(os.time() - began < 8)
      says(text, row[2])
    end)
  end

  for _, row in ipairs(refused) do
    it("refuses what is real in the code of a test file: " .. row[1], function()
      local began = os.time()
      workspace:write("code.wait.lua", ('pcall(function() %s end)\nreturn { recipe = "./jobs.lua", %s }'):format(row[1],
        case(two .. "expect = { state = 'success', attempts = 2 }")))
      local done = workspace:bide { "test", "code.wait.lua" }
      local text = done.stdout .. done.stderr
      assert.equal(2, done.code, text)
      assert.is_true(os.time() - began < 8)
      says(text, "code.wait.lua: " .. row[2]:gsub("^the case", "the file"))
    end)
  end

  it("lets the code of a test file change nothing for the cases of another one", function()
    local cases = ('return { recipe = "./jobs.lua", %s }'):format(case(two .. "expect = { state = 'success', attempts = 2 }"))
    workspace:write("a.wait.lua", "shared, string.rep = 1, nil\n" .. cases)
    workspace:write("b.wait.lua", 'if shared or not string.rep then error "changed" end\n' .. cases)
    workspace:bide({ "test", "a.wait.lua", "b.wait.lua" }):ends(0)
  end)

  it("ends a case that never ends", function()
    workspace:write("jobs.lua", [[return { Ask = { call = function() while true do end end,
      waitable = { JobDone = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    local done, text = run(case "exchanges = {}, expect = { state = 'failure', reason = 'scriptError', attempts = 1 }")
    assert.equal(0, done.code, text)
    workspace:write("jobs.lua", [[return { Ask = { call = function() require("bide").sleep(1e9) end,
      waitable = { JobDone = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    done, text = run(case "exchanges = {}, expect = { state = 'failure', reason = 'maxWait', attempts = 1 }")
    assert.equal(0, done.code, text)
  end)

  it("ends a case whose wait takes years", function()
    local done, text = run(case [[max_wait = "1000000h", answers = { { output = { state = "queued" } } },
      expect = { state = "failure", attempts = 1 }]])
    assert.equal(1, done.code, text)
    assert.matches("jobs.wait.lua: c: the case does not end within 100000 attempts: give it a shorter max_wait", text, 1, true)
  end)

  it("gives each case a state of its own", function()
    workspace:write("counter.lua", "return { n = 0 }")
    workspace:write("jobs.lua", [[local counter = require "counter"
      return { Ask = { call = function()
        counter.n = counter.n + 1
        leaked, string.leaked = (leaked or 0) + 1, (string.leaked or 0) + 1
        require("bide.http").get = function() end
        os.time = nil
        return { n = counter.n, leaked = leaked, of_string = string.leaked }
      end, waitable = { JobDone = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    local members = 'waiter = "JobDone", exchanges = {}, expect = { state = "success", attempts = 1, output = '
      .. "{ n = 1, leaked = 1, of_string = 1 } } }"
    local done, text = run(('{ name = "a", %s, { name = "b", %s'):format(members, members))
    assert.equal(0, done.code, text)
  end)

  it("gives each case the names of its own recipe alone", function()
    workspace:write("jobs.lua", [[local bide, acceptor = require "bide", require "bide.acceptor"
      bide.jmespath.register("is_done", { "string" }, function(word) return word == "done" end)
      bide.matcher("isDone", function(context) return context.output and context.output.state == "done" end)
      return { Ask = { call = function() end, waitable = {
        JobDone = { acceptors = { acceptor.output("success", "is_done(state)"),
          { state = "failure", matcher = { lua = "isDone" } } } } } } }]])
    local members = 'waiter = "JobDone", answers = { { output = { state = "done" } } }, expect = { state = "success", '
      .. "attempts = 1 } }"
    local done, text = run(('{ name = "a", %s, { name = "b", %s'):format(members, members))
    assert.equal(0, done.code, text)
    workspace:write("other.lua", [[return { Ask = { call = function() end, waitable = {
      JobDone = { acceptors = { { state = "success", matcher = { lua = "isDone" } } } } } } }]])
    workspace:write("z.wait.lua", ('return { recipe = "./other.lua", { name = "c", %s }'):format(members))
    done = workspace:bide { "test", "jobs.wait.lua", "z.wait.lua" }
    os.remove(workspace.path .. "/z.wait.lua")
    says(done.stdout, 'c: ')
    says(done.stdout, 'no matcher is registered as "isDone"')
    os.rename(workspace.path .. "/jobs.lua", workspace.path .. "/more.lua")
    workspace:write("jobs.lua", recipe)
    workspace:write("more.wait.lua", ('return { recipe = "./more.lua", { name = "d", %s }'):format(members))
    workspace:write("most.lua", assert(io.open(workspace.path .. "/more.lua")):read "a")
    workspace:write("most.wait.lua", ('return { recipe = "./most.lua", { name = "e", %s }'):format(members))
    done = workspace:bide { "test", "more.wait.lua", "most.wait.lua" }
    says(done.stdout, "2 cases, 0 failed; 2 of 4 acceptors decided")
  end)

  it("runs a recording, and makes a case of it", function()
    workspace:write("rec.jsonl", '{"output":{"state":"queued"},"wait":{"format":1,"recipe":"jobs.lua","waiter":"JobDone",'
      .. '"input":{"id":"7"},"maxWait":60,"seed":5}}\n{"output":{"state":"failed"}}\n')
    local made = workspace:bide { "test", "--record", "rec.jsonl" }
    assert.same({ 0, "" }, { made.code, made.stderr })
    workspace:write("made.wait.lua", made.stdout)
    local done = workspace:bide { "test", "made.wait.lua" }
    assert.equal("1 case, 0 failed; 1 of 3 acceptors decided; 0.0 virtual hours\n", done.stdout)
    says(made.stdout, 'expect = { state = "failure", reason = "acceptor", acceptor = 2, attempts = 2, delays = { 1 }')
    workspace:write("rec.jsonl", '{"output":{},"wait":{"format":1,"recipe":"other.lua","waiter":"JobDone"}}\n')
    done = workspace:bide { "test", "made.wait.lua" }
    assert.equal(1, done.code)
    says(done.stdout, "expected a recording of JobDone of jobs.lua, found one of JobDone of other.lua")
  end)

  -- A wait with --until was recorded: its case succeeded or failed at another attempt, and nothing said so.
  it("warns that the case of a recording takes another way than the wait did", function()
    workspace:write("rec.jsonl", '{"output":{"state":"done"},"wait":{"format":1,"recipe":"jobs.lua","waiter":"JobDone",'
      .. '"input":{"id":"7"},"maxWait":60,"seed":5}}\n{"output":{"state":"done","checked":true}}\n')
    local made = workspace:bide { "test", "--record", "rec.jsonl" }
    assert.equal(0, made.code)
    says(made.stderr, "rec.jsonl has 2 attempts, and the case 1: write what the command line of the recorded wait said")
  end)

  it("writes what came into the cases that fail", function()
    local cases = case(two .. [[expect = { -- as { in spring
        state = "failure", message = "succeeded", delays = { 5 } }]])
    local done, text = run(cases, "--update")
    assert.equal(1, done.code)
    says(text, 'state: expected "failure", found "success"')
    says(text, "jobs.wait.lua: updated")
    says(workspace:read "jobs.wait.lua", 'expect = { state = "success", delays = { 1 }, message = "succeeded" } }')
    assert.equal(0, workspace:bide({ "test", "jobs.wait.lua" }).code)
  end)

  it("leaves a case alone whose expectation it does not find", function()
    workspace:write("jobs.wait.lua", [[local expected = { state = "failure", attempts = 9 }
      return { recipe = "./jobs.lua", { name = "c", waiter = "JobDone", input = { id = "7" },
        answers = { { output = { state = "done" } } }, expect = expected } }]])
    local before = workspace:read "jobs.wait.lua"
    local done = workspace:bide { "test", "--update" }
    says(done.stderr, "jobs.wait.lua: c: its expect is not found as one table after a name of its own, and stays")
    assert.equal(before, workspace:read "jobs.wait.lua")
  end)

  it("names the acceptors that no case covers, and the errors that none has seen", function()
    local cases = case [[answers = { { error = { type = "Odd" } } }, expect = { state = "failure", attempts = 1 }]]
    local done, text = run(cases, "--min-coverage", "50")
    assert.equal(1, done.code)
    says(text, "the coverage of acceptors is 0.0 %, below --min-coverage 50")
    says(text, "JobDone: acceptor 3: retry the error ServiceUnavailable decided in no case")
    says(text, "JobDone: the error Odd came, and no acceptor matched it")
    assert.equal(0, run(case(two .. 'expect = { state = "success", attempts = 2 }'), "--min-coverage", "33").code)
  end)

  it("takes the options of the command line and of waits", function()
    local done, text = run(case [[answers = { { output = { n = 1 } }, { output = { n = 2 } } }, max_wait = "1m",
      options = { ["until"] = "n=`2`" == 0 and "" or "n == `2`", hold = 3, interval = 2 },
      expect = { state = "success", attempts = 4, delays = { 2, 2, 2 } }]])
    assert.equal(0, done.code, text)
    done, text = run(case [[answers = { { output = {} } }, options = { holt = 3 }, expect = { state = "success", attempts = 1 }]])
    says(text, 'options: holt: unknown option, did you mean "hold"?')
    assert.equal(2, done.code)
  end)

  it("runs many cases in several processes, with the same results", function()
    local cases = {}
    for number = 1, 400 do
      cases[number] = ('{ name = "c%d", waiter = "JobDone", input = { id = "7" }, answers = { { output = { state = "queued" } },'
        .. ' { error = { type = "ServiceUnavailable" }, duration = 3600 }, { output = { state = "done" } } }, max_wait = "3h",'
        .. ' expect = { state = "success", attempts = %d } },'):format(number, number == 399 and 9 or 3)
    end
    local many = run(table.concat(cases, "\n"), "--jobs", "2", "--output", "tap")
    local one = run(table.concat(cases, "\n"), "--jobs", "1", "--output", "tap")
    assert.equal(one.stdout, many.stdout)
    says(many.stdout, "not ok 399 - jobs.wait.lua: c399\n# attempts: expected 9, found 3\n")
    says(many.stdout, "TAP version 13\n1..400\nok 1 - jobs.wait.lua: c1\n")
  end)

  it("reports as JUnit and JSON, in files too", function()
    local cases = case(two .. 'expect = { state = "success", attempts = 3 }'):gsub('"c"', [["<a> & \27[1m"]])
    run(cases, "--output", "junit=report.xml"):ends(1)
    local xml = workspace:read "report.xml"
    says(xml, '<testsuite name="bide test" tests="1" failures="1">')
    says(xml, 'name="&lt;a&gt; &amp; \\x1B[1m"')
    says(xml, '<failure message="attempts: expected 3, found 2">')
    local report = json.decode((run(cases, "--output", "json")).stdout)
    assert.same({ 1, false, { "attempts: expected 3, found 2" } },
      { report.failed, report.cases[1].passed, report.cases[1].faults })
    assert.same({ 1, 3 }, { report.coverage.decided, report.coverage.acceptors })
    assert.equal(1, run(cases, "--output", "json=none/report.json").code)
  end)

  local broken = {
    { "return 5", "expected a table with recipe and cases, found 5" },
    { "return { { name = 'c' } }", "recipe: expected the name or the file of a recipe" },
    { "return { recipe = './jobs.lua' }", "expected at least one case, found none" },
    { "return { recipe = './jobs.lua', cases = {} }", "cases: unknown member" },
    { "return { recipe = './jobs.lua', { name = 'c', wayter = 'x', answers = {}, expect = {} } }",
      'c: wayter: unknown member, did you mean "waiter"?' },
    { "return { recipe = './jobs.lua', { name = 'c', answers = {}, expect = { state = 'done', attempts = 1 } } }",
      "c: expect.state: expected" },
    { "return { recipe = './jobs.lua', { name = 'c', answers = {}, expect = { state = 'success' } } }",
      "c: expect: expected attempts or delays, found neither" },
    { "return { recipe = './jobs.lua', { name = 'c', expect = { state = 'success', attempts = 1 } } }",
      "c: expected one of answers, recording, exchanges, dialogue, found none" },
    { "return { recipe = './jobs.lua', { name = 'c', answers = {}, exchanges = {}, expect = { state = 'success', "
      .. "attempts = 1 } } }",
      "found answers and exchanges" },
    { "return {", "bad.wait.lua:1:" },
    { "error 'boom'", "bad.wait.lua:1: boom" },
  }
  for expected, mistake in pairs {
    ["message = ''"] = "message: expected a text that is not empty, found an empty text",
    ["notes = { ' ' }"] = "notes[1]: expected a text that is not empty, found blanks alone",
    ["matches = '.*'"] = "matches: every text matches it", ["matches = '('"] = "matches: ",
  } do
    table.insert(broken, { ("return { recipe = './jobs.lua', { name = 'c', answers = {}, expect = { state = 'success', "
      .. "attempts = 1, %s } } }"):format(expected), "c: expect." .. mistake })
  end
  for _, row in ipairs(broken) do
    it("refuses a broken file: " .. row[1], function()
      workspace:write("bad.wait.lua", row[1])
      local done = workspace:bide { "test", "bad.wait.lua" }
      assert.equal(2, done.code, done.stdout)
      says(done.stderr, row[2])
    end)
  end

  it("refuses paths without cases", function()
    local done = workspace:bide { "test" }
    assert.same({ 2, "bide: .: expected files *.wait.lua, found none\n" }, { done.code, done.stderr })
    assert.equal(2, workspace:bide({ "test", "nowhere" }).code)
  end)

  it("tells of a recipe that cannot be loaded, and of an input that it refuses", function()
    workspace:write("jobs.lua", "return {")
    local done, text = run(case(two .. 'expect = { state = "success", attempts = 2 }'))
    assert.equal(1, done.code)
    says(text, "jobs.lua:1:")
    workspace:write("jobs.lua", recipe)
    done, text = run((case(two .. 'expect = { state = "success", attempts = 2 }'):gsub('id = "7"', "no = 1")))
    assert.equal(1, done.code)
    says(text, "no")
  end)

  it("runs a recipe that watches files, without its watch", function()
    workspace:write("file.wait.lua", [[return { recipe = "file", { name = "c", waiter = "FileExists", input = { path = "x" },
      answers = { { error = { type = "NotFound" } }, { output = {} } }, expect = { state = "success", attempts = 2 } } }]])
    workspace:bide({ "test", "file.wait.lua" }, { longest = 20 }):ends(0)
  end)

  it("names the mutants that no case notices", function()
    local done = run(case(two .. 'expect = { state = "success", attempts = 2 }'), "--mutate")
    assert.equal(1, done.code, done.stderr)
    says(done.stdout, "JobDone: without acceptor 3 (retry, the error ServiceUnavailable): no case notices it\n")
    says(done.stdout, "JobDone: twice minDelay: no case notices it\n")
    assert.is_nil(done.stdout:find("without acceptor 1", 1, true))
    says(done.stdout, "10 mutants: 2 noticed, 0 equivalent, 8 that no case notices\n")
  end)

  it("is content where every mutant is noticed", function()
    workspace:write("jobs.lua", (recipe:gsub("maxDelay = 8", "maxDelay = 1")))
    local cases = case([[answers = { { error = { type = "ServiceUnavailable" } }, { output = {} }, { output = {} },
        { output = { state = "done" } } },
      expect = { state = "success", attempts = 4, delays = { 1, 1, 1 } }]])
      .. case([[answers = { { output = { state = "failed" } } },
        expect = { state = "failure", attempts = 1 }]]):gsub('"c"', '"d"')
    local done, text = run(cases, "--mutate")
    assert.equal(0, done.code, text)
    says(text, "half of maxDelay: equivalent, since maxDelay is not below minDelay\n")
    done = run(case(two .. 'expect = { state = "failure", attempts = 2 }'), "--mutate")
    assert.equal(1, done.code)
    says(done.stderr, "cases fail without a mutation")
  end)

  it("runs in busted", function()
    workspace:write("jobs.wait.lua", ('return { recipe = "./jobs.lua", %s %s }'):format(
      case(two .. 'expect = { state = "success", attempts = 2 }'),
      case(two .. 'expect = { state = "success", attempts = 3 }'):gsub('"c"', '"wrong"')))
    workspace:write("run_spec.lua", [[
      describe("jobs", function()
        for _, case in ipairs(require("bide.test").cases "jobs.wait.lua") do
          it(case.name, function() case:check() end)
        end
      end)]])
    if process.is_sanitized then return pending "busted is not linked with the sanitizers" end
    local root = assert(require("luv").fs_realpath(process.build))
    local done = process.run({ "busted", "--lua=lua5.4", "--output=TAP", "run_spec.lua" }, { cwd = workspace.path, env = {
      LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root), LUA_CPATH = root .. "/lib/?.so;;",
    } })
    says(done.stdout, "ok 1 - jobs c")
    says(done.stdout, "not ok 2 - jobs wrong")
    says(done.stdout, "attempts: expected 3, found 2")
  end)
end)
