---A named matcher took no argument: ten waiters in JSON with ten thresholds needed ten matchers.

local Workspace = require "spec.support.workspace"

local matchers = [[
local bide = require "bide"
bide.matcher("isAbove", function(context)
  local arguments = context.arguments or { min = 0 }
  local least = arguments.min
  arguments.min = 1e9 -- the next attempt and the other waiter do not see it
  if context.output.size > least then return true end
  return false, ("%d is not above %d"):format(context.output.size, least)
end)
local size = 0
return { GetSize = function() size = size + 1 return { size = size } end }
]]

local function waiter(lua)
  return ('{ "minDelay": 1, "maxDelay": 1, "acceptors": [ { "state": "success", "matcher": { "lua": %s } } ] }'):format(lua)
end

describe("the arguments of a named matcher", function()
  local workspace = Workspace.of_each { ["matchers.lua"] = matchers }

  local function write(lua)
    workspace:write("sizes.json", ('{ "SizeBig": %s }'):format(waiter(lua)))
  end

  local function run(...)
    return workspace:bide { "run", "sizes.json", "--with", "matchers.lua", "--interval", "10ms", "--max-wait", "50s", "--quiet",
      ... }
  end

  it("are given to it at each attempt anew", function()
    write '{ "name": "isAbove", "arguments": { "min": 3 } }'
    for _, more in ipairs { "--quiet", "--sandbox" } do
      local done = run(more)
      assert.equal(0, done.code, done.stderr)
      assert.matches('SizeBig succeeded after 4 attempts in .*: the matcher "isAbove" with {"min":3} matched', done.stdout)
    end
  end)

  it("may be left out", function()
    for _, lua in ipairs { '"isAbove"', '{ "name": "isAbove" }' } do
      write(lua)
      local done = run()
      assert.matches('after 1 attempt in .*: the matcher "isAbove" matched', done.stdout, 1)
    end
  end)

  it("are each waiter's own, in one process", function()
    workspace:write("sizes.json", ('{ "SizeTwo": %s, "SizeFive": %s }'):format(
      waiter '{ "name": "isAbove", "arguments": { "min": 1 } }', waiter '{ "name": "isAbove", "arguments": { "min": 4 } }'))
    workspace:write("answers.jsonl", '{"output":{"size":2}}\n{"output":{"size":5}}\n')
    for name, attempts in pairs { SizeTwo = 1, SizeFive = 2 } do
      local outcome = workspace:outcome { "replay", "sizes.json", name, "answers.jsonl", "--with", "matchers.lua", "--max-wait",
        "1m" }
      assert.same({ "success", attempts }, { outcome.state, outcome.attempts })
    end
  end)

  it("say why it did not match", function()
    write '{ "name": "isAbove", "arguments": { "min": 100 } }'
    run("--max-attempts", "2"):says(4, "2 is not above 100")
  end)

  it("are known to bide check, show and a Lua recipe", function()
    write '{ "name": "isAbove", "arguments": { "min": 3 } }'
    local done = workspace:bide { "check", "sizes.json", "--with", "matchers.lua" }
    assert.same({ 0, "" }, { done.code, done.stdout })
    done = workspace:bide { "show", "sizes.json", "--with", "matchers.lua" }
    assert.matches('the matcher "isAbove" with {"min":3}', done.stdout, 1, true)
    workspace:write("sizes.lua", [[
      return { GetSeven = { call = function() return { size = 7 } end, waitable = { SizeBig = { acceptors = {
        { state = "success", matcher = { lua = { name = "isAbove", arguments = { min = 6 } } } } } } } } }]])
    done = workspace:bide { "run", "sizes.lua", "--with", "matchers.lua", "--max-wait", "50s" }
    assert.equal(0, done.code, done.stderr)
  end)

  for lua, mistake in pairs {
    ['{ "name": "isAbov", "arguments": {} }'] = 'no matcher is registered as "isAbov", did you mean "isAbove"?',
    ['{ "arguments": { "min": 3 } }'] = "name",
    ['{ "name": "isAbove", "min": 3 }'] = "min",
    ['{ "name": 5 }'] = "name",
    ["5"] = "lua",
    ["[]"] = "lua",
  } do
    it("are checked: " .. lua, function()
      write(lua)
      for _, words in ipairs { { "run" }, { "check" } } do
        local line = { words[1], "sizes.json", "--with", "matchers.lua" }
        if words[1] == "run" then line = { words[1], "sizes.json", "--with", "matchers.lua", "--max-wait", "50s" } end
        local done = workspace:bide(line)
        assert.is_true(done.code == (words[1] == "run" and 2 or 1), done.stdout .. done.stderr)
        assert.matches(mistake, done.stdout .. done.stderr, 1, true)
      end
    end)
  end

  it("have to be JSON in a Lua recipe", function()
    workspace:write("sizes.lua", [[
      return { GetNothing = { call = print, waitable = { SizeBig = { acceptors = {
        { state = "success", matcher = { lua = { name = "isAbove", arguments = { min = print } } } } } } } } }]])
    workspace:bide({ "run", "sizes.lua", "--with", "matchers.lua", "--max-wait", "1s" }):says(2, "arguments: expected JSON")
  end)
end)
