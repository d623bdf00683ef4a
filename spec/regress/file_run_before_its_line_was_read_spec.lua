---A mistake in an option, such as --sanbox, ran the recipe outside of the sandbox before it was refused: bide looked whether
---the recipe declares the option.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

local evil = [[
io.open("mark", "w"):close() -- option = "--sanbox"
return { Op = { input = { selector = { type = "string", option = "-l --selector" } },
  call = function() return {} end, waitable = {
    Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

---Lines that are refused before the file is run, by the command.
local refused = {
  run = {
    { "--max-wait", "1s", "--sanbox" }, { "--max-wait", "1s", "--sandbx" }, { "--max-wait", "1s", "--Sandbox" },
    { "--max-wait", "1s", "--sandbox-strict" }, { "--max-wait", "1s", "--sandboxed" }, { "--sand" }, { "--max-wiat", "1s" },
    { "--max-wait", "1s", "--untill", "x" }, { "--max-wait", "1s", "--frobnicate" }, { "--max-wait", "1s", "-Z" },
    { "--max-wait", "soon" }, { "--max-wait", "" }, {}, { "-l", "app=web" }, { "--max-wait", "1s", "--max-attempts", "few" },
    { "--max-wait", "1s", "--output", "frob" }, { "--max-wait", "1s", "-l" }, { "--max-wait", "1s", "-l", "x", "--sanbox" },
    { "--max-wait", "1s", "+", "http", "http://127.0.0.1:1", "--max-wiat", "1s" }, { "--max-wait", "1s", "+" },
    { "-l", "x", "--max-wait", "1s", "+", "evil.lua", "--sanbox" }, { "--max-wait", "1s", "--quiet", "+", "evil.lua", "--quiet" },
    { "--max-wait", "1s", "--each", "no.jsonl", "+", "evil.lua" }, { "--max-wait", "1s", "--" },
  },
  replay = { { "Done", "answers.jsonl", "--max-wait", "1s", "--sanbox" }, { "Done", "answers.jsonl" } },
  plan = { { "--max-wait", "1s", "--sanbox" }, { "--max-wait", "soon" } },
  check = { { "--sanbox" }, { "--output", "frob" } },
  list = { { "--sanbox" }, { "--output", "frob" } },
  exec = { { "--sanbox" } },
}

describe("a file is not run for a line that is refused:", function()
  local workspace = Workspace.of_each { ["evil.lua"] = evil, ["answers.jsonl"] = '{"output": {}}\n' }

  for command, lines in pairs(refused) do
    for _, words in ipairs(lines) do
      it(("%s evil.lua %s"):format(command, table.concat(words, " ")), function()
        local line = command == "exec" and { "exec", table.unpack(words) } or { command, "evil.lua", table.unpack(words) }
        if command == "exec" then line[#line + 1] = "evil.lua" end
        workspace:bide(line):ends(2)
        assert.is_nil(uv.fs_stat(workspace.path .. "/mark"))
      end)
    end
  end

  it("an option that the file declares is taken", function()
    for _, words in ipairs { { "-l", "app=web" }, { "--selector=app=web" }, { "--selector", "app=web" } } do
      workspace:bide({ "run", "evil.lua", "--max-wait", "50s", table.unpack(words) }):ends(0)
    end
  end)
end)
