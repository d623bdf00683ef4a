local core = require "bide.core"
local expect = require "bide.expect"

local document = '{"status":"pending","size":3,"ratio":1.5,"ready":true,"none":null,"list":[],"text":"","password":"hunter2"}'

describe("bide.expect", function()
  for _, case in ipairs {
    { path = "status", wanted = "pending", value = "pending" },
    { path = "size", wanted = "3", value = 3 },
    { path = "size", wanted = 3, value = 3 },
    { path = "size", wanted = 3.0, value = 3 },
    { path = "ratio", wanted = "1.5", value = 1.5 },
    { path = "ready", wanted = "true", value = true },
    { path = "ready", value = true },
    { path = "size > `2`", value = true },
    { wanted = '"size":3' },
    {},
  } do
    it(("takes %s where %s is wanted"):format(case.path or "the text", case.wanted or "something"), function()
      local value = expect(document, case.path, case.wanted)
      assert.equal(case.value, value)
    end)
  end

  for _, case in ipairs {
    { path = "status", wanted = "success", message = 'status: expected "success", found "pending"' },
    { path = "size", wanted = true, message = "size: expected true, found 3" },
    { path = "none", message = "none is null" },
    { path = "missing", message = "missing is null" },
    { path = "list", message = "list is []" },
    { path = "text", message = 'text is ""' },
    { path = "status", message = 'status is "pending"' },
    { path = "size", message = "size is 3" },
    { path = "size > `3`", message = "size > `3` is false" },
    { path = "length(size)", message = "length(size) cannot be evaluated: invalid-type" },
    { wanted = "success\n", message = [[the text "success\n" was not found]] },
  } do
    it(("refuses %s where %s is wanted"):format(case.path or "the text", case.wanted or "something"), function()
      local ok, failure = pcall(expect, document, case.path, case.wanted)
      assert.is_false(ok)
      assert.equal("UnexpectedValue", failure.type)
      assert.equal(case.message, failure.message:sub(1, #case.message))
    end)
  end

  it("asks no member of what has none", function()
    for _, text in ipairs { "5", '"ok"', "null", "[1,2]" } do
      for _, path in ipairs { "!pending", "a != 'x'", "a" } do
        local ok, failure = pcall(expect, text, path)
        assert.same({ false, "UnexpectedValue" }, { ok, failure.type }, text)
      end
      assert.is_false(pcall(expect, text, "error", core.json.null))
    end
    assert.equal(5, expect("5", "@", 5))
  end)

  it("shows no secret, whatever the path", function()
    for _, path in ipairs { "password", "@", "to_string(@)", "values(@)", "[password]", "abs(password)" } do
      local _, failure = pcall(expect, document, path, "x")
      assert.equal("UnexpectedValue", failure.type)
      assert.not_matches("hunter2", failure.message)
    end
    assert.equal("[redacted]", (expect(document, "password", "hunter2")))
  end)

  it("compares no list, no object and no null with a text", function()
    local text = '{"list":[],"full":[1],"object":{"a":1},"none":null,"half":1.5,"whole":3.0,"big":12345678901234567890}'
    for path, wanted in pairs { list = "[]", full = "[1]", object = '{"a":1}', none = "null", missing = "null" } do
      assert.is_false(pcall(expect, text, path, wanted), path)
    end
    for path, wanted in pairs { half = "1.5", whole = "3.0", ["whole > `2`"] = "true", ["whole < `2`"] = "false" } do
      assert.is_true(pcall(expect, text, path, wanted), path)
    end
    assert.is_true(pcall(expect, text, "none", core.json.null))
    assert.is_false(pcall(expect, text, "whole", "3"))
  end)

  it("tells text that is not JSON from a path that is none", function()
    local _, failure = pcall(expect, "starting", "status", "x")
    assert.same({ "UnexpectedValue", true }, { failure.type, failure.message:find("not JSON", 1, true) ~= nil })
    _, failure = pcall(expect, "{}", "status.", "x")
    assert.equal("InvalidInput", failure.type)
  end)

  it("takes no row that always comes for one that was found", function()
    local null = core.json.null
    for _, value in ipairs { null, false, 0, 0.0, "0", "0.00", "f", "false", "", "[]", "{}", core.json.array {}, {} } do
      local _, failure = pcall(expect.row, 1, 1, { value = value })
      assert.equal("UnexpectedValue", failure.type, tostring(value))
    end
    assert.equal("UnexpectedValue", select(2, pcall(expect.row, 1, 1, {})).type)
    for _, value in ipairs { true, 1, "1", "t", "true", "no", "[0]", { 0 } } do expect.row(1, 1, { value = value }) end
    expect.row(0, 1, nil)
    expect.row(2, 1, { value = "0" })
    expect.row(1, 2, { value = "0" })
  end)
end)
