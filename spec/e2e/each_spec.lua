---`bide run --each`: one wait for each line of a file.

local Directory = require "spec.support.directory"
local core = require "bide.core"
local process = require "spec.support.process"

require "bide"

local recipe = [[
local bide = require "bide"
local running, most = 0, 0
return {
  GetThing = {
    call = function(input)
      running = running + 1
      most = math.max(most, running)
      bide.sleep(input.after or 0.01)
      running = running - 1
      if input.bug then local nothing = nil; return nothing.field end
      if input.raise then error { type = input.raise } end
      return { status = input.status, most = most }
    end,
    waitable = {
      ThingExists = {
        minDelay = 0.01, maxDelay = 0.01,
        acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
          { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } } },
        },
      },
    },
  },
}
]]

describe("bide run --each", function()
  local directory = Directory.of_block()

  setup(function() directory:write("things.lua", recipe) end)

  local function run(lines, ...)
    directory:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    local command = { process.bide, "run", directory.path .. "/things.lua", "--each", directory.path .. "/lines.jsonl", ... }
    local has_limit = table.concat(command, " "):find("--max-wait", 1, true)
    if not has_limit then table.move({ "--max-wait", "50s" }, 1, 2, #command + 1, command) end
    return process.run(command)
  end

  local done, failed, pending, slow = '{"status": "done"}', '{"status": "failed"}', '{"status": "pending"}', '{"after": 60}'

  it("waits for all, and reports them in a sentence and as one JSON result", function()
    local result = run({ done, "", '{"status": "done", "after": 0.05}' }, "--quiet")
    assert.same({ 0, "2 of 2 waits succeeded, 0 failed, 0 cancelled; 2 needed\n" }, { result.code, result.stdout }, result.stderr)
    result = run({ done, done }, "--quiet", "--output", "json")
    local value = core.json.decode(result.stdout)
    assert.same({ "success", 2, 2 }, { value.state, value.count, #value.outcomes })
    assert.same({ "ThingExists", "success" }, { value.outcomes[1].waiter, value.outcomes[2].state })
  end)

  it("adds members that all share", function()
    local result = run({ "{}", '{"status": "failed"}' }, "status=done", "--any", "--quiet", "--output", "json")
    local value = core.json.decode(result.stdout)
    assert.same({ "done", "failed" }, { value.outcomes[1].input.status, value.outcomes[2].input.status })
  end)

  it("ends at once with --any and --some, and cancels the rest", function()
    for _, options in ipairs { { "--any" }, { "--some", "2" } } do
      local result = run({ done, slow, failed, done }, "--quiet", table.unpack(options))
      assert.equal(0, result.code)
      assert.is_true(result.elapsed < 40)
    end
    assert.equal(1, run({ failed, failed, done }, "--some", "2", "--quiet").code)
  end)

  it("exits with the worst cause", function()
    local bug, unmatched = '{"bug": true}', '{"raise": "AccessDenied"}'
    local rows = {
      { { pending, done }, 124, "--max-wait", "100ms" },
      { { pending, done }, 4, "--max-attempts", "2" },
      { { failed, failed }, 1 },
      { { unmatched, failed, failed }, 3, "--some", "3" },
      { { bug, unmatched, failed }, 5, "--some", "1" },
      { { failed, pending, done }, 1, "--max-attempts", "1", "--some", "2" },
    }
    for _, row in ipairs(rows) do
      assert.equal(row[2], run(row[1], "--quiet", table.unpack(row, 3)).code)
    end
  end)

  it("keeps to --jobs attempts in flight", function()
    local lines = {}
    for i = 1, 12 do lines[i] = done end
    local value = core.json.decode(run(lines, "--jobs", "3", "--quiet", "--output", "json").stdout)
    local most = 0
    for _, outcome in ipairs(value.outcomes) do most = math.max(most, outcome.output.most) end
    assert.same({ "success", 3 }, { value.state, most })
  end)

  it("ends in time those that never got their turn", function()
    local result = run({ slow, done }, "--jobs", "1", "--any", "--max-wait", "3s", "--quiet", "--output", "json")
    local value = core.json.decode(result.stdout)
    assert.equal(124, result.code)
    assert.same({ "maxWait", "maxWait", 0 }, { value.outcomes[1].reason, value.outcomes[2].reason, value.outcomes[2].attempts })
  end)

  it("writes one stream of events, whose waits can be told apart", function()
    local result = run({ done, failed }, "--events", "-", "--quiet", "--some", "1")
    local waits, ends = {}, 0
    for line in result.stdout:gmatch("[^\n]+") do
      local event = core.json.decode(line)
      waits[event.wait] = true
      if event.event == "end" then ends = ends + 1 end
    end
    local count = 0
    for _ in pairs(waits) do count = count + 1 end
    assert.same({ 2, 2 }, { count, ends })
  end)

  it("refuses a folder", function()
    local result = process.run { process.bide, "run", directory.path .. "/things.lua", "--each", directory.path,
      "--max-wait", "1s" }
    assert.equal(2, result.code)
    assert.matches("%-%-each: [^\n]*: Is a directory\n$", result.stderr)
  end)

  it("is cancelled as a whole by a signal", function()
    directory:write("lines.jsonl", slow .. "\n" .. slow .. "\n")
    local running = process.start { process.bide, "run", directory.path .. "/things.lua", "--each",
      directory.path .. "/lines.jsonl", "--max-wait", "50s", "--events", "-", "--quiet" }
    running:wait_for_output '"event": "start".*"event": "start"'
    running:kill "sigint"
    running:wait():says(130, "0 of 2 waits succeeded, 0 failed, 2 cancelled")
  end)

  it("says what is wrong with the file or the options", function()
    local rows = {
      { { "{}", "[1]" }, "lines.jsonl:2: expected a JSON object" },
      { { "{}", "{" }, "lines.jsonl:2:" },
      { { "" }, "expected at least one line" },
      { { done }, "expected at most 1", "--some", "2" },
    }
    for _, row in ipairs(rows) do
      run(row[1], table.unpack(row, 3)):says(2, row[2])
    end
    local result = process.run({ process.bide, "run", directory.path .. "/things.lua", "--any", "--max-wait", "1s" })
    result:says(2, "--any needs several waits")
  end)
end)
