---`return nil, "why"` is how Lua says that something failed. As the result of an operation it was the empty output, which
---`success = true` takes for a success, and `bide.once` recorded it for good. It is a script error.

local core = require "bide.core"

local Workspace = require "spec.support.workspace"

local recipe = [[
local bide = require "bide"
local other = bide.waiter { call = function() error { type = "Denied" } end,
  acceptors = { { state = "success", matcher = { success = true } } } }
return { Open = { call = function() %s end, waitable = { Opened = { acceptors = {
  { state = "success", matcher = { success = true } } } } } } }
]]

local refused = {
  { 'return nil, "no such file"', 'nil and "no such file"' },
  { 'return io.open("nosuchfile")', 'nil and "nosuchfile: No such file or directory"' },
  { 'return false, "why"', 'false and "why"' },
  { 'return pcall(error, "caught")', 'false and "caught"' },
  { 'return nil, { type = "NotFound", message = "gone" }', "nil and a table" },
  { "return other:wait({}, { maxWait = 1 })", "nil and a table" },
  { 'return nil, ("long"):rep(1000)', 'nil and "longlong' },
}

local accepted = { "return", "return nil", "return nil, nil", "return {}", 'return {}, "beside"',
  "return false", "return true, 1" }

describe("an operation that returns nil and why", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(refused) do
    it("has failed: " .. row[1]:sub(1, 40), function()
      workspace:write("open.lua", recipe:format(row[1]))
      local done = workspace:bide { "run", "open.lua", "--max-wait", "50s", "--quiet" }
      local text = done.stdout .. done.stderr
      assert.equal(5, done.code, text)
      assert.matches("the operation returned " .. row[2], text, 1, true)
      assert.matches("raise an error instead", text, 1, true)
    end)
  end

  for _, body in ipairs(accepted) do
    it("is not one that ends with " .. body, function()
      workspace:write("open.lua", recipe:format(body))
      workspace:bide({ "run", "open.lua", "--max-wait", "50s", "--quiet" }):ends(0)
    end)
  end

  it("has a warning if it returns false and that is a success", function()
    local warning = "bide: warning: Opened: the operation returned false, which is an output: it has to raise an error where it "
      .. "fails\n"
    for body, words in pairs { ["return false"] = warning, ["return 0"] = "", ["return {}"] = "" } do
      workspace:write("open.lua", recipe:format(body))
      assert.equal(words, workspace:bide({ "run", "open.lua", "--max-wait", "50s", "--quiet" }).stderr)
    end
  end)

  it("may have forgotten a return, which the note of each attempt and the last line say", function()
    workspace:write("forgotten.lua", [[return { Get = { call = function() local _ = { state = "up" } end, waitable = { Up = {
      minDelay = 0.01, acceptors = { require("bide.acceptor").output("success", "state", "up") } } } } }]])
    local done = workspace:bide { "run", "forgotten.lua", "--max-attempts", "2", "--max-wait", "50s", "--output", "json" }
    assert.equal(4, done.code, done.stderr)
    local text = "the operation returned nothing: is a return missing?"
    local outcome = assert(core.json.decode(done.stdout))
    assert.equal(text, outcome.history[1].note)
    assert.matches("state is null; " .. text, outcome.message, 1, true)
  end)

  it("is recorded by no journal", function()
    workspace:write("once.lua", [[
      local bide, count = require "bide", 0
      local function connect()
        count = count + 1
        if count == 1 then return nil, "connection refused" end
        return { id = 7 }
      end
      print(pcall(bide.once, "key", {}, connect))
      print(bide.once("key", {}, connect).id, count)
    ]])
    local done = workspace:bide { "exec", "--journal", "once.db", "once.lua" }
    assert.equal(0, done.code, done.stderr)
    assert.matches('^false\t.*returned nil and "connection refused".*\n7\t2\n$', done.stdout)
  end)
end)

describe("parameters of bide.once that are no UTF-8", function()
  local workspace = Workspace.of_block()

  for _, parameters in ipairs {
    '{ digest = "\\xff\\x01" }', '{ a = { b = { "fine", "\\xc3" } } }', '"\\x80"', '{ ["\\xff"] = 1 }',
  } do
    it("are refused, since two of them would be equal: " .. parameters, function()
      workspace:write("once.lua", ([[
        print(pcall(require("bide").once, "key", %s, function() print "made"; return {} end))
      ]]):format(parameters))
      local done = workspace:bide { "exec", "--journal", "once.db", "once.lua" }
      assert.matches("^false\t.*parameters.*UTF%-8", done.stdout)
    end)
  end
end)
