---Where memory ran out at the start of a command's task, before its own protection stood, bide
---exited with 0 and had done nothing. Any other fault of its own was told as a mistake of the user's.

local exit_code = require "bide.cli.ending.exit_code"
local process = require "spec.support.process"

---Runs bide after `chunk`, which may put something in the place of what is to fail.
local function run(chunk)
  return process.run({ "lua5.4", "-e", chunk .. [[
    os.exit(require("bide.cli").main { "query", "a" })
  ]] }, { stdin = "{}", env = { LUA_PATH = "lua/?.lua;lua/?/init.lua;;", LUA_CPATH = "build/lib/?.so;;" } })
end

describe("a fault of bide itself", function()
  it("is an error at the start of a command's task too", function()
    local done = run [[
      local task = require("bide.core").task
      local start = task.start
      function task.start(_, ...) return start(function() error("not enough memory", 0) end, ...) end
    ]]
    assert.same({ 70, "", "bide: not enough memory\n" }, { done.code, done.stdout, done.stderr })
  end)

  it("is no mistake of the user's", function()
    local done = run 'require("bide.cli.commands.query").main = function() error "a bug" end'
    assert.same({ 70, "" }, { done.code, done.stdout })
    assert.matches("^bide: .*a bug\nstack traceback:", done.stderr)
  end)

  it("is memory that ran out while a recipe was loaded, or an attempt ran", function()
    local done = run [[
      local chunk = require "bide.recipe.file.chunk"
      print(pcall(chunk.run, "things.lua", "error('not enough memory', 0)"))
    ]]
    assert.matches("^false\tnot enough memory\n", done.stdout)
    assert.equal(70, exit_code.of { state = "failure", reason = "scriptError", fault = true })
  end)
end)

describe("the exit code of a fleet", function()
  local function code_of(fleet, signal)
    local records = {}
    for position, reason in ipairs(fleet) do
      records[position] = reason == "fault" and { state = "failure", reason = "scriptError", fault = true }
        or { state = "failure", reason = reason }
    end
    return exit_code.of_fleet({ state = "failure", interrupted = signal ~= nil, records = records }, signal)
  end

  it("is that of a fault, then a signal's, then that of the worst cause", function()
    assert.equal(70, code_of({ "scriptError", "fault", "maxWait" }))
    assert.equal(70, code_of({ "scriptError", "fault" }, 15))
    assert.equal(143, code_of({ "scriptError", "maxWait" }, 15))
    assert.same({ 5, 3, 1, 4, 124 }, {
      code_of { "unmatchedError", "scriptError", "acceptor", "maxAttempts", "maxWait" },
      code_of { "maxWait", "acceptor", "maxAttempts", "unmatchedError" }, code_of { "maxWait", "acceptor", "maxAttempts" },
      code_of { "maxWait", "maxAttempts" }, code_of { "maxWait" },
    })
  end)
end)
