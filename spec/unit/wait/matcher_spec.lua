local core = require "bide.core"

local json, wait = core.json, core.wait

local nothing = json.document({})

---Whether one matcher matches an output, or an error of some type.
local function matches(matcher, output, error_type)
  local definition = wait.definition(1, 1, {
    { state = "success", matcher = matcher }, { state = "success", matcher = { success = true } },
  })
  local state = wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 100 }):start(1, 0)
  state:begin()
  local document = output ~= nil and json.read(output) or nil
  local _, acceptor = state:observe(0, { input = nothing, output = document, error_type = error_type })
  return acceptor == 1
end

local function path(expression, comparator, expected)
  return { output = { path = expression, comparator = comparator, expected = expected } }
end

describe("a path matcher", function()
  ---comparator, expected, what the path gives, whether it matches
  local rows = {
    { "stringEquals", "a", '"a"', true }, { "stringEquals", "a", '"A"', false },
    { "stringEquals", "a", '["a"]', false }, { "stringEquals", "", "null", false },
    { "stringEquals", "", '""', true }, { "stringEquals", "1", "1", false },
    { "stringEquals", "true", "true", false }, { "stringEquals", "ä€😀", '"ä€😀"', true },
    { "stringEquals", "a", '"a\\u0000b"', false }, { "stringEquals", "a\0b", '"a\\u0000b"', true },
    { "booleanEquals", "true", "true", true }, { "booleanEquals", "true", "false", false },
    { "booleanEquals", "false", "false", true }, { "booleanEquals", "false", "null", false },
    { "booleanEquals", "false", "[]", false }, { "booleanEquals", "true", "1", false },
    { "booleanEquals", "true", '"true"', false }, { "booleanEquals", "false", "0", false },
    { "allStringEquals", "a", '["a", "a"]', true }, { "allStringEquals", "a", "[]", false },
    { "allStringEquals", "a", '["a", "b"]', false }, { "allStringEquals", "a", '["a", null]', false },
    { "allStringEquals", "a", '["a", 1]', false }, { "allStringEquals", "a", '"a"', false },
    { "allStringEquals", "a", "null", false }, { "allStringEquals", "a", '[["a"]]', false },
    { "allStringEquals", "a", '{"a": "a"}', false },
    { "anyStringEquals", "a", '["b", "a"]', true }, { "anyStringEquals", "a", "[]", false },
    { "anyStringEquals", "a", '[1, null, "a"]', true }, { "anyStringEquals", "a", '["b"]', false },
    { "anyStringEquals", "a", '"a"', false }, { "anyStringEquals", "a", "null", false },
    { "anyStringEquals", "a", '[["a"]]', false },
  }
  for _, row in ipairs(rows) do
    local comparator, expected, value, answer = table.unpack(row)
    it(("%s %q on %s: %s"):format(comparator, expected, value, answer), function()
      assert.equal(answer, matches(path("value", comparator, expected), ('{"value": %s}'):format(value)))
    end)
  end

  it("does not match what is absent, nor where the path raises", function()
    assert.is_false(matches(path("nope", "stringEquals", ""), "{}"))
    assert.is_false(matches(path("length(nope)", "stringEquals", ""), "{}"))
    assert.is_false(matches(path("abs('x')", "stringEquals", ""), "{}"))
  end)

  it("is refused with a boolean that is none, and with a path that does not parse", function()
    assert.has_error(function() matches(path("a", "booleanEquals", "yes"), "{}") end)
    assert.has_error(function() matches(path("a[", "stringEquals", "x"), "{}") end)
  end)
end)

