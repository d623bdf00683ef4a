---One rule for an idempotency token, however it is given: a text that is not empty.

local Workspace = require "spec.support.workspace"

local bide = require "bide"

local recipe = [[
local log = assert(io.open("calls.log", "a"))
return { Run = { idempotencyToken = "ClientToken",
  call = function(input) log:write(tostring(input.ClientToken), "\n") log:flush() return {} end,
  waitable = { RunExists = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("an idempotency token in the input", function()
  local workspace = Workspace.of_each { ["run.lua"] = recipe }

  local words = {
    'ClientToken:=""', 'ClientToken:=" "', "ClientToken:=false", "ClientToken:=5", 'ClientToken:={"a":1}', "ClientToken:=[]",
  }
  for _, word in ipairs(words) do
    it("is refused before anything is sent: " .. word, function()
      local done = workspace:bide { "run", "run.lua", "--max-wait", "1s", word }
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches("^bide: ClientToken: expected a string that is not empty, the idempotency token, found ", done.stderr)
      assert.equal("", workspace:read "calls.log")
    end)
  end

  it("is refused in a line of --each, with its number", function()
    workspace:write("lines.jsonl", '{"n": 1}\n\n{"ClientToken": ""}\n')
    local done = workspace:bide { "run", "run.lua", "--max-wait", "1s", "--each", "lines.jsonl" }
    assert.equal(2, done.code)
    assert.matches('^bide: lines.jsonl:3: ClientToken: expected [^\n]+, found ""\n$', done.stderr)
    assert.equal("", workspace:read "calls.log")
  end)

  it("is refused in Lua, where the wait is asked for", function()
    local waiter = bide.waiter { idempotencyToken = "id", call = function(input) return input end,
      acceptors = { { state = "success", matcher = { success = true } } } }
    for _, value in ipairs { "", 5, false, { "a" } } do
      for _, method in ipairs { "wait", "prepare" } do
        local ok, mistake = pcall(function() local done = waiter[method](waiter, { id = value }, { maxWait = 1 }) return done end)
        assert.is_false(ok)
        assert.matches("token_in_the_input_spec.lua:%d+: id: expected a string that is not empty", mistake)
      end
    end
  end)

  it("is filled in for null, and taken from --token then", function()
    assert.equal(0, workspace:bide({ "run", "run.lua", "--max-wait", "50s", "ClientToken:=null" }).code)
    assert.equal(0, workspace:bide({ "run", "run.lua", "--max-wait", "50s", "ClientToken:=null", "--token", "T" }).code)
    assert.matches("^%x+%-[%x-]+\nT\n$", workspace:read "calls.log")
  end)
end)
