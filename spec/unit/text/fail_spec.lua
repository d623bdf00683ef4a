local fail = require "bide.text.fail"

describe("bide.text.fail", function()
  it("raises an operation error", function()
    local ok, failure = pcall(fail, "NoSuchObject", "there is no such entry", 32)
    assert.same({ false, { type = "NoSuchObject", message = "there is no such entry", code = 32 } }, { ok, failure })
    assert.same({ type = "InvalidAnswer", message = "found nothing" }, select(2, pcall(fail, "InvalidAnswer", "found nothing")))
  end)
end)
