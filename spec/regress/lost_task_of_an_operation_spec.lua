---The error of a task that an operation had started and not joined was lost, and the attempt a success.

local Workspace = require "spec.support.workspace"

describe("a task of an operation that nobody joined", function()
  local workspace = Workspace.of_block()

  ---Runs a recipe whose operation is this code.
  ---@return spec.Process
  local function run(code, ...)
    workspace:write("tasks.lua", ([[
      local bide = require "bide"
      return { Get = { call = function() %s end, waitable = { Got = { acceptors = {
        { state = "success", matcher = { success = true } }, { state = "success", matcher = { errorType = "Wanted" } },
      } } } } }]]):format(code))
    return workspace:bide { "run", "tasks.lua", "--max-wait", "5s", "--quiet", ... }
  end

  it("ends it by a script error, whatever the operation does", function()
    for _, rest in ipairs { "return {}", "error { type = 'Wanted' }" } do
      local done = run("bide.spawn(function() error 'a bug' end) bide.sleep(0.01) " .. rest)
      assert.equal(5, done.code)
      assert.matches("a bug (in the task of tasks.lua:2)", done.stderr, 1, true)
    end
  end)

  it("ends it by an operation error, unless it has one of its own", function()
    local spawn = "bide.spawn(function() error { type = '%s' } end) bide.sleep(0.01) "
    local done = run(spawn:format "Odd" .. "return {}")
    assert.equal(3, done.code)
    assert.matches("no acceptor matched the error Odd", done.stderr, 1, true)
    assert.equal(0, run(spawn:format "Odd" .. "error { type = 'Wanted' }").code)
    assert.equal(0, run(spawn:format "Wanted" .. "return {}").code)
  end)

  it("does no harm where it was joined, or ends with the operation", function()
    assert.equal(0, run("local task = bide.spawn(function() error 'a bug' end) pcall(task.join, task) return {}").code)
    assert.equal(0, run("bide.spawn(function() bide.sleep(60) end) return {}").code)
  end)

  it("counts in its own attempt alone", function()
    local done = run("made = (made or 0) + 1; if made == 1 then bide.spawn(function() error { type = 'Odd' } end) end "
      .. "bide.sleep(0.01) return {}", "--retry-on", "Odd", "--interval", "10ms")
    assert.equal(0, done.code, done.stderr)
    assert.matches("after 2 attempts", done.stdout)
  end)
end)
