local process = require "spec.support.process"

local function run() return process.run { "sh", "-c", "echo out; echo err >&2; exit 3" } end

describe("what a spec expects of a program's end", function()
  it("holds", function()
    run():ends(3):says(3, "err"):prints(3, "out", "ou"):writes(3, "out", "err")
  end)

  for name, expect in pairs {
    ["another code"] = function(done) done:ends(0) end,
    ["another code, with the text"] = function(done) done:says(0, "err") end,
    ["a text of the other stream"] = function(done) done:says(3, "out") end,
    ["a text of standard error"] = function(done) done:prints(3, "err") end,
    ["a pattern"] = function(done) done:writes(3, "o.t") end,
    ["a second text"] = function(done) done:writes(3, "out", "nothing") end,
    ["the code of a program that runs"] = function() process.start({ "true" }):ends(0) end,
  } do
    it("fails for " .. name, function()
      assert.has_error(function() expect(run()) end)
    end)
  end
end)
