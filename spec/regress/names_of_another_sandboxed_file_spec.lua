---A function that one sandboxed file registered decided the wait of another file, and saw its data; and a name that one file
---had taken kept the next from running.

local Workspace = require "spec.support.workspace"

---A recipe whose function or matcher matches `ready`, and one whose own matches always.
local function recipe(name, matches, path)
  return ([[
local bide = require "bide"
bide.jmespath.register("is_ready", { "any" }, function(x) %s end)
bide.matcher("isReady", function(context) local x = context.output %s end)
return { %s = { call = function() return { ready = false, private = "data of %s" } end,
  waitable = { Done%s = { minDelay = 0.1, maxDelay = 0.1, acceptors = { { state = "success", matcher = %s } } } } } }
]]):format(matches, matches, name, name, name, path)
end

local by_function = '{ output = { path = "is_ready(@)", comparator = "booleanEquals", expected = "true" } }'
local by_matcher = '{ lua = "isReady" }'
local always, if_ready = 'print("saw " .. x.private) return true', "return x.ready == true"

describe("names that a sandboxed file registers", function()
  local workspace = Workspace.of_each()

  for kind, path in pairs { functions = by_function, matchers = by_matcher } do
    it("belong to that file: " .. kind, function()
      workspace:write("a.lua", recipe("A", always, path))
      workspace:write("b.lua", recipe("B", if_ready, path))
      for _, order in ipairs { { "a.lua", "b.lua" }, { "b.lua", "a.lua" } } do
        local done = workspace:bide { "run", "--sandbox", order[1], "--max-wait", "0.5s", "+", order[2], "--keep-going",
          "--quiet" }
        done:writes(124, "DoneA succeeded", "DoneB gave up")
        assert.not_matches("saw data of B", done.stdout .. done.stderr, 1, true)
      end
    end)
  end

  it("are unknown to a file that has none", function()
    workspace:write("a.lua", recipe("A", always, by_function))
    workspace:write("b.lua", (recipe("B", if_ready, by_function):gsub("bide%.jmespath%.register[^\n]*", "")))
    local done = workspace:bide { "run", "--sandbox", "a.lua", "--max-wait", "0.5s", "+", "b.lua", "--quiet" }
    done:says(2, "there is no function is_ready()")
  end)

  it("are those of its expressions on the command line", function()
    workspace:write("a.lua", recipe("A", if_ready, by_function))
    workspace:bide({ "run", "--sandbox", "a.lua", "--max-wait", "50s", "--until", "!is_ready(@)", "--quiet" }):ends(0)
  end)

  it("come from a module for each file that requires it", function()
    workspace:write("shared.lua", 'require("bide").jmespath.register("is_ready", { "any" }, function(x) return x.ready end)\n')
    for _, name in ipairs { "A", "B" } do
      workspace:write(name .. ".lua", ([[require "shared"
return { %s = { call = function() return { ready = true } end,
  waitable = { Done%s = { acceptors = { { state = "success", matcher = %s } } } } } }]]):format(name, name, by_function))
    end
    for _, options in ipairs { {}, { "--sandbox" } } do
      workspace:bide({ "run", "A.lua", "--max-wait", "50s", "+", "B.lua", "--quiet", table.unpack(options) }):ends(0)
    end
  end)

  it("may be registered and used while it runs, and stay its own", function()
    workspace:write("late.lua", [[
local bide = require "bide"
return { Op = { call = function(input)
    pcall(bide.jmespath.register, "late", { "any" }, function() return input.name end)
    bide.sleep(0.05)
    local compiled, expression = pcall(bide.jmespath, "late(@)")
    return { ready = compiled and expression:search {} == input.name }
  end,
  waitable = { Done = { acceptors = { { state = "success",
    matcher = { output = { path = "ready", comparator = "booleanEquals", expected = "true" } } } } } } } }
]])
    workspace:write("other.lua", [[
local bide = require "bide"
return { Op = { call = function() bide.sleep(0.2) return { known = pcall(bide.jmespath, "late(@)") } end,
  waitable = { Unknown = { acceptors = { { state = "success",
    matcher = { output = { path = "known", comparator = "booleanEquals", expected = "false" } } },
    { state = "failure", matcher = { success = true } } } } } } }
]])
    workspace:bide({ "run", "--sandbox", "late.lua", "name=x", "--max-wait", "50s", "+", "other.lua", "--quiet" }):ends(0)
  end)

  it("are those of the files for --with, too", function()
    workspace:write("with.lua", 'require("bide").matcher("isReady", function(context) return context.output.ready end)\n'
      .. 'return { Op = function() return { ready = true } end }\n')
    workspace:write("trait.json", '{ "Done": { "acceptors": [ { "state": "success", "matcher": { "lua": "isReady" } } ] } }')
    local done = workspace:bide { "run", "--sandbox", "trait.json", "--with", "with.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(0, done.code, done.stderr)
    workspace:write("b.lua", recipe("B", if_ready, by_matcher))
    done = workspace:bide { "run", "--sandbox", "b.lua", "--with", "with.lua", "--max-wait", "50s", "--quiet" }
    done:says(2, 'the matcher "isReady" is defined in with.lua already')
  end)

  it("of a script are not those of a recipe that it loads", function()
    workspace:write("b.lua", (recipe("B", if_ready, by_function):gsub("bide%.jmespath%.register[^\n]*", "")))
    workspace:write("script.lua", [[
local bide = require "bide"
bide.jmespath.register("is_ready", { "any" }, function() return true end)
local ready = require("bide.acceptor").output("success", "is_ready(@)")
local own = bide.waiter { call = function() return {} end, acceptors = { ready } }
assert(own:wait({}, { maxWait = 1 }))
print(bide.load "b.lua")
]])
    workspace:bide({ "exec", "--sandbox", "script.lua" }):writes(0, "there is no function is_ready()")
  end)
end)
