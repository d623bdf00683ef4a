---`bide run http.lua`, by someone who had seen the bundled file, listed all recipes and did not name `http`.

local process = require "spec.support.process"

describe("the name of a bundled recipe with the ending of its file", function()
  it("is answered with the recipe", function()
    local done = process.run { process.bide, "run", "http.lua", "localhost", "--max-wait", "1s" }
    assert.equal(2, done.code)
    assert.matches('http.lua: no such file or directory, and no bundled recipe .* did you mean "http"%?', done.stderr)
  end)

  it("is asked for by no other file that is absent", function() -- waits.yml was answered with nats, deploy.yaml with kubernetes
    for _, name in ipairs { "waits.yml", "deploy.yaml", "htp.lua", "waits.json" } do
      local done = process.run { process.bide, "run", name, "--max-wait", "1s" }
      assert.same({ 2, ("bide: %s: no such file or directory\n"):format(name) }, { done.code, done.stderr })
    end
  end)
end)
