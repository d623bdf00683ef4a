---`--until 'state="ok"'` waited to its end for a text with quotes, and `--until 'state=="ok"'` for a member called ok; the
---outcome said nothing about the quotes, so that what was seen looked like what was wanted.

local Workspace = require "spec.support.workspace"

describe("an --until with quotes", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("answers.jsonl", '{"output": {"state": "ok", "count": 200}}\n')
    workspace:write("get.lua", [[return { Get = { call = function() end, waitable = { Got = { acceptors = {
      { state = "success", matcher = { success = true } } } } } } }]])
  end)

  local cases = {
    ['state="ok"'] = 'acceptor 1 wants the text "ok" with its quotes, not ok, state is the string "ok"',
    ["state='ok'"] = "acceptor 1 wants the text 'ok' with its quotes, not ok, state is the string \"ok\"",
    ['count="200"'] = 'acceptor 1 wants the text "200" with its quotes, not 200, count is the number 200',
  }

  for expression, hint in pairs(cases) do
    it("is explained: " .. expression, function()
      local done = workspace:bide { "replay", "get.lua", "Got", "answers.jsonl", "--until", expression, "--max-wait", "5s" }
      assert.equal(124, done.code)
      assert.matches(hint, done.stderr, 1, true)
    end)
  end

  it("is refused where the quotes make it a member", function()
    local done = workspace:bide { "replay", "get.lua", "Got", "answers.jsonl", "--until", 'state=="ok"', "--max-wait", "5s" }
    assert.equal(2, done.code)
    assert.matches("ok is a member here, not a text: write state=ok or state == 'ok' for the text", done.stderr, 1, true)
  end)

  it("is no riddle where another text is wanted", function()
    local done = workspace:bide { "replay", "get.lua", "Got", "answers.jsonl", "--until", 'state="no"', "--max-wait", "5s" }
    assert.not_matches("quotes", done.stderr)
  end)
end)
