---Conditions that never hold together: all --until must hold in one answer.

local possible = require "bide.recipe.expression.possible"

describe("several conditions", function()
  for _, row in ipairs {
    { { path = "a", text = "1" }, { path = "a", text = "2" } },
    { { path = "status", text = "ok" }, { path = "status == 'failed'" } },
    { { path = "ready", text = "true" }, { path = "x" }, { path = "!ready" } },
    { { path = "a", text = "it's `x`" }, { path = "a", text = "\\" } },
    { { path = "length(items)", text = "3" }, { path = "items == `[]`" } },
  } do
    it("contradict each other: " .. row[1].path .. ", " .. row[#row].path, function()
      assert.matches("^%-%-until number " .. #row .. " contradicts those before it", possible.contradiction("--until", row))
    end)
  end

  for _, row in ipairs {
    { { path = "a", text = "1" }, { path = "a", text = "1" } },
    { { path = "a", text = "1" }, { path = "a == `1`" } },
    { { path = "a", text = "1" }, { path = "a == '1'" } },
    { { path = "a", text = "1" }, { path = "b", text = "2" } },
    { { path = "a", text = "true" }, { path = "a" } },
    { { path = "a", text = "[1]" }, { path = "b | c" } },
    { { path = "a", text = "1.0" }, { path = "a", text = "1.0" } },
    { { path = "a || b" }, { path = "c" } },
    { { path = ("a || "):rep(9000) .. "a" }, { path = ("a || "):rep(9000) .. "b" } },
  } do
    it("may hold together: " .. row[1].path:sub(1, 20) .. ", " .. row[2].path:sub(1, 20), function()
      assert.is_nil(possible.contradiction("--until", row))
    end)
  end
end)

describe("a text after =", function()
  for text, words in pairs {
    [" ok"] = "a blank beside =", ['"a" && b'] = "&& is part of the text", ["~ok"] = "=~ is not an operator",
    [">3"] = "=> is not an operator", ["<3"] = "=< is not an operator", ["a||b"] = "|| is part of the text",
    ["null"] = "null is a text here: write status == `null` for the JSON, or status == 'null' for the text",
    ['["ok"]'] = [[status == `["ok"]` for the JSON, or status == '["ok"]' for the text]],
    ['{"a":"`"}'] = [[status == `{"a":"\`"}` for the JSON, or status == '{"a":"`"}' for the text]],
    ["'ok'"] = [[the quotes are part of the text: write status=ok, or status == '\'ok\'' if they are meant]],
    ['"ok"'] = [[the quotes are part of the text: write status=ok, or status == '"ok"' if they are meant]],
    ["`ok`"] = [[the quotes are part of the text: write status=ok, or status == '`ok`' if they are meant]],
    ["ok "] = [[the blank at its end is part of the text: write status=ok, or status == 'ok ' if it is meant]],
  } do
    it("is refused: " .. text, function()
      assert.matches(words, possible.mistake_of_text("status", text), 1, true)
    end)
  end

  for _, text in ipairs { "ok", "it is ok", "a&b", "a|b", "a>b", "", '"ok', "it's", "'", '""', "a 'b'",
    "-1", "a=b", "[ok]", "{}x", "nullable" } do
    it("is taken: " .. text, function() assert.is_nil(possible.mistake_of_text("status", text)) end)
  end

  it("is refused for a blank before =", function()
    assert.matches("write status=TEXT", possible.mistake_of_text("status ", "ok"), 1, true)
  end)
end)

describe("the bundled recipes", function()
  it("have no acceptor that can never match", function()
    local bide = require "bide"
    local waiters = 0
    for file in io.popen("ls scripts/*.lua"):lines() do
      local recipe = assert(bide.load(file))
      for _, name in ipairs(recipe.names) do
        waiters = waiters + 1
        assert.same({}, possible.warnings(recipe.waiters[name]), file)
      end
    end
    assert.is_true(waiters > 50)
  end)
end)
