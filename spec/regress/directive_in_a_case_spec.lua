---`bide test --output tap` left a backslash in the name of a case as it was. Before "#" it undid the escape, and a case that
---failed was one skipped, which a reader of TAP does not count.

local results = require "bide.cli.test.results"

describe("bide test", function()
  it("lets no name of a case begin a directive of TAP", function()
    local result = { path = "a.lua", name = "done \\# SKIP it", faults = { "no" }, path_taken = {}, elapsed = 0 }
    local written = results.texts.tap({ result })
    assert.equal("not ok 1 - a.lua: done \\\\\\# SKIP it", written:match "\n(not ok[^\n]*)")
  end)
end)
