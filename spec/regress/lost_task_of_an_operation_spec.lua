---The error of a task that an operation, or its witness, had started and not joined was lost, and the attempt a success.

local Workspace = require "spec.support.workspace"

describe("a task of an operation that nobody joined", function()
  local workspace = Workspace.of_block()

  ---Runs a recipe with the code of an operation and of its witness.
  ---@return spec.Process
  local function run_both(code, witness, ...)
    workspace:write("tasks.lua", ([[
      local bide = require "bide"
      return { Get = { call = function() %s end, witness = function() %s end, waitable = { Got = { acceptors = {
        { state = "success", matcher = { success = true } }, { state = "success", matcher = { errorType = "Wanted" } },
      } } } } }]]):format(code, witness))
    return workspace:bide { "run", "tasks.lua", "--max-wait", "50s", "--quiet", ... }
  end

  local function run(code, ...) return run_both(code, "return true", ...) end

  it("ends it by a script error, whatever the operation does", function()
    for _, rest in ipairs { "return {}", "error { type = 'Wanted' }" } do
      run("bide.spawn(function() error 'a bug' end) bide.sleep(0.01) " .. rest):says(5, "a bug (in the task of tasks.lua:2)")
    end
  end)

  it("ends it by an operation error, unless it has one of its own", function()
    local spawn = "bide.spawn(function() error { type = '%s' } end) bide.sleep(0.01) "
    run(spawn:format "Odd" .. "return {}"):says(3, "no acceptor matched the error Odd")
    assert.equal(0, run(spawn:format "Odd" .. "error { type = 'Wanted' }").code)
    assert.equal(0, run(spawn:format "Wanted" .. "return {}").code)
  end)

  it("does no harm where it was joined, or ends with the operation", function()
    assert.equal(0, run("local task = bide.spawn(function() error 'a bug' end) pcall(task.join, task) return {}").code)
    assert.equal(0, run("bide.spawn(function() bide.sleep(60) end) bide.sleep(0) return {}").code)
  end)

  it("ends it by a script error if it has not begun", function()
    local words = "the operation ended before the task of tasks.lua:2 began, which has done nothing: join it"
    run("bide.spawn(function() error { type = 'Wanted' } end) return {}"):says(5, words)
    run_both("return {}", "bide.spawn(print) return true"):says(5, words)
    assert.equal(0, run("bide.spawn(print):cancel() return {}").code)
  end)

  it("counts in its own attempt alone", function()
    local done = run("made = (made or 0) + 1; if made == 1 then bide.spawn(function() error { type = 'Odd' } end) end "
      .. "bide.sleep(0.01) return {}", "--retry-on", "Odd", "--interval", "10ms")
    done:prints(0, "after 2 attempts")
  end)

  it("ends the witness, too", function()
    local spawn = "bide.spawn(function() error %s end) bide.sleep(0.01) return true"
    local done = run_both("return {}", spawn:format "'a bug'")
    done:says(5, "a bug (in the task of tasks.lua:2)")
    done = run_both("return {}", spawn:format "{ type = 'Odd' }", "--max-attempts", "1")
    done:says(4, "not believed: Odd")
  end)

  it("of the operation does not count for the witness", function()
    local code = "bide.spawn(function() error { type = 'Wanted' } end) bide.sleep(0.01) return {}"
    assert.equal(0, run_both(code, "return true", "--max-attempts", "1").code)
  end)
end)
