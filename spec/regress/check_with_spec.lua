---bide check looked at the expressions of models and traits before it ran the files of --with, and so refused the functions
---that these register, which bide run takes. And it ran those files once for each recipe, as bide list did, so that the
---functions existed already at the second one.

local Workspace = require "spec.support.workspace"

local major = [[
local bide = require "bide"
bide.jmespath.register("major", { "string", returns = "number" }, function(version)
  return tonumber(version:match "^%d+")
end)
bide.matcher("isBig", function(context) return context.output ~= nil end)
return { GetVersion = function() return { version = "2.1" } end }
]]

local acceptor = '{ "state": "success", "matcher": { "output": {'
  .. ' "path": "major(version) == `2`", "comparator": "booleanEquals", "expected": "true" } } }'

local files = {
  ["trait.json"] = ('{ "VersionReady": { "acceptors": [ %s ] } }'):format(acceptor),
  ["matcher.json"] = '{ "VersionReady": { "acceptors": [ { "state": "success", "matcher": { "lua": "isBig" } } ] } }',
  ["model.smithy"] = ([[
$version: "2"
namespace example
use smithy.waiters#waitable
@waitable(VersionReady: { "acceptors": [ %s ] })
@readonly
operation GetVersion { input := {} output := { version: String } }
]]):format(acceptor),
}

describe("bide check --with", function()
  local workspace = Workspace.of_each()
  before_each(function()
    workspace:write("major.lua", major)
    for name, text in pairs(files) do workspace:write(name, text) end
  end)

  for name in pairs(files) do
    it("knows what the file registers, as bide run does: " .. name, function()
      workspace:bide({ "run", name, "--with", "major.lua", "--max-wait", "50s", "--quiet" }):ends(0)
      for _, more in ipairs { {}, { "--sandbox" } } do
        local checked = workspace:bide { "check", name, "--with", "major.lua", table.unpack(more) }
        assert.same({ 0, "" }, { checked.code, checked.stdout }, checked.stderr)
      end
    end)
  end

  it("knows it in all files of the call", function()
    local checked = workspace:bide { "check", "trait.json", "model.smithy", "matcher.json", "--with", "major.lua" }
    assert.same({ 0, "" }, { checked.code, checked.stdout }, checked.stderr)
  end)

  it("runs it once for all recipes, as bide list does", function()
    workspace:bide({ "list", "trait.json", "matcher.json", "--with", "major.lua" }):ends(0)
    local ran = workspace:bide { "run", "trait.json", "--with", "major.lua", "--max-wait", "50s", "+", "matcher.json", "--with",
      "major.lua" }
    assert.equal(0, ran.code, ran.stderr)
  end)

  it("keeps the names of matchers of two files apart", function()
    workspace:write("again.lua", 'require("bide").matcher("isBig", print)')
    local checked = workspace:bide { "check", "again.lua", "--with", "major.lua" }
    checked:prints(1, 'the matcher "isBig" is defined in major.lua already')
  end)

  it("finds what the file does not register", function()
    workspace:write("wrong.json", (files["trait.json"]:gsub("major", "minor")))
    workspace:bide({ "check", "wrong.json", "--with", "major.lua" }):prints(1, "unknown-function: there is no function minor()")
  end)

  it("ends with the exit code for usage if the file cannot be run", function()
    workspace:write("broken.lua", "error 'not today'")
    for _, name in ipairs { "broken.lua", "./missing.lua" } do
      workspace:bide({ "check", "model.smithy", "--with", name }):says(2, name:match "%a+%.lua")
    end
  end)
end)
