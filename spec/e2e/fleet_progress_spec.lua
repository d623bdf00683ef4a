---Progress of a fleet: counts by state from the first second on, failures as they happen, a summary that fits a screen.

local Screen = require "spec.support.screen"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local jobs = [[
local http = require "bide.http"
return { GetJob = {
  call = function(input) return http.get(input.endpoint .. "/jobs/" .. input.id) end,
  waitable = { JobDone = { minDelay = 0.2, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
  } } },
} }
]]

local things = [[
local bide = require "bide"
return { GetThing = {
  call = function(input)
    if input.raise then error { type = "Boom", message = input.raise } end
    bide.sleep(input.after or 0.01)
    return { status = input.status }
  end,
  waitable = { ThingExists = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } },
      message = "status" },
  } } },
} }
]]

describe("progress of a fleet", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(function(request)
    local number = tonumber(request.path:match "%d+$")
    return { body = ('{"state": "%s"}'):format(number % 100 == 7 and "failed" or "done") }
  end)

  setup(function()
    workspace:write("jobs.lua", jobs)
    workspace:write("things.lua", things)
  end)

  local function write_lines(count, line)
    local lines = {}
    for number = 1, count do lines[number] = line:gsub("N", number) end
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
  end

  local function run(lines, ...)
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    return workspace:bide { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "5s", ... }
  end

  local function numbers_in(text)
    local numbers = {}
    for number, state in text:gmatch "(%d+) (%l+)" do numbers[state] = tonumber(number) end
    return numbers
  end

  describe("on a terminal", function()
    ---Starts a line of shell on a terminal of a size.
    local function start(columns, line)
      return process.start({ "script", "-qec", ("stty cols %d rows 30; %s"):format(columns, line), "/dev/null" }, {
        cwd = workspace.path, tool = true,
        env = { BIDE = require("luv").fs_realpath(process.bide), TERM = "xterm", NO_COLOR = false, GITHUB_ACTIONS = false },
      })
    end

    local function jobs_at(rate, rest)
      return ('"$BIDE" run jobs.lua --each lines.jsonl endpoint=%s --max-wait 5m --rate %s %s'):format(server.url, rate,
        rest or "")
    end

    local function screen_of(columns, bytes)
      local screen = Screen.new(columns)
      screen:feed(bytes)
      return screen
    end

    it("shows the states within the first second, each failure, and in the end only the summary", function()
      write_lines(500, '{"id": "nN"}')
      local running = start(120, jobs_at "250/s")
      running:wait_for_output "JobDone: .-\27%[%?7h"
      local first = screen_of(120, running.stdout:match "^.*\27%[%?7h"):lines()
      local states = numbers_in(table.concat(first, "\n"):match "\n  (%d+ queued[^\n]*)")
      assert.equal(500, states.queued + states.asking + states.sleeping + states.succeeded + states.failed)
      assert.is_true(states.queued > 300)
      running:wait_for_output " 1%.%d s of 5 m.-\27%[%?7h"
      local later = screen_of(120, running.stdout:match "^.*\27%[%?7h"):lines()
      assert.matches("^line %d*7 %(id=n%d*7%): JobDone failed after 1 attempt in ", later[1])
      local shown = table.concat(later, "\n")
      assert.matches("\n[|/\\-] JobDone: %d+ of 500 waits have ended, 1%.%d s of 5 m, %d+ attempts", shown)
      assert.matches("\n  slowest: line %d+ %(id=n%d+%): ", shown)
      states = numbers_in(shown:match "\n  (%d+ queued[^\n]*)")
      assert.equal(500, states.queued + states.asking + states.sleeping + states.succeeded + states.failed)
      assert.is_true(states.succeeded > 50)

      local last = screen_of(300, running:wait().stdout):lines()
      assert.equal(1, running.code)
      assert.equal(6, #last)
      for position = 1, 5 do assert.matches("^line %d+ %(id=n%d+%): JobDone failed ", last[position]) end
      assert.equal("495 of 500 waits succeeded, 5 failed, 0 cancelled; 500 needed", last[6])
    end)

    it("wraps no line on a narrow terminal, nor one that has become narrow", function()
      write_lines(60, '{"id": "漢字漢字漢字N"}')
      local running = start(60, ("(sleep 0.4; stty -F /dev/tty cols 30) & %s"):format(jobs_at "60/s")):wait()
      local widest = { 0, 0 }
      for frame in running.stdout:gmatch "\27%[%?7l(.-)\27%[%?7h" do
        local screen = screen_of(200, frame)
        local columns = 0
        for _, row in ipairs(screen.rows) do columns = math.max(columns, #row) end
        widest = { math.max(widest[1], columns), columns }
      end
      assert.is_true(widest[1] <= 59 and widest[1] > 29, widest[1])
      assert.is_true(widest[2] <= 29, widest[2])
    end)

    it("is coloured unless NO_COLOR is set", function()
      write_lines(20, '{"id": N}')
      local red, green = "\27%[31m[^\27]*failed", "\27%[32m%d+ succeeded\27%[0m"
      local screen = start(100, jobs_at "40/s"):wait().stdout
      assert.matches(red, screen)
      assert.matches(green, screen)
      screen = start(100, "NO_COLOR=1 " .. jobs_at "40/s"):wait().stdout
      assert.not_matches("\27%[%d*m", screen)
      assert.matches("succeeded", screen)
    end)

    it("is a log where the terminal is dumb, and nothing with --quiet", function()
      write_lines(7, '{"id": N}')
      assert.not_matches("\27", start(100, "TERM=dumb " .. jobs_at "40/s"):wait().stdout)
      assert.matches("^line 7 %(id=7%): JobDone failed [^\n]*\n6 of 7 waits succeeded[^\n]*\n$",
        start(100, jobs_at("40/s", "--quiet")):wait().stdout)
    end)
  end)

  describe("in a log", function()
    it("begins after a second, and counts those that wait for their turn", function()
      local lines = {}
      for number = 1, 8 do lines[number] = ('{"after": 60, "id": %d}'):format(number) end
      local done = run(lines, "--jobs", "3", "--max-wait", "1200ms")
      assert.equal(124, done.code)
      assert.matches("^1 s of 1%.2 s: 5 queued, 3 asking, 0 sleeping; 0 of 8 waits have ended: 0 succeeded, 0 failed; "
        .. "0 attempts\n", done.stderr)
    end)

    it("has a line for each attempt with --verbose", function()
      local done = run({ '{"status": "done", "name": "db"}' }, "--verbose")
      assert.equal('line 1 (name=db): attempt 1, 0.01 s of 5 s: status is "done"\n', (done.stderr:gsub("0%.%d+ s", "0.01 s")))
      assert.matches("^line 1 %(name=db%): ThingExists succeeded ", done.stdout)
    end)
  end)

  describe("in a summary", function()
    it("lists failures, at most a screen of them", function()
      local lines = {}
      for number = 1, 30 do
        lines[number] = ('{"id": "n%d", "status": "%s"}'):format(number, number > 5 and "failed" or "done")
      end
      local done = run(lines, "--quiet")
      local _, count = done.stderr:gsub("\n", "")
      assert.equal(22, count)
      assert.matches("^line 6 %(id=n6%): ", done.stderr)
      assert.matches("\nline 25 %(id=n25%): [^\n]*\n… and 5 more; %-%-output json has them all\n5 of 30 waits succeeded, ",
        done.stderr)
      _, count = run(lines, "--quiet", "--verbose").stderr:gsub("\n", "")
      assert.equal(31, count)
    end)

    it("has one line for all waits that were cancelled", function()
      write_lines(40, '{"id": "nN", "after": 60}')
      local running = workspace:start({ "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "1m" },
        { signal = "sigint", caught_for = 0.5 }):wait()
      assert.equal(130, running.code)
      assert.equal("40 waits were cancelled\n0 of 40 waits succeeded, 0 failed, 40 cancelled; 40 needed\n", running.stderr)
      assert.equal("", running.stdout)
    end)

    it("identifies a wait by id, name or the first string, and never by a secret", function()
      local done = run({
        '{"status": "failed", "name": "b", "id": 7}', '{"id": null, "name": "", "status": "failed"}',
        '{"password": "failed", "url": "x", "note": "y", "status": "failed"}', '{"id": "a\\u001b[2J\\nb", "status": "failed"}',
        ('{"name": "%s", "status": "failed"}'):format(("x"):rep(100)),
      }, "--quiet", "name=shared", "after=0")
      local names = {}
      for name in done.stderr:gmatch "line %d+ (%b()): [^\n]*" do names[#names + 1] = name end
      assert.same({
        "(id=7)", "(status=failed)", "(url=x)", "(id=a\\x1B[2J\\x0Ab)", "(name=" .. ("x"):rep(34) .. "…)",
      }, names)
    end)
  end)

  describe("in a workflow of GitHub", function()
    local function in_workflow(lines, ...)
      workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
      return workspace:bide({ "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "5s", ... },
        { env = { GITHUB_ACTIONS = "true" } })
    end

    it("is a group, and each failure an annotation", function()
      local done = in_workflow { '{"status": "done"}', '{"id": "a,b:50%", "raise": "100%\\n::error::\\r##[group]x"}' }
      local lines = {}
      for line in done.stderr:gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("0%.%d+ s", "0 s") end
      assert.same({
        "::group::bide: 2 waits",
        "::error title=line 2 (id=a%2Cb%3A50%25)::ThingExists failed after 1 attempt in 0 s: no acceptor matched the error Boom: "
          .. "100%25\\x0A::error::\\x0D#\\x23[group]x",
        "::endgroup::",
        "1 of 2 waits succeeded, 1 failed, 0 cancelled; 2 needed",
      }, lines)
    end)

    it("gives no service a command of the runner", function()
      for _, format in ipairs { "text", "json" } do
        local done = in_workflow({ '{"status": "failed", "raise": "  ::set-env name=A::b\\n::error::x ##[add-mask]y"}' },
          "--output", format, "--verbose", "--events", "events.jsonl")
        for line in (done.stdout .. done.stderr .. workspace:read "events.jsonl"):gmatch "[^\n]+" do
          assert.is_nil(line:find("##[", 1, true))
          if not line:find "^::error title=line 1" then assert.not_matches("^%s*::[%l-]+ ", line) end
        end
      end
    end)

    it("escapes an acceptor's message that is a command", function()
      workspace:write("one.lua", (things:gsub('expected = "failed"', 'expected = "\\u{A0}::error::x"')))
      local done = workspace:bide({ "run", "one.lua", "status=\u{A0}::error::x", "--max-wait", "50s" },
        { env = { GITHUB_ACTIONS = "true" } })
      for line in (done.stdout .. done.stderr):gmatch "[^\n]+" do
        assert.not_matches("^[%s\xC2\xA0]*::error::", line)
      end
    end)
  end)
end)
