---Expressions that can never be a yes, or never a no: what is found, and how it is said.

local core = require "bide.core"
local lists = require "spec.unit.jmespath.impossible"

local function judge(text, yes, wanted)
  local expression = assert(core.jmespath.compile(text))
  return expression:judge(yes, wanted)
end

local function refused(texts, yes)
  local left = {}
  for _, text in ipairs(texts) do
    if judge(text, yes) ~= "never-yes" then left[#left + 1] = text end
  end
  return left
end

describe("the analysis of conditions", function()
  it("refuses at least 95 of each 100 expressions that can never be a yes", function()
    local left = refused(lists.impossible, "success")
    assert.is_true(#lists.impossible >= 100)
    assert.is_true(#left <= #lists.impossible // 20, "not refused:\n" .. table.concat(left, "\n"))
  end)

  it("refuses no ordinary expression", function()
    assert.is_true(#lists.ordinary >= 100)
    for _, text in ipairs(lists.ordinary) do
      local verdict, reason = judge(text, "success")
      assert.equal("maybe", verdict, reason and reason.pretty)
    end
  end)

  it("finds no bare word in an ordinary expression", function()
    for _, text in ipairs(lists.ordinary) do
      local mistake = core.jmespath.compile(text):bare_word()
      assert.is_nil(mistake, mistake and mistake.pretty)
    end
  end)

  for _, row in ipairs {
    { "length(items)", "success", nil, "this is a number: only true, and a list or an object that is not empty, is a yes; "
      .. "write length(items) > `0`", 1 },
    { "version < '2.0'", "success", nil, "'<' compares numbers, but an operand is of type string: the result is null", 1 },
    { "a == 'x' && a == 'y'", "success", nil, "this contradicts what is before it: both never hold at once", 13 },
    { "type(a)", "success", nil, "this is a text: only true, and a list or an object that is not empty, is a yes; "
      .. "write type(a)=TEXT", 1 },
    { "items[*].x == 'y'", "success", nil,
      "'==' is never true here: the left side is a list or null, the right side \"y\"", 1 },
    { "ready && starts_with(a, `1`)", "success", nil, "argument 2 of starts_with() must be a string, not number", 25 },
    { "a != a", "success", nil, "'!=' is never true here: both sides are the same", 1 },
    { "a == 'x'", "text", "x", "this is a boolean: it can never equal what it is compared with", 1 },
    { "length(a)", "text", "-1", "this is a number: it can never equal what it is compared with", 1 },
    { "items[*].x", "stringEquals", "x", "this is a list or null: it can never equal what it is compared with", 1 },
    { "length(a)", "allStringEquals", "x", "this is a number: the comparator needs a list with the string", 1 },
    { "keys(@)", "booleanEquals", "true", "this is a list: booleanEquals compares a boolean", 1 },
    { "length(a)", "message", nil, "this is a number: a message is a text, or a list of texts", 1 },
    { "'no'", "failure", nil, "this is always \"no\": what is false, null, 0, empty or a text such as \"no\" is no failure", 1 },
    { "items[?a > 'x']", "failure", nil,
      "'>' compares numbers, but an operand is of type string: the result is null", 8 },
    { "length(a)", "value", "x", "this is a number: it can never equal what it is compared with", 1 },
    { "length(a)", "value", core.json.null, "this is a number: it can never equal what it is compared with", 1 },
    { "a", "value", { 1 }, "this is any value: it can never equal what it is compared with", 1 },
  } do
    local text, yes, wanted, message, column = table.unpack(row, 1, 5)
    it(("%s can never be a yes as %s"):format(text, yes), function()
      local verdict, reason = judge(text, yes, wanted)
      assert.equal("never-yes", verdict)
      assert.equal(message, reason.message)
      assert.equal(column, reason.column)
      assert.truthy(reason.pretty:find(text, 1, true))
    end)
  end

  for _, row in ipairs {
    { "`true`", "success" }, { "[a, b]", "success" }, { "{a: b}", "success" }, { "a == a", "success" },
    { "a == 'x' || a != 'x'", "success" }, { "type(a) != 'integer'", "success" }, { "to_array(a) == a || `[1]`", "success" },
    { "'done'", "text", "done" }, { "`3`", "text", "3" }, { "'failed'", "failure" }, { "a != 'x' || a != 'y'", "failure" },
    { "type(a)", "failure" }, { "[a]", "failure" }, { "`5`", "failure" },
  } do
    it(("%s can never be a no as %s"):format(row[1], row[2]), function()
      local verdict, reason = judge(table.unpack(row, 1, 3))
      assert.equal("never-no", verdict)
      assert.truthy(reason.message:find("it can never be a no", 1, true))
    end)
  end

  for _, row in ipairs {
    { "a || !a", "success" }, { "length(a) >= `0`", "success" }, { "length(items)", "failure" }, { "type(a)", "message" },
    { "items[*].x", "message" }, { "length(items)", "text", "3" }, { "ready", "text", "true" }, { "a == 'x'", "text", "true" },
    { "a", "value", 3 }, { "a", "value", core.json.null },
    { "a > `9007199254740992` && a < `9007199254740994`", "success" }, { "a > `18446744073709551614`", "success" },
    { "a >= `9223372036854775807` && a <= `9223372036854775807`", "success" },
    { "a == `1`", "value", true }, { "keys(@)", "anyStringEquals", "x" }, { "[a, b]", "allStringEquals", "x" },
  } do
    it(("%s may be either as %s"):format(row[1], row[2]), function()
      assert.equal("maybe", (judge(table.unpack(row, 1, 3))))
    end)
  end

  it("knows nothing of what a function of a script gives", function()
    core.jmespath.register("judged", { "any" }, function(given) return given end)
    assert.equal("maybe", (judge("judged(`1`) == 'x'", "success")))
    assert.equal("maybe", (judge("judged(@) && !judged(@)", "success")))
    assert.equal("never-yes", (judge("judged(@) && length(a) < `0`", "success")))
  end)

  it("takes no longer than a search for expressions that are made to be slow", function()
    for _, text in ipairs {
      "a" .. (" && a == 'x'"):rep(5000), "a" .. (" || b"):rep(5000) .. " && a", ("!("):rep(400) .. "a" .. (")"):rep(400),
      ("length("):rep(300) .. "a" .. (")"):rep(300), ("(a == "):rep(200) .. "a" .. (")"):rep(200),
      ("[a, b, "):rep(200) .. "a" .. ("]"):rep(200), ("a[?"):rep(200) .. "a == 'x'" .. ("]"):rep(200),
      ("(a || b) && "):rep(1000) .. "c",
    } do
      local expression = assert(core.jmespath.compile(text))
      local begin = os.clock()
      expression:judge "success"
      assert.is_true(os.clock() - begin < 1, text:sub(1, 40))
    end
  end)
end)

describe("a bare word", function()
  local function mistake_of(text)
    return assert(core.jmespath.compile(text)):bare_word()
  end

  for _, row in ipairs {
    { "status == done", "done is a member here, not a text: write status=done or status == 'done' for the text, @.done for the "
      .. "member", 11 },
    { "status != done", "done is a member here, not a text: write status != 'done' for the text, @.done for the member", 11 },
    { "a.b.status != done", "done is a member here, not a text: write a.b.status != 'done' for the text, @.done for the member",
      15 },
    { "done != a.b", "done is a member here, not a text: write a.b != 'done' for the text, @.done for the member", 1 },
    { "ready && status == done", "done is a member here, not a text: write status == 'done' for the text, @.done for the "
      .. "member", 20 },
    { "items[?status == done].name", "done is a member here, not a text: write status == 'done' for the text, @.done for the "
      .. "member", 18 },
    { "length(items) >= count", "count is a member here, not a text: write length(items) >= 'count' for the text, @.count for "
      .. "the member", 18 },
    { 'status == "done"', "done is a member here, not a text: write status=done or status == 'done' for the text, @.done for "
      .. "the member", 11 },
    { "contains(status, ok)", "ok is a member here, not a text: write 'ok' for the text, @.ok for the member", 18 },
    { "!starts_with(name, web)", "web is a member here, not a text: write 'web' for the text, @.web for the member", 20 },
    { "ends_with(name, txt)", "txt is a member here, not a text: write 'txt' for the text, @.txt for the member", 17 },
    { "ready == true", "true is a member here: write ready == `true` with backticks for the value, @.true for the member", 10 },
    { "null != error", "null is a member here: write error != `null` with backticks for the value, @.null for the member", 1 },
    { "`1` == false", "false is a member here: write `1` == `false` with backticks for the value, @.false for the member", 8 },
    { "map(&(a == b), items)", "b is a member here, not a text: write a == 'b' for the text, @.b for the member", 12 },
  } do
    it("is found in " .. row[1], function()
      local mistake = mistake_of(row[1])
      assert.equal(row[2], mistake and mistake.message)
      assert.equal(row[3], mistake.column)
    end)
  end

  for _, text in ipairs {
    "status == 'done'", "'done' == status", "status == @.done", "@.a == @.b", "a.b == c.d", "`3` <= count",
    "contains(`[1]`, count)", "contains(['a', 'b'], status)", "contains(items, @.name)",
    "contains(items, a.b)", "items[?@.a == @.b]", "length(items) == @.count", "a && b", "a || b", "sort_by(items, &count)",
  } do
    it("is not found in " .. text, function()
      local mistake = mistake_of(text)
      assert.is_nil(mistake, mistake and mistake.pretty)
    end)
  end
end)
