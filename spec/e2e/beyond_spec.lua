---What goes beyond the specification, as users meet it: through `bide replay` on a virtual
---clock, and through the program against a server.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local bide = require "bide"
local http = require "bide.http"

---A recipe of one operation whose waiter Done has `members`; done, failed and busy are statuses.
local function recipe(members)
  return ([[
local function status(state, expected, name)
  local matcher = { output = { path = "status", comparator = "stringEquals", expected = expected } }
  return { state = state, name = name, matcher = matcher }
end
return { GetJob = { call = function(input) return require("bide.http").get(input.url) end, waitable = { Done = {
  minDelay = 2, maxDelay = 20, %s
  acceptors = { status("success", "done", "Complete"), status("failure", "failed", "Failed"), status("retry", "busy", "Busy"),
    { state = "retry", matcher = { errorType = "NotFound" } } },
} } } }]]):format(members)
end

local lines = {
  done = '{"output": {"status": "done"}}', failed = '{"output": {"status": "failed"}}',
  busy = '{"output": {"status": "busy"}}', pending = '{"output": {"status": "pending"}}',
  unavailable = '{"error": {"type": "ServiceUnavailable", "status": 503}}',
  throttled = '{"error": {"type": "ThrottlingException", "status": 400, "message": "slow down"}}',
  refused = '{"error": {"type": "ConnectionRefused"}}',
  denied = '{"error": {"type": "AccessDeniedException", "status": 400}}',
  invalid = '{"error": {"type": "ValidationException", "status": 400}}',
  unauthorized = '{"error": {"type": "Unauthorized", "status": 401}}',
  missing = '{"error": {"type": "NotFound", "status": 404}}',
}

