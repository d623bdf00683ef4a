---A bad argument was told without the option that it belongs to; a negative one
---was taken for an option; a folder in place of a file gave a traceback; a latency that
---begins with 0 was taken for none, whatever its unit.

local Workspace = require "spec.support.workspace"

describe("a bad argument", function()
  local workspace = Workspace.of_block()
  local words

  setup(function()
    words = workspace:replay_of('[{"state": "success", "matcher": {"success": true}}]', { '{"output": 1}' })
  end)

  local cases = {
    { { "--max-wait", "0" }, "--max-wait: expected a number of seconds above 0, found 0" },
    { { "--max-wait", "-5" }, '--max-wait: expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found "-5"' },
    { { "--max-wait", "5s", "--min-delay", "0s" }, "--min-delay: expected a number of seconds above 0, found 0" },
    { { "--max-wait", "5s", "--max-delay", "soon" }, 'or 250ms, found "soon"' },
    { { "--max-wait", "5s", "--max-attempts", "0" }, '--max-attempts: expected a whole number above 0, found "0"' },
    { { "--max-wait", "5s", "--max-attempts", "1.5" }, '--max-attempts: expected a whole number above 0, found "1.5"' },
    { { "--max-wait", "5s", "--seed", "x" }, '--seed: expected a whole number, found "x"' },
    { { "--max-wait", "5s", "--input", "@." }, "--input: .: Is a directory" },
  }

  for _, case in ipairs(cases) do
    it("is told with its option: " .. table.concat(case[1], " "), function()
      local done = workspace:bide(table.move(case[1], 1, #case[1], #words + 1, table.move(words, 1, #words, 1, {})))
      done:says(2, case[2])
      assert.equal("", done.stdout)
    end)
  end

  it("is told where a latency begins with 0", function()
    local done = workspace:bide { "plan", "trait.json", "--max-wait", "5s", "--latency", "0zz" }
    done:says(2, '--latency: expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found "0zz"')
    assert.equal(0, workspace:bide({ "plan", "trait.json", "--max-wait", "5s", "--latency", "0ms" }).code)
  end)

  it("may be negative where that means something", function()
    workspace:bide({ "replay", "trait.json", "Waiter", "answers.jsonl", "--max-wait", "5s", "--seed", "-7" }):ends(0)
  end)

  it("is told where a folder stands for the answers", function()
    local done = workspace:bide { "replay", "trait.json", "Waiter", ".", "--max-wait", "5s" }
    assert.same({ 2, "bide: .: Is a directory\n" }, { done.code, done.stderr })
  end)
end)
