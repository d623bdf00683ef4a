---Lua rounds a whole number from 2^63 on. An input with one was sent, and compared, as another number, and `expect` held for
---a neighbour of what was asked for; as a text it never held, and `failed` never failed.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local LARGEST <const> = "18446744073709551615"

---Words of a wait for an answer whose n is LARGEST, and its exit code.
local answers = {
  { 124, "path=n", "expect=18446744073709551614" }, { 0, "path=n", "expect=" .. LARGEST },
  { 1, "path=n", "failed=" .. LARGEST }, { 124, "path=n", "failed=18446744073709551614" },
  { 124, "path=n", "expect:=1.8446744073709552e19" }, { 124, "path=n", "expect:=18446744073709551616" },
  { 124, "path=n", "expect:=9223372036854775808" }, { 0, "path=m", "expect:=9223372036854775808" },
  { 0, "path=m", "expect:=9223372036854775808.0" }, { 0, "path=five", "expect:=5.0" }, { 0, "path=five", "expect=5" },
}

---Words and files whose numbers are refused, and the beginning of the message.
local refused = {
  ["n: the number 18446744073709551614 would be rounded to 18446744073709551616; give it as a text"] =
    { "n:=18446744073709551614" },
  ["n: the number -9223372036854775809 would"] = { 'n:=["1","\\"2", {"a": -9223372036854775809}]' },
  ["--input: the number 9007199254740993000001 would"] = { "--input", '{"n": 9007199254740993000001}' },
  ["lines.jsonl:2: the number 18446744073709551614 would"] = { "--each", "lines.jsonl" },
}

local lists = {
  ["waits.json: the number 18446744073709551614 would"] = "waits.json",
  ["waits.yaml: line 2, column 15: the number 18446744073709551614 would"] = "waits.yaml",
}

describe("a whole number that Lua rounds", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(function()
    return { body = ('{"n": %s, "m": 9223372036854775808, "five": 5}'):format(LARGEST) }
  end)

  setup(function()
    workspace:write("same.lua", [[
      return { Same = { call = function(input) return input end,
        waitable = { SameReady = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    workspace:write("lines.jsonl", '{"n": "18446744073709551614"}\n{"n": 18446744073709551614}\n')
    workspace:write("waits.json", '[{"recipe": "./same.lua", "input": {"n": 18446744073709551614}}]')
    workspace:write("waits.yaml", "- recipe: ./same.lua\n  input: { n: 18446744073709551614 }\n")
  end)

  for _, row in ipairs(answers) do
    it("of an answer is compared by its digits: " .. table.concat(row, " ", 2), function()
      local longest = row[1] == 124 and "100ms" or "10s"
      workspace:bide({ "http", server.url, "--max-wait", longest, "--quiet", table.unpack(row, 2) }):ends(row[1])
    end)
  end

  it("is refused in an input", function()
    for message, words in pairs(refused) do
      local done = workspace:bide { "run", "same.lua", "--max-wait", "1s", "--quiet", table.unpack(words) }
      assert.equal(2, done.code, message)
      assert.matches(message, done.stderr, 1, true)
    end
    for message, file in pairs(lists) do
      local done = workspace:bide { "run", file, "--max-wait", "1s", "--quiet" }
      assert.equal(2, done.code, message)
      assert.matches(message, done.stderr, 1, true)
    end
  end)

  it("is kept if Lua does not round it, or if it is in a text", function()
    local done = workspace:bide { "run", "same.lua", "--max-wait", "50s", "--quiet", "text=18446744073709551614",
      'n:=[9223372036854775807, 9223372036854775808, -9223372036854775808, 0.10000000000000000001, "a\\" 18446744073709551614"]' }
    assert.equal(0, done.code, done.stderr)
  end)
end)
