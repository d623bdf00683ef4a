local fingerprint = require("bide.record.journal.sources").fingerprint

describe("a fingerprint", function()
  it("is FNV-1a of 64 bits", function()
    assert.equal("cbf29ce484222325", fingerprint "")
    assert.equal("af63dc4c8601ec8c", fingerprint "a")
    assert.equal("85944171f73967e8", fingerprint "foobar")
  end)

  it("is another for any byte that changes, wherever it stands", function()
    local text, seen = ("x"):rep(10000), {}
    for place = 1, #text, 37 do
      local hash = fingerprint(text:sub(1, place - 1) .. "y" .. text:sub(place + 1))
      assert.is_nil(seen[hash])
      seen[hash] = true
    end
    assert.is_nil(seen[fingerprint(text)])
  end)
end)