describe("beyond the specification", function()
  local workspace = Workspace.of_block()

  local function words_of(members, answers, ...)
    local text = {}
    for word in answers:gmatch "%S+" do text[#text + 1] = lines[word] end
    workspace:write("recipe.lua", recipe(members))
    workspace:write("answers.jsonl", table.concat(text, "\n"))
    local has_seed = table.concat({ ... }, " "):find("--seed", 1, true)
    local words = { "replay", "recipe.lua", "Done", "answers.jsonl", "--max-wait", ... }
    return has_seed and words or table.move({ "--seed", "5" }, 1, 2, #words + 1, words)
  end

  local function replay(members, answers, ...)
    local outcome, done = workspace:outcome(words_of(members, answers, ...))
    local delays = {}
    for position, entry in ipairs(outcome.history) do delays[position] = entry.delay end
    return outcome, delays, done.code
  end

  ---What stands on standard error.
  local function diagnostics(members, answers, ...)
    return workspace:bide(words_of(members, answers, ...)).stderr
  end

  describe("a first delay", function()
    it("is waited for before the first attempt, and is part of the wait", function()
      local outcome = replay("initialDelay = 7.5,", "done", "1m")
      assert.same({ 7.5, 7.5, "success" }, { outcome.history[1].at, outcome.elapsed, outcome.state })
    end)

    it("is that of the wait where it has one", function()
      assert.equal(3, replay("initialDelay = 7,", "done", "1m", "--initial-delay", "3s").elapsed)
      assert.equal(0, replay("initialDelay = 7,", "done", "1m", "--initial-delay", "0").elapsed)
    end)

    it("does not take the first attempt away, however short the wait is", function()
      local outcome, _, code = replay("initialDelay = 60,", "pending", "30s")
      assert.same({ 1, 28, "maxWait", 124 }, { outcome.attempts, outcome.elapsed, outcome.reason, code })
      outcome = replay("initialDelay = 60,", "done", "1s")
      assert.same({ 1, 0 }, { outcome.attempts, outcome.elapsed })
    end)

    it("stands in the plan, which counts from it", function()
      workspace:write("recipe.lua", recipe "initialDelay = 12,")
      local done = workspace:bide { "plan", "recipe.lua", "--max-wait", "20s" }
      assert.truthy(done.stdout:find("\nFirst attempt at 12\n", 1, true))
      assert.truthy(done.stdout:find("\n1 +2 +14 +6 "))
      assert.truthy(done.stdout:find("Polls: at least 3, at most 4\n", 1, true))
      for seed = 1, 10 do
        local outcome = replay("initialDelay = 12,", "pending", "20s", "--seed", tostring(seed))
        assert.is_true(outcome.attempts >= 3 and outcome.attempts <= 4)
      end
    end)

    it("ends at once with a signal", function()
      workspace:write("recipe.lua", recipe "initialDelay = 60,")
      local process = workspace:start { "run", "recipe.lua", "url=http://127.0.0.1:1/", "--max-wait", "2m", "--output", "json" }
      bide.sleep(0.3)
      process:kill("sigint")
      local done = process:wait()
      local outcome = assert(json.decode(done.stdout))
      assert.same({ 130, "cancelled", 0, 0 }, { done.code, outcome.reason, outcome.attempts, #outcome.history })
    end)
  end)

  describe("a hold", function()
    it("of attempts sees the success so many times in a row, at minDelay", function()
      local outcome, delays = replay("hold = { attempts = 3 },", "pending pending pending done done pending done done done", "5m")
      assert.same({ "success", 9, 1, "Complete" }, { outcome.state, outcome.attempts, outcome.acceptor, outcome.name })
      assert.same({ 2, 2, 2, 2, 2 }, { delays[4], delays[5], delays[6], delays[7], delays[8] })
      assert.equal("held for 2 of 3 attempts", outcome.history[5].note)
      assert.same({ "retry", 1 }, { outcome.history[5].state, outcome.history[5].acceptor })
      assert.equal('Done succeeded (Complete) after 9 attempts in ' .. ("%.1f"):format(outcome.elapsed)
        .. ' s: status is "done", held for 3 attempts', outcome.message)
    end)

    it("of seconds sees nothing else for so long", function()
      local outcome = replay("hold = { seconds = 5 },", "done pending done", "5m")
      assert.same({ "success", 6, 10 }, { outcome.state, outcome.attempts, outcome.elapsed })
      assert.truthy(outcome.message:find("held for 5 s", 1, true))
    end)

    it("that is not over at a limit says how far it came", function()
      local outcome, _, code = replay("hold = { attempts = 5 },", "done", "7s")
      assert.same({ "failure", "maxWait", 124 }, { outcome.state, outcome.reason, code })
      assert.truthy(outcome.message:find('status is "done", held for 4 of 5 attempts', 1, true))
      outcome, _, code = replay("hold = { seconds = 60 },", "done", "5m", "--max-attempts", "3")
      assert.same({ "maxAttempts", 4 }, { outcome.reason, code })
      assert.truthy(outcome.message:find("held for less than 1 m", 1, true))
    end)

    it("goes on in another process, which does not count the time when nobody looked", function()
      workspace:write("hold.lua", [[return { Op = { call = function() return {} end, waitable = { Held = {
        minDelay = 0.1, maxDelay = 0.1, hold = { seconds = 0.6 },
        acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
      local words = { "run", "hold.lua", "--max-wait", "20s", "--journal", "hold.journal" }
      local process = workspace:start(words)
      process:wait_for_output "attempt 1,"
      process:kill("sigkill")
      process:wait()
      bide.sleep(0.8)
      words[#words + 1] = "--resume"
      local outcome = workspace:outcome(words)
      assert.equal("success", outcome.state)
      local resumed = outcome.history[2].at
      assert.is_true(resumed > 0.7 and outcome.elapsed - resumed >= 0.6, outcome.elapsed)
    end)

    ---The delays after the attempts that held.
    local function held_delays(members, answers, ...)
      local outcome, delays = replay(members, answers, ...), {}
      for _, entry in ipairs(outcome.history) do
        if entry.note and entry.note:find "^held" then delays[#delays + 1] = entry.delay end
      end
      return delays, outcome
    end

    -- the waiter's members, the answers, options; the attempts, and the delay while it held. Delays are 2 s to 20 s.
    for _, row in ipairs {
      { "", "pending done", { "--hold", "3" }, 4, 2 }, { "hold = { attempts = 9 },", "done", { "--hold", "3" }, 3, 2 },
      { "hold = { seconds = 90 },", "done", { "--hold", "2" }, 2, 2 },
      { "hold = { attempts = 2 },", "done", { "--hold", "6s" }, 4, 2 },
      { "", "done", { "--hold", "1" }, 1 }, { "", "done", { "--hold", "60s" }, 21, 3 }, { "", "done", { "--hold=10m" }, 121, 5 },
      { "", "done", { "--hold", "3", "--min-delay", "50ms" }, 3, 1 },
      { "", "done", { "--hold", "1s", "--min-delay", "10ms" }, 21, 0.05 },
      { "", "done", { "--hold", "3", "--interval", "50ms" }, 3, 0.05 },
      { "", "done", { "--hold", "3", "--interval", "9s" }, 3, 9 },
      { "", "done", { "--hold", "10m", "--interval", "1m" }, 11, 60 }, { "lateness = 0.5,", "done", { "--hold", "1m" }, 21, 3 },
      { "", "done failed", { "--hold", "3" }, 2, 2 }, { "", "done pending done", { "--hold", "3" }, 5, 2 },
    } do
      it(("of the command line replaces the waiter's: %s %s %s"):format(row[1], row[2], table.concat(row[3], " ")), function()
        local delays, outcome = held_delays(row[1], row[2], "30m", table.unpack(row[3]))
        assert.equal(row[4], outcome.attempts)
        assert.equal(row[2]:find "failed" and "failure" or "success", outcome.state)
        for _, delay in ipairs(delays) do assert.equal(row[5], delay) end
        assert.is_true(#delays > 0 or row[4] == 1)
      end)
    end

    it("of the command line is in the plan", function()
      local function plan(...) return workspace:bide({ "plan", "recipe.lua", "--max-wait", "1h", ... }).stdout end
      workspace:write("recipe.lua", recipe "hold = { attempts = 9 },")
      assert.truthy(plan():find("A success must hold for 9 attempts, polled every minDelay\n", 1, true))
      assert.truthy(plan("--hold", "1m"):find("A success must hold for 1 m, polled every 3 s\n", 1, true))
      local constant = plan("--hold", "3", "--interval", "4")
      assert.truthy(constant:find("A success must hold for 3 attempts, polled every minDelay\n", 1, true))
    end)

    for _, row in ipairs {
      { { "--hold", "0" }, "--hold: expected a whole number of attempts above 0, found 0" },
      { { "--hold", "1.5" }, "--hold: expected a whole number of attempts above 0, found 1.5" },
      { { "--hold", "-3" }, "--hold: expected" },
      { { "--hold", "3x" }, "--hold: expected a number of attempts such as 5, or a duration" },
      { { "--hold", "" }, "--hold: expected" }, { { "--hold", " " }, "--hold: expected" },
      { { "--hold", "2m" }, "--hold 2m cannot be reached within --max-wait 1m" },
      { { "--hold", "32" }, "--hold 32 cannot be reached within --max-wait 1m: it takes at least 1 m 2 s" },
      { { "--hold", "5", "--max-attempts", "4" }, "--hold 5 cannot be reached with --max-attempts 4" },
      { { "--consecutive", "3" }, "unknown option '--consecutive', did you mean --hold?" },
      { { "--rise", "3" }, "did you mean --hold?" }, { { "--success-threshold=3" }, "did you mean --hold?" },
      { { "--stable", "3s" }, "did you mean --hold?" }, { { "--window", "3s" }, "did you mean --hold?" },
    } do
      it("is refused, and nothing runs: " .. table.concat(row[1], " "), function()
        local done = workspace:bide(words_of("", "done", "1m", table.unpack(row[1])))
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.truthy(done.stderr:find(row[2], 1, true), done.stderr)
      end)
    end

    it("of the command line is the journal's as well", function()
      workspace:write("held.lua", [[return { Op = { call = function() return {} end, waitable = { Held = {
        minDelay = 0.1, maxDelay = 0.1, acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
      local words = { "run", "held.lua", "--max-wait", "20s", "--hold", "4", "--interval", "300ms", "--journal", "held.journal" }
      local process = workspace:start(words)
      process:wait_for_output "attempt 1,"
      process:kill("sigkill")
      process:wait()
      words[#words + 1] = "--resume"
      words[6] = "2"
      workspace:bide(words):says(2, "--hold 2: run 1 began with 4")
      words[6] = "4"
      local outcome = workspace:outcome(words)
      assert.same({ "success", 4 }, { outcome.state, outcome.attempts })
      assert.truthy(outcome.message:find("held for 4 attempts", 1, true))
    end)

    it("does not delay a failure", function()
      local outcome, _, code = replay("hold = { attempts = 5 },", "done done failed", "5m")
      assert.same({ "acceptor", 2, "Failed", 3, 1 },
        { outcome.reason, outcome.acceptor, outcome.name, outcome.attempts, code })
      assert.same({ "held for 2 of 5 attempts" }, { outcome.history[2].note, outcome.history[3].note })
    end)
  end)

  describe("resetOnChange", function()
    local watched = 'resetOnChange = "status",'

    it("starts the backoff anew when the value changes", function()
      local answers = "pending pending pending pending busy busy"
      local _, delays = replay(watched, answers, "5m", "--max-attempts", "7")
      assert.equal(2, delays[5]) -- the first retry again, where the fifth is drawn from 2 to 20
      local _, plain = replay("", answers, "5m", "--max-attempts", "7")
      assert.not_equal(2, plain[5])
    end)

    it("takes an error for no value, and the first value after errors for a change", function()
      local answers = "pending pending missing pending pending"
      local _, delays = replay(watched, answers, "5m", "--max-attempts", "6")
      local _, plain = replay("", answers, "5m", "--max-attempts", "6")
      assert.same(plain, delays)
      _, delays = replay(watched, "missing missing missing missing pending", "5m", "--max-attempts", "6")
      assert.equal(2, delays[5])
    end)
  end)

  describe("names of outcomes", function()
    it("are told beside the acceptor, in the history and in events", function()
      local outcome = replay("", "busy done", "1m")
      assert.same({ "Complete", "Busy" }, { outcome.name, outcome.history[1].name })
      local events = workspace:events(words_of("", "busy failed", "1m"))
      assert.same({ "Busy", "Failed", "Failed" }, { events[2].name, events[3].name, events[4].name })
      assert.is_nil(replay("", "pending", "1m").name)
    end)

    it("are exit codes where the user says so", function()
      local codes = { "1m", "--exit-code", "Complete=10", "--exit-code", "Failed=0" }
      assert.equal(10, select(3, replay("", "done", table.unpack(codes))))
      assert.equal(0, select(3, replay("", "failed", table.unpack(codes))))
      assert.equal(124, select(3, replay("", "pending", table.unpack(codes))))
      assert.equal(3, select(3, replay("", "denied", table.unpack(codes))))
    end)

    it("do not change what a COMMAND runs after", function()
      local server = Server.start(function(request) return { body = ('{"status": "%s"}'):format(request.path:sub(2)) } end)
      workspace:write("recipe.lua", recipe "")
      local function run(status)
        return workspace:bide { "run", "recipe.lua", "url=" .. server.url .. "/" .. status, "--max-wait", "5s", "--quiet",
          "--exit-code", "Complete=10", "--exit-code", "Failed=0", "--", "echo", "ran" }
      end
      local done, failed = run "done", run "failed"
      assert.same({ 0, true }, { done.code, done.stdout:find("ran", 1, true) ~= nil })
      assert.same({ 0, false }, { failed.code, failed.stdout:find("\nran", 1, true) ~= nil })
      server:close()
    end)

    for _, case in ipairs {
      { "Compleet=1", 'no acceptor that ends Done is called "Compleet"; did you mean "Complete"?' },
      { "Busy=1", 'no acceptor that ends Done is called "Busy"; they are called Complete, Failed' },
      { "Complete=256", 'expected NAME=N with N from 0 to 255, found "Complete=256"' },
      { "Complete=-1", "expected NAME=N" }, { "Complete", "expected NAME=N" }, { "=1", "expected NAME=N" },
    } do
      it("are refused as in --exit-code " .. case[1], function()
        local done = workspace:bide(words_of("", "done", "1m", "--exit-code", case[1]))
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.truthy(done.stderr:find("--exit-code: ", 1, true) and done.stderr:find(case[2], 1, true), done.stderr)
      end)
    end

    it("are refused for many waits, and twice", function()
      workspace:write("each.jsonl", '{"url": "http://127.0.0.1:1/"}\n')
      local done = workspace:bide { "run", "recipe.lua", "--each", "each.jsonl", "--max-wait", "1s", "--exit-code", "Failed=9" }
      assert.same({ 2, "bide: --exit-code is for one wait, and --each makes several\n" }, { done.code, done.stderr })
      done = workspace:bide(words_of("", "done", "1m", "--exit-code", "Failed=9", "--exit-code", "Failed=8"))
      assert.same({ 2, "bide: --exit-code: Failed is given twice\n" }, { done.code, done.stderr })
    end)
  end)

  describe("--tolerate", function()
    it("takes errors that pass, so many in a row", function()
      local outcome, _, code = replay("", "unavailable throttled refused pending unavailable done", "5m", "--tolerate", "3")
      assert.same({ "success", 6, 0 }, { outcome.state, outcome.attempts, code })
      assert.equal("tolerated, 2 of at most 3 in a row", outcome.history[2].note)
      assert.equal("ThrottlingException", outcome.history[2].error.type)
      assert.is_nil(outcome.history[6].note)
    end)

    it("ends with the error where there are more", function()
      local outcome, _, code = replay("", "pending unavailable throttled refused", "5m", "--tolerate", "2")
      assert.same({ "unmatchedError", 4, 3, "ConnectionRefused" }, { outcome.reason, outcome.attempts, code, outcome.error.type })
      assert.truthy(outcome.message:find("ConnectionRefused, after 2 such errors in a row had been tolerated", 1, true))
      assert.is_nil(outcome.history[4].note)
    end)

    it("takes them for so long", function()
      local outcome, _, code = replay("", "unavailable", "5m", "--tolerate", "30s")
      assert.same({ "unmatchedError", 3 }, { outcome.reason, code })
      assert.is_true(outcome.elapsed > 30 and outcome.elapsed <= 50)
      assert.truthy(outcome.message:find("after 30 s of tolerating such errors", 1, true))
    end)

    it("does not take authorization and validation for what passes, nor anything unless it is asked to", function()
      for _, answer in ipairs { "denied", "invalid", "unauthorized" } do
        assert.equal(1, replay("", answer, "5m", "--tolerate", "9").attempts)
      end
      assert.equal(1, replay("", "unavailable", "5m").attempts)
    end)

    it("leaves to acceptors what they match", function()
      assert.equal("success", replay("", "missing missing missing done", "5m", "--tolerate", "1").state)
    end)

    it("warns as soon as it does, and once for a row", function()
      local text = diagnostics("", "unavailable unavailable pending unavailable done", "5m", "--tolerate", "3")
      local _, warnings = text:gsub("Done: warning: no acceptor matched the error ServiceUnavailable %(503%): "
        .. "tolerated, 1 of at most 3 in a row\n", "")
      assert.equal(2, warnings)
      assert.equal("", diagnostics("", "unavailable done", "5m", "--tolerate", "3", "--quiet"))
    end)

    it("warns once for many waits, with how many there were", function()
      workspace:write("many.lua", [[local asked = 0
        return { Op = { call = function()
          asked = asked + 1
          if asked <= 2 then error { type = "Timeout" } end
          return {}
        end, waitable = { Answered = { minDelay = 0.05,
          acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
      workspace:write("each.jsonl", "{}\n{}\n")
      local done = workspace:bide { "run", "many.lua", "--each", "each.jsonl", "--max-wait", "9s", "--tolerate", "1" }
      assert.equal(0, done.code)
      assert.matches("0 of 2 waits have ended: 0 succeeded, 0 failed; %d attempts; warning: %d errors? tolerated\n", done.stderr)
    end)

    for _, text in ipairs { "0", "-1", "1.5", "x", "0s", "" } do
      it(("refuses %q"):format(text), function()
        local done = workspace:bide(words_of("", "done", "1m", "--tolerate", text))
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.truthy(done.stderr:find("--tolerate: expected", 1, true), done.stderr)
      end)
    end
  end)

  describe("a service's Retry-After", function()
    local function with(line, seconds)
      return (line:gsub("}}$", (', "retryAfter": %s}}'):format(seconds)))
    end

    setup(function()
      for _, seconds in ipairs { 9, 99, 7100, 9999 } do
        lines["busy_" .. seconds] = ('{"output": {"status": "busy"}, "retryAfter": %d}'):format(seconds)
      end
      lines.missing_9999, lines.missing_7100 = with(lines.missing, "9999"), with(lines.missing, "7100")
      lines.missing_9, lines.missing_99 = with(lines.missing, "9"), with(lines.missing, "99")
      lines.missing_1, lines.missing_half = with(lines.missing, "1"), with(lines.missing, "9.5")
    end)

    it("lengthens a delay, after an error and after an output", function()
      local _, delays = replay("", "missing_9 busy_9 missing_half missing_1 done", "5m")
      assert.same({ 9, 9, 9.5 }, { delays[1], delays[2], delays[3] })
      assert.is_true(delays[4] >= 2)
    end)

    local hours = { -- the waiter's members, the answers, options; the first delay, of two hours
      { "", "missing_99 done", {}, 99 }, { "", "missing_9999 done", {}, 300 }, { "", "busy_99 done", {}, 20 },
      { "maxDelay = 900,", "missing_9999 done", {}, 900 }, { "maxDelay = 900,", "busy_9999 done", {}, 900 },
      { "retryAfter = { cap = 40 },", "missing_99 done", {}, 40 }, { "retryAfter = { cap = 40 },", "busy_99 done", {}, 40 },
      { "retryAfter = { cap = 1 },", "missing_99 done", {}, 2 }, { "retryAfter = { cap = '10s' },", "missing_99 done", {}, 10 },
      { "retryAfter = { cap = 3600 },", "missing_99 done", {}, 99 },
      { "retryAfter = { cap = 'none' },", "missing_7100 done", {}, 7100 },
      { "", "missing_99 done", { "--max-delay", "4s" }, 99 }, { "", "busy_99 done", { "--max-delay", "4s" }, 4 },
      { "", "missing_99 done", { "--interval", "4s" }, 99 }, { "", "missing_7100 done", { "--retry-after-cap", "none" }, 7100 },
      { "", "busy_7100 done", { "--retry-after-cap", "none" }, 7100 }, { "", "busy_99 done", { "--retry-after-cap=30s" }, 30 },
      { "retryAfter = false,", "missing_99 done", { "--retry-after-cap", "1m" }, 60 },
      { "retryAfter = { cap = 40 },", "missing_99 done", { "--ignore-retry-after" }, 2 },
      { "lateness = 0.05,", "missing_99 done", {}, 99 }, { "hold = { attempts = 2 },", "missing_99 done done", {}, 99 },
    }
    for _, row in ipairs(hours) do
      it(("is a lower bound within its cap: %s %s %s"):format(row[1], row[2], table.concat(row[3], " ")), function()
        local members = row[1]:gsub("^maxDelay = (%d+),$", "")
        local text = recipe(members):gsub("maxDelay = 20", row[1]:match "^maxDelay = %d+" or "%0")
        local words = words_of(members, row[2], "2h", table.unpack(row[3]))
        workspace:write("recipe.lua", text)
        assert.equal(row[4], workspace:outcome(words).history[1].delay)
      end)
    end

    it("has a cap that is a duration or none, and is not ignored as well", function()
      for _, case in ipairs {
        { { "--retry-after-cap", "soon" }, '--retry-after-cap: expected "none", or a duration such as 300, 300s, 5m' },
        { { "--retry-after-cap", "0" }, "--retry-after-cap: expected" },
        { { "--retry-after-cap", "" }, "--retry-after-cap: expected" },
        { { "--retry-after-cap", "5s", "--ignore-retry-after" }, "can not be used together" },
      } do
        workspace:bide(words_of("", "done", "1m", table.unpack(case[1]))):says(2, case[2])
      end
    end)

    it("is what progress says that is waited for", function()
      local said = diagnostics("", "missing_99 missing_9 busy_99 missing_1 done", "1h")
      assert.truthy(said:find("error NotFound (404), next in 1 m 39 s, as Retry-After asks\n", 1, true), said)
      assert.truthy(said:find("error NotFound (404), next in 9 s, as Retry-After asks\n", 1, true)
        or said:find('status is "busy", next in 20 s, Retry-After asks for 1 m 39 s\n', 1, true), said)
      assert.truthy(said:find('status is "busy", next in 20 s, Retry-After asks for 1 m 39 s\n', 1, true), said)
      assert.is_nil(diagnostics("", "missing_99 done", "1h", "--ignore-retry-after"):find("Retry-After", 1, true))
    end)

    it("is not listened to where it is not to be", function()
      assert.equal(2, select(2, replay("", "missing_9 done", "5m", "--ignore-retry-after"))[1])
      assert.equal(2, select(2, replay("retryAfter = false,", "missing_9 done", "5m"))[1])
    end)

    it("does not go past the deadline: the last retry is minDelay before it", function()
      local outcome, delays = replay("retryAfter = { cap = 3600 },", "missing_99", "30s")
      assert.same({ 2, 28, 28, "maxWait" }, { outcome.attempts, delays[1], outcome.elapsed, outcome.reason })
    end)

    it("is refused in an answer where it is no number of seconds", function()
      for _, line in ipairs { '{"output": 1, "retryAfter": "soon"}', '{"error": {"type": "X", "retryAfter": -1}}',
        '{"error": {"type": "X"}, "retryAfter": 1}' } do
        lines.bad = line
        local done = workspace:bide(words_of("", "bad", "1m"))
        assert.same({ 2, true }, { done.code, done.stderr:find("retryAfter: ", 1, true) ~= nil })
      end
    end)

    describe("from a server", function()
      local server, header

      setup(function()
        local asked = 0
        server = Server.start(function(request)
          asked = asked + 1
          if asked % 2 == 0 then return { body = '{"status": "done"}' } end
          local status = request.path == "/404" and 404 or 200
          return { status = status, headers = { ["Retry-After"] = header }, body = '{"status": "busy"}' }
        end)
        workspace:write("quick.lua", (recipe(""):gsub("minDelay = 2, maxDelay = 20", "minDelay = 0.05, maxDelay = 20")))
      end)
      teardown(function() server:close() end)

      local function run(path, value, ...)
        header = value
        return (workspace:outcome { "run", "quick.lua", "url=" .. server.url .. path, "--max-wait", "20s", ... })
      end

      it("is read as seconds", function()
        local outcome = run("/404", "1")
        assert.same({ 1, 1, "success" }, { outcome.history[1].delay, outcome.history[1].error.retryAfter, outcome.state })
        outcome = run("/200", "1")
        assert.same({ 1, "success" }, { outcome.history[1].delay, outcome.state })
      end)

      it("is read as a date", function()
        local outcome = run("/404", os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 2))
        local delay = outcome.history[1].delay
        assert.is_true(delay >= 0.8 and delay <= 2, delay)
        assert.near(0.05, run("/200", "Sun, 06 Nov 1994 08:49:37 GMT").history[1].delay, 1e-6)
      end)

      it("is none where it says nothing, or is not listened to", function()
        assert.near(0.05, run("/404", "soon").history[1].delay, 1e-6)
        assert.near(0.05, run("/404", "5", "--ignore-retry-after").history[1].delay, 1e-6)
      end)

      it("is read from a response by its name, whatever its case", function()
        header = "7"
        local response = http.get(server.url .. "/200")
        if not response:header("retry-after") then response = http.get(server.url .. "/200") end
        assert.same({ "7", "7" }, { response:header("Retry-After"), response:header("retry-after") })
        assert.is_nil(response:header("retry"))
        assert.is_nil(response:header("nobody"))
      end)
    end)
  end)

  describe("in scripts", function()
    local is_done = { output = { path = "s", comparator = "stringEquals", expected = "done" } }

    local function waiter(members, call)
      local given = { name = "Done", call = call, minDelay = 0.005, maxDelay = 0.01 }
      given.acceptors = { { state = "success", name = "Complete", matcher = is_done } }
      for name, value in pairs(members) do given[name] = value end
      return bide.waiter(given)
    end

    it("holds, tolerates, and takes a header's text from an error of the script's own", function()
      local asked = 0
      local done = waiter({ hold = { attempts = 2 } }, function()
        asked = asked + 1
        if asked == 1 then error { type = "Timeout", retryAfter = "0.03" } end
        if asked == 2 then error { type = "Timeout", retryAfter = 0.03 } end
        return { s = "done" }
      end)
      local outcome = assert(done:wait({}, { maxWait = 5, tolerate = 2, retryAfter = { cap = 1 } }))
      assert.same({ 4, "Complete" }, { outcome.attempts, outcome.name })
      assert.near(0.03, outcome.history[2].delay, 1e-6)
      assert.is_true(outcome.history[1].delay < 0.03) -- "0.03" is no Retry-After: HTTP has whole seconds
    end)

    for _, case in ipairs {
      { { tolerate = 0 }, "tolerate: expected a whole number of attempts above 0, found 0" },
      { { tolerate = true }, "tolerate: expected a number of attempts" },
      { { tolerate = { attempts = 1, seconds = 2 } }, "tolerate: expected exactly one of attempts and seconds" },
      { { tolerate = "soon" },
        'tolerate: expected a number of attempts such as 5, or a duration with its unit, such as "30s", found "soon"' },
      { { retryAfter = true }, "retryAfter: expected false or { cap = seconds }, found true" },
      { { retryAfter = { cap = 0 } }, "retryAfter: expected a number of seconds above 0, found 0" },
      { { retryAfter = { cpa = 5 } }, "retryAfter: expected false or { cap = seconds }, found a table" },
      { { hold = 0 }, "hold: expected a whole number of attempts above 0, found 0" },
      { { hold = true }, "hold: expected a number of attempts" },
      { { hold = "5s" }, 'hold = "5s" cannot be reached within maxWait' },
      { { hold = 3, maxAttempts = 2 }, 'hold = "3" cannot be reached with maxAttempts' },
      { { initialDelay = -1 }, "initialDelay: expected a number of seconds above 0, found -1" },
      { { initialDelya = 1 }, 'initialDelya: unknown option, did you mean "initialDelay"?' },
    } do
      it("refuses an option: " .. case[2], function()
        local done = waiter({}, function() return {} end)
        local options = { maxWait = 1 }
        for name, value in pairs(case[1]) do options[name] = value end
        local ok, mistake = pcall(done.wait, done, {}, options)
        assert.is_false(ok)
        assert.truthy(tostring(mistake):find(case[2], 1, true), mistake)
      end)
    end
  end)

  describe("lateness", function()
    local function delays_of(...) return select(2, replay("lateness = 0.25,", "pending", ...)) end

    it("has delays that grow with the time waited, whatever the attempt", function()
      local longest = 0
      for _, one in ipairs(replay("lateness = 0.25,", "pending", "10m").history) do
        local high = math.min(20, math.max(2, one.at / 4))
        local is_last = one.at + (one.delay or 0) > 597.9
        assert.is_true(is_last or one.delay <= high and one.delay >= math.max(2, high / 2))
        longest = math.max(longest, one.delay or 0)
      end
      assert.is_true(longest > 15)
    end)

    it("is switched off by --interval, and by a --max-delay below minDelay", function()
      for _, option in ipairs { "--interval", "--max-delay" } do
        for _, delay in ipairs(delays_of("2m", option, "1s")) do assert.equal(1, delay) end
      end
    end)

    it("stays with a --min-delay above maxDelay, which raises that", function()
      for _, delay in ipairs(delays_of("10m", "--min-delay", "30s")) do assert.equal(30, delay) end
      local least, most = 1000, 0
      for _, delay in ipairs(delays_of("1h", "--max-delay", "5m", "--min-delay", "10s")) do
        least, most = math.min(least, delay), math.max(most, delay)
      end
      assert.is_true(least == 10 and most > 150)
    end)

    it("gives the delays of a seed again, and counts the durations of attempts", function()
      assert.same(delays_of "1h", delays_of "1h")
      lines.slow = '{"output": {"status": "pending"}, "duration": 8}'
      local _, delays = replay("lateness = 1,", "slow", "1h")
      assert.is_true(delays[1] >= 4 and delays[1] <= 8)
      assert.is_true(delays[2] >= (16 + delays[1]) / 2)
    end)
  end)

  describe("a definition", function()
    local function check(members)
      workspace:write("recipe.lua", recipe(members))
      return workspace:bide { "list", "recipe.lua" }
    end

    for _, case in ipairs {
      { "hold = 3,", "Done: hold: expected a table, found 3" },
      { "hold = { attempts = 0 },", "Done: hold: expected a whole number of attempts above 0, found 0" },
      { "hold = { attempts = 1.5 },", "Done: hold: expected a whole number of attempts above 0, found 1.5" },
      { "hold = { seconds = 0 },", "Done: hold: expected a number of seconds above 0, found 0" },
      { "hold = { seconds = 1, attempts = 1 },", "Done: hold: expected exactly one of attempts and seconds" },
      { "hold = {},", "Done: hold: expected exactly one of attempts and seconds" },
      { "hold = { minutes = 1 },", "Done: hold: expected exactly one of attempts and seconds" },
      { "lateness = 0,", "Done: lateness: expected a number above 0, at most 1, found 0" },
      { "lateness = 1.01,", "Done: lateness: expected a number above 0, at most 1, found 1.01" },
      { "lateness = -0.5,", "Done: lateness: expected a number above 0, at most 1, found -0.5" },
      { "lateness = 0 / 0,", "Done: lateness: expected a number above 0, at most 1, found nan" },
      { "lateness = '5%',", 'Done: lateness: expected a number above 0, at most 1, found "5%"' },
      { "lateness = 1, resetOnChange = 'a',", "Done: resetOnChange: lateness is given" },
      { "latenes = 1,", 'Done: latenes: unknown member, did you mean "lateness"?' },
      { "hodl = { attempts = 1 },", 'Done: hodl: unknown member, did you mean "hold"?' },
      { "initialDelay = 'soon',", 'Done: initialDelay: expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found "soon"' },
      { "initialDelay = -1,", "Done: initialDelay: expected a number of seconds above 0, found -1" },
      { "resetOnChange = true,", "Done: resetOnChange: expected a string, found true" },
      { "resetOnChange = 'a[',", "Done: resetOnChange: " },
      { "retryAfter = 5,", "Done: retryAfter: expected false or { cap = seconds }, found 5" },
    } do
      it("is refused: " .. case[2], function()
        check(case[1]):says(2, case[2])
      end)
    end

    it("has names that an option can hold", function()
      workspace:write("recipe.lua", (recipe(""):gsub("Complete", "a=b")))
      local done = workspace:bide { "list", "recipe.lua" }
      assert.truthy(done.stderr:find(
        'acceptors[1].name: expected a name of letters, digits, - and _, found "a=b"', 1, true), done.stderr)
    end)

    it("is listed with what it says", function()
      assert.truthy(check("lateness = 0.125,").stdout:find("2 s to 20 s, lateness 12.5 %,", 1, true))
      local done = check 'initialDelay = 5, hold = { seconds = 30 }, resetOnChange = "status",'
      assert.truthy(done.stdout:find(
        "2 s to 20 s, first after 5 s, held for 30 s, backoff reset when status changes, Complete or Failed", 1, true))
    end)

    it("that is to stay portable has none of it: a warning, and no effect", function()
      local acceptor = '{"state": "success", "name": "Complete", "matcher": {"success": true}}'
      workspace:write("trait.json", ('{"Done": {"hold": {"attempts": 3}, "initialDelay": 5, "resetOnChange": "a", "lateness": 1, '
        .. '"retryAfter": false, "acceptors": [%s]}}'):format(acceptor))
      workspace:write("answers.jsonl", '{"output": {}}\n')
      local outcome, done = workspace:outcome { "replay", "trait.json", "Done", "answers.jsonl", "--max-wait", "1m" }
      assert.same({ 1, 0, nil }, { outcome.attempts, outcome.elapsed, outcome.name })
      for _, name in ipairs { "hold", "initialDelay", "lateness", "resetOnChange", "retryAfter", "acceptors[1].name" } do
        assert.truthy(done.stderr:find(("warning: trait.json:1: Done: %s: unknown member, which is not part of the Smithy "
          .. "trait: only a Lua recipe may have it, and it has no effect here\n"):format(name), 1, true), done.stderr)
      end
    end)

    it("tells which of its members a Smithy model could not say", function()
      local text = recipe "hold = { attempts = 3 }, resetOnChange = 'a',"
      workspace:write("recipe.lua", (text:gsub("minDelay = 2", "minDelay = 2.5")))
      local done = assert(bide.load(workspace.path .. "/recipe.lua")).Done
      assert.is_false(done.portable)
      table.sort(done.unportable)
      assert.same({ "acceptors[1].name", "acceptors[2].name", "acceptors[3].name", "hold", "minDelay", "resetOnChange" },
        done.unportable)
      workspace:write("late.lua", recipe "lateness = 1,")
      local checked = workspace:bide { "check", "late.lua", "--severity", "NOTE" }
      assert.matches("NOTE bide.NotPortable\n  Done: lateness: not portable to Smithy, whose models have no such member",
        checked.stdout, 1, true)
      assert.is_nil(workspace:bide({ "check", "recipe.lua", "--severity", "NOTE" }).stdout:find("NotPortable", 1, true))
    end)
  end)
end)
