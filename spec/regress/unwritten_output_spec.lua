---Most commands ended with 0 and without a word where standard output was full, closed, or a pipe without a reader.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Op = { call = function() return {} end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

---The commands that print, each with what it prints of its own.
local commands = {
  "--help", "help", "--version", "run --help", "run tcp --help", "completion bash",
  "list", "journal --help", "plan recipe.lua --max-wait 1s", "list recipe.lua",
  "exec prints.lua", "exec writes.lua", "exec leaves.lua", "exec leaves_by_text.lua", "exec --sandbox prints.lua",
  "query a document.json", "query --ast a", "replay recipe.lua Done answers.jsonl --max-wait 1s --quiet",
  "journal --journal runs.db", "run recipe.lua --max-wait 1s --quiet", "run recipe.lua --max-wait 1s --quiet --output json",
  "run recipe.lua --max-wait 1s --quiet --events -", "run recipe.lua --each inputs.jsonl --max-wait 1s --quiet",
}

---Standard output that takes nothing: how the shell makes it, and how often a message is seen.
local outputs = {
  full = { '"$BIDE" %s >/dev/full', "No space left on device" },
  closed = { '"$BIDE" %s >&-', "Bad file descriptor" },
  ["a pipe without a reader"] = { '{ sleep 0.1; "$BIDE" %s; echo $? >code; } | true; sleep 0.2; exit $(cat code)' },
}

describe("standard output that takes nothing", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("recipe.lua", recipe)
    workspace:write("prints.lua", 'print "text"')
    workspace:write("writes.lua", 'io.write(("text\\n"):rep(10000)) io.write "text"')
    workspace:write("leaves.lua", 'io.write "text" os.exit(0)')
    workspace:write("leaves_by_text.lua", 'io.write "text" os.exit "0"')
    workspace:write("document.json", '{"a": 1}')
    workspace:write("answers.jsonl", '{"output": {}}\n')
    workspace:write("inputs.jsonl", "{}\n{}\n")
    assert.equal(0, workspace:shell('"$BIDE" run recipe.lua --max-wait 1s --quiet --journal runs.db').code)
  end)

  for _, command in ipairs(commands) do
    for name, output in pairs(outputs) do
      it(("makes the exit code 1: %s, %s"):format(command, name), function()
        local done = workspace:shell(output[1]:format(command))
        assert.equal(1, done.code, done.stderr)
        local _, messages = done.stderr:gsub("bide: [^\n]*cannot be written: " .. (output[2] or ""), "")
        assert.equal(output[2] and 1 or 0, messages, done.stderr)
        assert.is_nil(io.open(workspace.path .. "/ran"))
      end)
    end
  end

  it("leaves other exit codes as they are", function()
    workspace:write("raises.lua", 'print "text" error "a bug"')
    assert.equal(5, workspace:shell('"$BIDE" exec raises.lua >/dev/full').code)
    workspace:write("leaves_with_7.lua", 'io.write "text" os.exit(7)')
    assert.equal(7, workspace:shell('"$BIDE" exec leaves_with_7.lua >/dev/full').code)
  end)

  it("is no matter where nothing is printed", function()
    workspace:write("silent.lua", "return")
    assert.equal(0, workspace:shell('"$BIDE" exec silent.lua >&-').code)
  end)
end)
