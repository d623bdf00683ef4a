---Deadlines and signals were looked for every 1,000 instructions, so that a loop over slow calls of C
---ended many seconds late, or not at all within a callback of luv and within a task's child.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local timely = require "spec.support.timely"

local recipe = [[
local bide, uv = require "bide", require "luv"
local function begun() io.stderr:write("begun\n") end
local function spin() while true do end end
local megabyte = ("a"):rep(1000000)
local json = "[" .. ("1,"):rep(500000) .. "1]"
local document = bide.json.read(json)
local calls = {
  two_deep = function() coroutine.wrap(function() coroutine.wrap(spin)() end)() end,
  two_deep_in_pcall = function()
    local function persist(f, ...) while true do pcall(f, ...) end end
    persist(coroutine.wrap(function() persist(coroutine.resume, coroutine.create(spin)) end))
  end,
  wrap = function() for _ in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end end,
  pcall = function() while true do pcall(spin) end end,
  close = function() local _ <close> = setmetatable({}, { __close = spin }) end,
  close_of_a_sleep = function()
    local _ <close> = setmetatable({}, { __close = function() while true do pcall(spin) end end })
    bide.sleep(60)
  end,
  closed_coroutine = function()
    local co = coroutine.create(function()
      local _ <close> = setmetatable({}, { __close = spin })
      coroutine.yield()
    end)
    coroutine.resume(co)
    coroutine.close(co)
  end,
  callback = function()
    local timer = uv.new_timer()
    timer:start(1, 0, function()
      begun() -- a signal comes as soon as it runs
      while true do pcall(spin) end
    end)
    bide.sleep(60)
  end,
  child = function() bide.spawn(spin):join() end,
  gsub = function() while true do megabyte:gsub("a", "b") end end,
  decode = function() while true do bide.json.decode(json) end end,
  search = function() local e = bide.jmespath("[?@ == `2`]") while true do e:search(document) end end,
  reverse = function() while true do megabyte:reverse() end end,
}
return { Op = { call = function(input)
  if input.call ~= "callback" then begun() end
  return calls[input.call]()
end, waitable = { Done = { acceptors = {
  { state = "success", matcher = { success = true } } } } } } }]]

local calls = {
  "two_deep", "two_deep_in_pcall", "wrap", "pcall", "close", "close_of_a_sleep", "closed_coroutine", "callback", "child",
  "gsub", "decode", "search", "reverse",
}

describe("a script that never ends", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  for _, call in ipairs(calls) do
    it("is cut at its deadline: " .. call, function()
      timely.within(process.is_sanitized and 60 or 0.75, function()
        local outcome, done = workspace:outcome { "run", "recipe.lua", "call=" .. call, "--max-wait", "300ms",
          "--load-timeout", "60s" }
        assert.equal(124, done.code, done.stderr)
        assert.equal("maxWait", outcome.reason)
        return outcome.elapsed
      end)
    end)

    it("is ended by a signal: " .. call, function()
      local running = workspace:start({ "run", "recipe.lua", "call=" .. call, "--max-wait", "1m", "--output", "json",
        "--load-timeout", "60s" })
      running:wait_for_output "begun"
      running:kill "sigterm"
      running:wait():prints(143, '"cancelled"')
    end)
  end

  for signal, code in pairs { sighup = 129, sigquit = 131 } do
    it("is ended by " .. signal, function()
      local running = workspace:start({ "run", "recipe.lua", "call=gsub", "--max-wait", "1m", "--load-timeout", "60s" })
      running:wait_for_output "begun"
      running:kill(signal)
      assert.equal(code, running:wait().code)
    end)
  end

  it("is ended in a replay too, where the clock stands still", function()
    workspace:write("answers.jsonl", '{"output": 1}\n')
    workspace:write("matcher.lua", [[return { Op = { call = error, waitable = { Done = { acceptors = {
      { state = "success", matcher = { lua = function() while true do end end } } } } } } }]])
    local done = workspace:bide({ "replay", "matcher.lua", "Done", "answers.jsonl", "--max-wait", "1s" }, { longest = 30 })
    done:writes(5, "it ran for more than 10 s without waiting")
  end)
end)
