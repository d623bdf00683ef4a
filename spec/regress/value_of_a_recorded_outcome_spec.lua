---COMMAND got values that `--resume` had computed of the words in place of secrets: the length of "[redacted]" for that of
---a token.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Look = {
  call = function() return { state = "there", token = "abcdef123456", size = 3%s } end,
  waitable = { Seen = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } },
} }
]]

local line = '"$BIDE" look.lua -q --max-wait 10s --journal j --env "VALUE=%s"%s -- sh -c \'echo "<$VALUE>"\''

describe("the value that COMMAND gets of a recorded outcome", function()
  local workspace = Workspace.of_each()

  ---Runs the line twice: first its outcome cannot be reported, then it is resumed.
  local function resume(expression, more)
    workspace:write("look.lua", recipe:format(more or ""))
    assert.equal(1, workspace:shell(line:format(expression, "") .. " 2>/dev/full").code)
    return workspace:shell(line:format(expression, " --resume"))
  end

  for _, expression in ipairs {
    "token", "length(token)", "starts_with(token, 'abc')", "token == 'abcdef123456'", "size || token",
  } do
    it("is none where a secret may be in it: " .. expression, function()
      local done = resume(expression)
      assert.same({ 1, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("which the journal does not keep, so COMMAND does not run", done.stderr, 1, true)
    end)
  end

  it("is none where a text was too long for the journal", function()
    local done = resume("length(text)", ', text = ("x"):rep(2 << 20)')
    assert.same({ 1, "" }, { done.code, done.stdout }, done.stderr)
  end)

  it("is none of a part of the answer that is not its output", function()
    local done = resume("to_string(status())")
    assert.same({ 1, "" }, { done.code, done.stdout }, done.stderr)
    assert.matches("asks for the headers, the status or the text of an answer", done.stderr, 1, true)
  end)

  it("is a part of the output that has no secret", function()
    for expression, value in pairs { size = "3", ["[state, size][0]"] = "there", ["{a: size}"] = '{"a":3}' } do
      local done = resume(expression)
      assert.same({ 0, "<" .. value .. ">\n" }, { done.code, done.stdout }, done.stderr)
    end
  end)
end)