describe("the expect matcher", function()
  ---the text, what the path gives, whether it matches
  local rows = {
    { "done", '"done"', true }, { "done", '"Done"', false }, { "", '""', true }, { "", "null", false },
    { " done", '"done"', false }, { "3", "3", true }, { "3", '"3"', true }, { "3", "3.0", false }, { "3.0", "3.0", true },
    { "-1", "-1", true }, { "18446744073709551615", "18446744073709551615", true }, { "0.1", "0.1", true },
    { "1e300", "1E+300", true }, { "true", "true", true }, { "true", '"true"', true }, { "true", "false", false },
    { "false", "false", true }, { "false", "null", false }, { "null", "null", false }, { "[]", "[]", false },
    { '["a"]', '["a"]', false }, { "{}", "{}", false }, { "a\0b", '"a\\u0000b"', true }, { "a", '"a\\u0000b"', false },
  }
  for _, row in ipairs(rows) do
    local text, value, answer = table.unpack(row)
    it(("with the text %q on %s: %s"):format(text, value, answer), function()
      assert.equal(answer, matches({ expect = { path = "value", text = text } }, ('{"value": %s}'):format(value)))
    end)
  end

  local truths = {
    ["true"] = true, ["false"] = false, ["null"] = false, ["0"] = true, ['""'] = false, ['"a"'] = true, ["[]"] = false,
    ["[0]"] = true, ["{}"] = false, ['{"a": null}'] = true, ["0.0"] = true,
  }
  for value, answer in pairs(truths) do
    it(("without a text on %s: %s"):format(value, answer), function()
      assert.equal(answer, matches({ expect = { path = "value" } }, ('{"value": %s}'):format(value)))
    end)
  end

  it("has the rule of --until or --fail where that is given", function()
    assert.is_true(matches({ expect = { path = "value", rule = "failure" } }, '{"value": ["a"]}'))
    assert.is_false(matches({ expect = { path = "value", rule = "failure" } }, '{"value": "no"}'))
    assert.is_false(matches({ expect = { path = "value", rule = "success" } }, '{"value": "yes"}'))
    assert.has_error(function() matches({ expect = { path = "value", rule = "other" } }, "{}") end)
  end)

  it("does not match an error, nor a path that raises", function()
    assert.is_false(matches({ expect = { path = "type(@) == 'null'" } }, nil, "NotFound"))
    assert.is_false(matches({ expect = { path = "length(nope)" } }, "{}"))
  end)
end)

describe("the success matcher", function()
  it("matches as its value says, on errors of every kind", function()
    assert.is_true(matches({ success = true }, "{}"))
    assert.is_false(matches({ success = true }, nil, "ConnectionRefused"))
    assert.is_true(matches({ success = false }, nil, "ConnectionRefused"))
    assert.is_false(matches({ success = false }, "{}"))
  end)
end)

describe("the errorType matcher", function()
  local rows = {
    { "NotFound", "NotFound", true }, { "NotFound", "notFound", false }, { "NotFound", "NotFoundX", false },
    { "com.amazonaws.s3#NotFound", "NotFound", true }, { "NotFound", "com.amazonaws.s3#NotFound", true },
    { "a#NotFound", "b#NotFound", true }, { "NotFound", "a#NotFound:http://internal/", true },
    { "NotFound", "NotFound:http://internal/", true }, { "NotFound", "", false }, { "NotFound", "Not", false },
    { "a#", "b#", false }, { "a#", "a#", false }, { ":x", "b#:y", false },
  }
  for _, row in ipairs(rows) do
    local expected, actual, answer = table.unpack(row)
    it(("%q on %q: %s"):format(expected, actual, answer), function()
      assert.equal(answer, matches({ errorType = expected }, nil, actual))
    end)
  end

  it("does not match an output", function()
    assert.is_false(matches({ errorType = "NotFound" }, '{"type": "NotFound"}'))
  end)
end)

describe("a matcher of the wrong shape is refused with its place", function()
  local core_error = ": acceptors%[1%]: "
  local rows = {
    { {}, "a matcher must have a member" }, { { nope = true }, "a matcher must have a member" },
    { { success = "true" }, core_error .. "success must be a boolean" },
    { { errorType = 5 }, core_error .. "errorType must be a string" },
    { { status = 404.5 }, core_error .. "status must be an HTTP status, 100 to 999, or a list of them" },
    { { status = { 404, 99 } }, core_error .. "status must be an HTTP status, 100 to 999, or a list of them" },
    { { status = {} }, core_error .. "status must be an HTTP status, 100 to 999, or a list of them" },
    { { output = true }, core_error .. "path must be a string" },
    { { output = { path = "a", expected = 1, comparator = "stringEquals" } }, core_error .. "expected must be a string" },
    { { expect = { text = "a" } }, core_error .. "path must be a string" },
    { { expect = { path = "a", text = 1 } }, core_error .. "text must be a string" },
    { { expect = "a" }, core_error .. "path must be a string" },
    { { output = { path = "a", expected = "1", comparator = "equals" } },
      core_error .. "comparator must be the name of a comparator" },
    { { output = { path = "a", expected = print, comparator = "stringEquals" } }, core_error .. "expected is a function" },
  }
  for position, row in ipairs(rows) do
    it(("(%d) %s"):format(position, row[2]), function()
      local ok, mistake = pcall(matches, row[1], "{}")
      assert.is_false(ok)
      assert.matches(row[2], mistake)
    end)
  end
end)
