---What ends bide where a call of C does not come back, and where a file does not finish loading.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

local recipe = [[
local bide = require "bide"
local calls = {
  pattern = function() string.find(("a"):rep(64), ("a*"):rep(64) .. "b") end,
  concat = function() table.concat(setmetatable({}, { __index = table.concat }), "", 1, math.maxinteger) end,
  execute = function() os.execute "exec sleep 30 >/dev/null 2>&1" end,
  exec = function()
    bide.spawn(bide.exec, { "sleep", "31.25" })
    bide.sleep(0.1)
    string.find(("a"):rep(64), ("a*"):rep(64) .. "b")
  end,
  beyond = function()
    local _ <close> = setmetatable({}, { __close = function() string.find(("a"):rep(64), ("a*"):rep(64) .. "b") end })
    while true do end
  end,
  close = function()
    local _ <close> = setmetatable({}, { __close = function() string.find(("a"):rep(64), ("a*"):rep(64) .. "b") end })
    bide.sleep(60)
  end,
  sleep = function() bide.sleep(0.2) return { a = 1 } end,
}
return { Op = {
  call = function(input) io.stderr:write "begun\n" return calls[input.call]() end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }]]

describe("the watchdog", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  for _, call in ipairs { "pattern", "concat", "execute" } do
    it("ends a call of C that goes on beyond the deadline: " .. call, function()
      local done = workspace:bide({ "run", "recipe.lua", "call=" .. call, "--max-wait", "200ms", "--output", "json",
        "--events", "events.jsonl" })
      assert.same({ 124, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("bide: recipe.lua: Done: a call of C did not return for more than 1 s after its time was over, so bide ends",
        done.stderr, 1, true)
      local events = Workspace.decode_lines(workspace:read "events.jsonl")
      assert.equal("start", events[#events].event)
    end)

    it("ends it after a signal: " .. call, function()
      local running = workspace:start({ "run", "recipe.lua", "call=" .. call, "--max-wait", "1m" })
      running:wait_for_output "begun"
      uv.sleep(100) -- until the call is under way
      running:kill "sigterm"
      assert.equal(143, running:wait().code)
      assert.equal("", running.stdout)
    end)
  end

  for call, expected in pairs { beyond = 5, close = 143 } do
    it("ends what does not end while a task is closed, with the code of its cause: " .. expected, function()
      local running = workspace:start({ "run", "recipe.lua", "call=" .. call, "--max-wait", "1m", "--instructions", "100000" })
      running:wait_for_output "begun"
      uv.sleep(100) -- until it sleeps
      if call == "close" then running:kill "sigterm" end
      assert.equal(expected, running:wait().code, running.stderr)
      assert.equal("", running.stdout)
    end)
  end

  it("kills the programs that bide.exec has started", function()
    workspace:bide({ "run", "recipe.lua", "call=exec", "--max-wait", "300ms" }):ends(124)
    process.run({ "/bin/sh", "-c", "sleep 0.2; ! pgrep -f '^sleep 31.25$'" }, { tool = true }):ends(0)
  end)

  it("ends the other waits of a fleet with it, and leaves a journal that can be resumed", function()
    workspace:write("each.jsonl", '{"call": "sleep"}\n{"call": "pattern"}\n')
    local words = { "run", "recipe.lua", "--each", "each.jsonl", "--max-wait", "400ms", "--journal", "run.db" }
    local done = workspace:bide(words)
    assert.same({ 124, "" }, { done.code, done.stdout }, done.stderr)
    done = workspace:bide { "journal", "list", "--journal", "run.db" }
    assert.equal(0, done.code, done.stderr)
  end)

  it("does not count the time in which the process is stopped", function()
    local running = workspace:start({ "run", "recipe.lua", "call=sleep", "--max-wait", "20s", "--quiet" })
    running:wait_for_output "begun"
    running:kill "sigstop"
    local waited = uv.hrtime()
    while uv.hrtime() - waited < 1.5e9 do uv.run "nowait" uv.sleep(20) end
    running:kill "sigcont"
    assert.equal(0, running:wait().code)
  end)

  describe("of a file that is being loaded", function()
    it("ends it after --load-timeout", function()
      workspace:write("hang.lua", "local s = ('a'):rep(50000000) for _ = 1, 1000000 do s:upper() end return {}")
      for _, words in ipairs { { "list", "hang.lua" }, { "run", "hang.lua", "--max-wait", "1s" } } do
        table.move({ "--load-timeout", "500ms" }, 1, 2, #words + 1, words)
        local done = workspace:bide(words)
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        assert.equal("bide: hang.lua: it takes too long to load; do the work within the operation, or allow more by "
          .. "--load-timeout\n", done.stderr)
      end
    end)

    it("does not count the time in which it waits", function()
      workspace:write("waits.lua", "require('bide').sleep(1) " .. recipe)
      workspace:bide({ "list", "waits.lua", "--load-timeout", "300ms" }):ends(0)
    end)

    it("does not hold for the script of exec", function()
      workspace:write("script.lua", "local began = os.clock() while os.clock() - began < 0.8 do end print 'done'")
      local done = workspace:bide { "exec", "--load-timeout", "200ms", "script.lua" }
      assert.equal("done\n", done.stdout, done.stderr)
    end)
  end)
end)
