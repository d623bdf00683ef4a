---`bide run http.lua`, by someone who had seen the bundled file, listed all recipes and did not name `http`.

local process = require "spec.support.process"

describe("the name of a bundled recipe with the ending of its file", function()
  it("is answered with the recipe", function()
    local done = process.run { process.bide, "run", "http.lua", "localhost", "--max-wait", "1s" }
    assert.equal(2, done.code)
    assert.matches('http.lua: no such file or directory, and no bundled recipe .* did you mean "http"%?', done.stderr)
  end)
end)
