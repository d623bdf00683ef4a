---A bug of bide between two attempts, or in the decision on one, was reported as a bug in the recipe, with exit code 5: all
---that the loop called counted as a script's. What a script's own callbacks raise is still the script's.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

---Runs a wait after `chunk`, which breaks something.
local function run(chunk, ...)
  local words = {}
  for position, word in ipairs { ... } do words[position] = ("%q"):format(word) end
  local main = ("os.exit(require('bide.cli').main { %s })"):format(table.concat(words, ", "))
  return process.run({ "lua5.4", "-e", chunk .. " " .. main },
    { env = { LUA_PATH = "lua/?.lua;lua/?/init.lua;;", LUA_CPATH = "build/lib/?.so;;" } })
end

local words = { "run", "http", "http://127.0.0.1:1", "--max-attempts", "1", "--max-wait", "20s" }

describe("a bug of bide", function()
  for name, chunk in pairs {
    ["while the outcome is made"] = 'require("bide.wait.outcome").record = function() error("a bug of bide", 0) end',
    ["in what makes it, as a table"] = 'require("bide.wait.outcome").record = function() error { type = "Bug" } end',
    ["while an outcome is told"] = 'require("bide.record.report.explanation"); require("bide.wait.outcome").record = nil',
    ["while evidence is looked for"] = [[local evidence = require "bide.wait.evidence"
      evidence.of, evidence.of_error = nil, nil]],
    ["while a decision is made"] = 'require("bide.error_class").is_transient = nil',
    ["while an attempt is remembered"] = 'require("bide.wait.outcome").add_name = nil',
  } do
    it(name .. " is exit 70", function()
      local done = run(chunk, table.unpack(words))
      assert.equal(70, done.code, done.stderr)
      assert.no.matches("a script error ended the wait", done.stderr, 1, true)
    end)
  end

  it("is shown in lines", function()
    local done = run('require("bide.wait.outcome").record = nil', table.unpack(words))
    assert.matches("\nstack traceback:\n", done.stderr, 1, true)
    assert.no.matches("\\x0A", done.stderr, 1, true)
  end)
end)

describe("a bug of a script", function()
  local space = Workspace.of_each()

  local recipe = [[
local uv = require "luv"
require("bide").matcher("broken", function() return nothing.member end)

local function call()
  local timer = uv.new_timer()
  timer:start(1, 0, function() error "a bug of the script" end)
  require("bide").sleep(5)
end

return { Get = { call = %s, waitable = { Done = { acceptors = { { state = "success", matcher = %s } } } } } }
]]

  for name, row in pairs {
    ["in a callback of luv"] = { "call", "{ success = true }" },
    ["in its operation"] = { "function() return nothing.member end", "{ success = true }" },
    ["in its matcher"] = { "function() return {} end", "{ lua = 'broken' }" },
  } do
    it(name .. " is exit 5", function()
      space:write("things.lua", recipe:format(row[1], row[2]))
      space:bide({ "run", "things.lua", "--max-wait", "50s" }):ends(5)
    end)
  end
end)
