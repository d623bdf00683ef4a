---`-- COMMAND`: runs after a success, in place of bide, and never after anything else.

local uv = require "luv"
local Workspace = require "spec.support.workspace"

local recipe = [[
local state = { state = "success", matcher = { output = { path = "go", comparator = "stringEquals", expected = "yes" } } }
return { Op = {
  call = function(input)
    if input.raise then error { type = input.raise } end
    if input.bug then return nil + 1 end
    return input
  end,
  waitable = { Go = { minDelay = 0.02, maxDelay = 0.02, acceptors = {
    { state = "failure", matcher = { output = { path = "go", comparator = "stringEquals", expected = "never" } } }, state,
  } } },
} }]]

describe("-- COMMAND", function()
  local workspace = Workspace.of_each { ["recipe.lua"] = recipe }

  local function run(words, ...)
    local all = { "run", "recipe.lua", "Go", "--quiet", "--max-wait", "100ms" }
    table.move(words, 1, #words, #all + 1, all)
    return workspace:bide(table.move({ "--", ... }, 1, select("#", ...) + 1, #all + 1, all))
  end

  it("runs in place of bide, after the outcome, which is on standard error", function()
    local done = run({ "go=yes" }, "sh", "-c", 'echo "pid $$"; exit 42')
    assert.same({ 42, "pid " .. done.pid .. "\n" }, { done.code, done.stdout }, done.stderr)
    assert.matches("^Go succeeded[^\n]*\n$", done.stderr)
  end)

  it("gets its words as they are", function()
    local done = run({ "go=yes" }, "printf", "<%s>", "--max-wait", "", "a b", "--", "*", "key=value")
    assert.matches("<--max-wait><><a b><--><*><key=value>", done.stdout, 1, true)
  end)

  it("gets signals as they were, and no file of bide's", function()
    local look = "grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd"
    local done = run({ "go=yes", "--events", "events.jsonl" }, "sh", "-c", look)
    assert.equal(workspace:shell(look).stdout, done.stdout)
    assert.equal(3, #Workspace.decode_lines(workspace:read "events.jsonl"))
  end)

  local others = {
    { "a failure", { "go=never" }, 1 }, { "an unmatched error", { "raise=Denied" }, 3 },
    { "max attempts", { "--max-attempts=1" }, 4 }, { "a script error", { "bug=1" }, 5 },
    { "max wait", {}, 124 }, { "a usage error", { "--max-attempts=0" }, 2 },
  }

  for _, case in ipairs(others) do
    it("does not run after " .. case[1], function()
      run(case[2], "touch", "ran"):ends(case[3])
      assert.is_nil(uv.fs_stat(workspace.path .. "/ran"))
    end)
  end

  it("that cannot be run is exit code 127, after the outcome", function()
    workspace:write("not_executable", "text")
    for _, command in ipairs { "no-such-program", "./not_executable", "." } do
      local done = run({ "go=yes" }, command)
      assert.same({ 127, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("^Go succeeded[^\n]*\nbide: " .. command:gsub("%p", "%%%0") .. ": %u", done.stderr)
    end
  end)

  it("is no part of replay, plan or list", function()
    local words = workspace:replay_of('[{"state": "success", "matcher": {"success": true}}]', { '{"output": 1}' },
      "--max-wait", "5s", "--", "touch", "ran")
    assert.equal(2, workspace:bide(words).code)
    assert.is_nil(uv.fs_stat(workspace.path .. "/ran"))
  end)
end)
