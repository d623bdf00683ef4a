---`--until 'state="ok"'` waited to its end for a text with quotes, and `--until 'state=="ok"'` for a member called ok; the
---outcome said nothing about the quotes, so that what was seen looked like what was wanted. `--fail "state='failed'"` never
---failed, and the gate opened.

local Workspace = require "spec.support.workspace"

describe("a text in quotes", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("answers.jsonl", '{"output": {"state": "ok", "count": 200}}\n')
    workspace:write("get.lua", [[return { Get = { call = function() end, waitable = { Got = { acceptors = {
      { state = "success", matcher = { success = true } } } } } } }]])
  end)

  local function replay(...)
    return workspace:bide { "replay", "get.lua", "Got", "answers.jsonl", "--max-wait", "5s", ... }
  end

  it("is refused after =, for a success and for a failure", function()
    for _, option in ipairs { "--until", "--fail" } do
      for _, text in ipairs { '"ok"', "'ok'", "`ok`" } do
        replay(option, "state=" .. text):says(2, option .. ": the quotes are part of the text: write state=ok, or state == ")
      end
      assert.equal(2, replay(option, "state=ok ").code)
    end
    assert.equal(124, replay("--until", [[state == '"ok"']]).code)
    assert.equal(0, replay("--fail", "state == 'ok '").code)
  end)

  it("is refused where the quotes make it a member", function()
    replay("--until", 'state=="ok"'):says(2, "ok is a member here, not a text: write state=ok or state == 'ok' for the text")
  end)

  local cases = {
    ['state\n"ok"'] = 'acceptor 1 wants the text "ok" with its quotes, not ok, state is the string "ok"',
    ["state\n'ok'"] = "acceptor 1 wants the text 'ok' with its quotes, not ok, state is the string \"ok\"",
    ['count\n"200"'] = 'acceptor 1 wants the text "200" with its quotes, not 200, count is the number 200',
    ['state\n"no"'] = false,
  }

  it("is explained where a file wants it", function()
    for words, hint in pairs(cases) do
      local path, text = words:match "^(.*)\n(.*)$"
      workspace:write("wanted.lua", ([[return { Get = { call = function() end, waitable = { Got = { acceptors = {
        { state = "success", matcher = { expect = { path = %q, text = %q } } } } } } } }]]):format(path, text))
      local done = workspace:bide { "replay", "wanted.lua", "Got", "answers.jsonl", "--max-wait", "5s" }
      assert.equal(124, done.code)
      assert.equal(hint ~= false, done.stderr:find(hint or "quotes", 1, true) ~= nil, done.stderr)
    end
  end)
end)
