---`--output otlp` was refused without a file, though every other format goes to standard output then.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

describe("spans without a file", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("op.lua", [[return { Op = { call = function() return {} end, waitable = { Done = { acceptors = {
      { state = "success", matcher = { success = true } } } } } } }]])
    workspace:write("answers.jsonl", '{"output": {}}\n')
  end)

  local function names_of(text)
    local names = {}
    for _, span in ipairs(assert(json.decode(text)).resourceSpans[1].scopeSpans[1].spans) do names[#names + 1] = span.name end
    return names
  end

  for _, words in ipairs {
    { "run", "./op.lua", "--max-wait", "50s", "--quiet", "--output", "otlp" },
    { "run", "./op.lua", "--max-wait", "50s", "--quiet", "--output", "otlp=-" },
    { "replay", "./op.lua", "Done", "answers.jsonl", "--max-wait", "1s", "--quiet", "--output", "otlp" },
    { "run", "./op.lua", "--max-wait", "50s", "--quiet", "--sandbox", "--output", "otlp" },
  } do
    it("are on standard output: " .. table.concat(words, " "), function()
      local done = workspace:bide(words)
      assert.same({ 0, { "Done", "Op attempt" } }, { done.code, names_of(done.stdout) }, done.stderr)
      assert.equal("\n", done.stdout:sub(-1))
    end)
  end

  it("are those of the parent", function()
    local done = workspace:shell('TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 '
      .. '"$BIDE" run ./op.lua --max-wait 50s --quiet --output otlp')
    assert.matches("4bf92f3577b34da6a3ce929d0e0e4736", done.stdout, 1, true)
  end)

  it("are refused beside COMMAND, and lost output is no success", function()
    local done = workspace:bide { "run", "./op.lua", "--max-wait", "1s", "--output", "otlp", "--", "true" }
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("give the report a file: --output otlp=FILE", done.stderr, 1, true)
    assert.equal(1, workspace:shell('"$BIDE" run ./op.lua --max-wait 1s --output otlp >/dev/full').code)
  end)
end)
