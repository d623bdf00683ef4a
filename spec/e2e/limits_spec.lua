---`--memory` and `--instructions`: whoever goes beyond a limit is ended, and the others go on.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"

---A fleet in which one wait does what the spec wants, at its second attempt, while the others are under way.
local recipe = [[
local bide = require "bide"
local kept = {}
local function misbehave()
  %s
end
return { Op = {
  call = function(input)
    bide.sleep(0.01)
    input.count = input.count or 0
    if input.bad and input.started then misbehave() end
    input.started = true
    return { done = not input.bad and "yes" or "no" }
  end,
  waitable = { Done = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = "success", matcher = { output = { path = "done", comparator = "stringEquals", expected = "yes" } } },
    { state = "failure", matcher = { output = { path = "done", comparator = "stringEquals", expected = "caught" } } },
    { state = "retry", matcher = { success = true } },
  } } },
} }]]

local memory, instructions = "memory limit exceeded", "instruction limit exceeded"

---name, what misbehaves, what its outcome says.
local hostile = {
  { "string.rep of a gigabyte", 'return ("x"):rep(1000000000)', memory },
  { "a caught string.rep of a gigabyte", 'pcall(string.rep, "x", 1000000000) bide.sleep(0.05)', memory },
  { "a caught string.rep of a gigabyte, and a wait within the attempt", [[local other = bide.load("other.lua").Done
    pcall(string.rep, "x", 1000000000) return other:wait({}, { maxWait = 9 })]], memory },
  { "errors of memory caught in a loop", 'while true do pcall(string.rep, "x", 1000000000) end', memory },
  { "a string that doubles", 'local s = "x" while true do s = s .. s end', memory },
  { "a table without end", "for i = 1, math.huge do kept[i] = i end", memory },
  { "a table of strings, caught",
    'while true do pcall(function() kept[#kept + 1] = ("x"):rep(100000) .. #kept end) end', memory },
  { "table.concat", 'local t = {} for i = 1, 100000 do t[i] = ("x"):rep(1000) end return table.concat(t)', memory },
  { "string.gsub", 'return (("x"):rep(10000):gsub("x", ("y"):rep(100000)))', memory },
  { "string.format", 'local s = ("%99d"):rep(10000) local t = {} for i = 1, 10000 do t[i] = 1 end'
    .. ' for i = 1, 1000 do kept[i] = s .. i .. s .. s .. s end', memory },
  { "coroutines", "while true do kept[#kept + 1] = coroutine.create(function() end) end", memory },
  { "tasks", "while true do bide.spawn(bide.sleep, 60) end", memory },
  { "messages to itself", 'while true do bide.send(bide.current(), ("x"):rep(1000) .. #kept) kept[#kept + 1] = 1 end', memory },
  { "a document", 'local text = "[" .. ("[],"):rep(3000000) .. "1]" kept[1] = bide.json.read(text) bide.sleep(1)', memory },
  { "JSON that becomes tables", 'kept[1] = bide.json.decode("[" .. ("[],"):rep(3000000) .. "1]") bide.sleep(1)', memory },
  { "a JMESPath that makes much", 'kept[1] = bide.jmespath("[*].[@,@,@,@,@,@,@,@]"):query('
    .. 'bide.json.read("[" .. ("1,"):rep(500000) .. "1]")) bide.sleep(1)', memory },
  { "a loop", "while true do end", instructions },
  { "a loop within pcall", "while true do pcall(function() while true do end end) end", instructions },
  { "a loop within xpcall's handler", "xpcall(error, function() while true do end end)", instructions },
  { "a loop within table.sort", "table.sort({ 3, 2, 1 }, function() while true do end end)", instructions },
  { "a loop within string.gsub, caught", 'while true do pcall(string.gsub, "x", "x", function() while true do end end) end',
    instructions },
  { "a loop within a metamethod", "return setmetatable({}, { __index = function() while true do end end }).x", instructions },
  { "a loop within a coroutine", "coroutine.wrap(function() while true do end end)()", instructions },
  { "a loop of coroutines", "while true do coroutine.wrap(function() end)() end", instructions },
  { "a tree of coroutines", "local function grow(depth) if depth > 0 then for _ = 1, 20 do "
    .. "coroutine.wrap(grow)(depth - 1) end end end grow(30)", instructions },
  { "a loop within load", 'load(function() while true do end end)', instructions },
  { "an endless recursion that is caught", "local function f() return pcall(f) and f() or f() end f()", instructions,
    only_small = true }, -- few of its instructions take long
  { "a loop within __close", "local _ <close> = setmetatable({}, { __close = function() while true do end end })", instructions },
  { "a loop in a task", "local task = bide.spawn(function() while true do end end) task:join()", instructions },
}

describe("a limit of what scripts take", function()
  local workspace = Workspace.of_block()

  ---Instructions that are counted from the beginning, and those that are counted once a script has run for a while.
  local small <const>, large <const> = "500000", "5000000"

  ---What ends by its memory has instructions enough for that.
  local function limits_of(case, count)
    return "--memory", "64M", "--instructions", case[3] == memory and "20000000" or count or small
  end

  local function write_recipe(code)
    workspace:write("recipe.lua", recipe:format(code))
    workspace:write("other.lua", [[return { Other = { prepare = function() return function() return {} end end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
  end

  local function run_fleet(code, ...)
    write_recipe(code)
    local lines = {}
    for i = 1, 8 do lines[i] = ('{"number": %d, "bad": %s, "started": true}'):format(i, i == 3) end
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide({ "run", "recipe.lua", "--each", "lines.jsonl", "--some", "7", "--max-wait", "9m",
      "--output", "json", "--quiet", ... }, { longest = 600 })
    return json.decode(done.stdout), done
  end

  for _, case in ipairs(hostile) do
    it("ends the wait with " .. case[1] .. ", and no other", function()
      if process.is_sanitized and case[3] == memory then return end
      local result, done = run_fleet(case[2], limits_of(case))
      local bad = result.outcomes[3]
      assert.equal(7, result.succeeded, done.stderr .. done.stdout)
      if bad.reason ~= "cancelled" then
        assert.equal("scriptError", bad.reason)
        assert.matches(case[3], bad.message, 1, true)
      end
    end)

    for _, count in ipairs { small, case[3] == instructions and not case.only_small and large or nil } do
      it(("ends a single wait with exit code 5 by %s: %s"):format(count, case[1]), function()
        if process.is_sanitized and case[3] == memory then return end
        write_recipe(case[2])
        local outcome, done = workspace:outcome({ "run", "recipe.lua", "bad:=true", "started:=true", "--max-wait", "9m",
          limits_of(case, count) }, { longest = 600 })
        assert.equal(5, done.code)
        assert.equal("scriptError", outcome.reason)
        assert.matches(case[3], outcome.message, 1, true)
        if case[3] == instructions then assert.matches("^recipe.lua:%d+: ", outcome.message) end
      end)
    end
  end

  ---Coroutines that were made before anything was counted, each of which runs for less than a millisecond at a time. A resume
  ---counts for a hundred instructions.
  local parts = {
    resumed = { "while true do work() coroutine.yield() end", "coroutine.resume(one)" },
    closed = { "local _ <close> = setmetatable({}, { __close = work }) coroutine.yield()", "coroutine.close(one)" },
  }

  for how, part in pairs(parts) do
    it("counts the instructions of coroutines of before that are " .. how, function()
      write_recipe(([[
        local rounds, all = 0, {}
        local function work() for _ = 1, 30000 do end end
        for i = 1, 2000 do
          all[i] = coroutine.create(function() coroutine.yield() %s end)
          coroutine.resume(all[i])
          if "%s" == "closed" then coroutine.resume(all[i]) end
        end
        bide.sleep(0.01)
        for _, one in ipairs(all) do
          rounds = rounds + 1
          if rounds %% 500 == 0 then print(rounds .. " rounds") end
          %s
        end]]):format(part[1], how, part[2]))
      local outcome, done = workspace:outcome({ "run", "recipe.lua", "bad:=true", "started:=true", "--max-wait", "9m",
        "--instructions", large }, { longest = 600 })
      assert.equal(5, done.code, done.stderr)
      assert.matches(instructions, outcome.message, 1, true)
      assert.not_matches("1000 rounds", done.stderr, 1, true)
    end)
  end

  it("counts the bodies of answers", function()
    local server = Server.start(function(request)
      return { body = '{"done": "' .. (request.path == "/big" and ("x"):rep(24 << 20) or "yes") .. '"}' }
    end)
    workspace:write("http.lua", ([[local http = require "bide.http"
      return { Op = { call = function(input) return http.get("%s" .. input.path) end, waitable = { Done = {
        minDelay = 0.01, acceptors = {
          { state = "success", matcher = { output = { path = "done", comparator = "stringEquals", expected = "yes" } } },
          { state = "failure", matcher = { success = true } }, { state = "failure", matcher = { success = false } },
      } } } } }]]):format(server.url))
    workspace:write("paths.jsonl", '{"path": "/"}\n{"path": "/big"}\n{"path": "/"}\n')
    local done = workspace:bide { "run", "http.lua", "--each", "paths.jsonl", "--some", "3", "--jobs", "1", "--max-wait", "50s",
      "--memory", "32M", "--output", "json", "--quiet" }
    server:close()
    local outcomes = json.decode(done.stdout).outcomes
    assert.equal("success", outcomes[1].state)
    assert.equal("scriptError", outcomes[2].reason)
    assert.equal(5, done.code)
    assert.matches(memory, outcomes[2].message, 1, true)
  end)

  it("takes back what documents had", function()
    workspace:write("recipe.lua", [[
      local bide, count = require "bide", 0
      local text = '{"list": [' .. ('{"a": 1, "b": [1, 2]},'):rep(40000) .. '1]}'
      return { Op = { call = function()
        count = count + 1
        local document = bide.json.read(text)
        return { count = count, length = #bide.jmespath("list[].b[]"):query(document) }
      end, waitable = { Done = { minDelay = 0.001, maxDelay = 0.001, acceptors = {
        { state = "success", matcher = { output = { path = "count >= `60`", comparator = "booleanEquals", expected = "true" } } },
      } } } } }]])
    local outcome, done = workspace:outcome { "run", "recipe.lua", "--max-wait", "50s", "--memory", "64M" }
    assert.equal(0, done.code, done.stderr)
    assert.same({ count = 60, length = 80000 }, outcome.output)
  end)

  it("is what a file that is loaded keeps to, and the next file is still listed", function()
    workspace:write("loop.lua", "\nwhile true do pcall(function() while true do end end) end")
    workspace:write("greedy.lua", "return ('x'):rep(1000000000)")
    workspace:write("good.lua", recipe:format(""))
    local done = workspace:bide { "list", "--sandbox", "loop.lua", "greedy.lua", "good.lua" }
    done:says(2, "loop.lua:2: instruction limit exceeded", memory)
    assert.matches("good.lua\n  Done", done.stdout, 1, true)
  end)

  ---What runs before anything is sent, in a task within another one.
  local before = {
    ["a prepare that loops"] = { "prepare = function() LOOP end", instructions },
    ["a check that loops"] = { "check = function() LOOP end, call = function() end", instructions },
    ["a prepare that takes all memory"] = { "prepare = function() local s = 'x' while true do s = s .. s end end", memory },
    ["a prepare that recurs for ever"] = { "prepare = function() local function f() return 1 + f() end f() end",
      "stack overflow" },
  }

  for name, case in pairs(before) do
    it("holds for " .. name, function()
      if process.is_sanitized and case[2] == memory then return end
      local code = case[1]:gsub("LOOP", "while true do pcall(function() while true do end end) end")
      workspace:write("before.lua", ([[
return {
  Op = { %s, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } },
}]]):format(code))
      local done = workspace:bide { "run", "before.lua", "--sandbox", "--max-wait", "50s", "--load-timeout", "50s",
        "--memory", "128M", "--quiet" }
      assert.equal(case[2] == instructions and name:find "check" and 2 or 5, done.code, done.stderr)
      assert.matches(case[2], done.stderr, 1, true)
    end)
  end

  local commands = {
    { "query", "--with", "with.lua", "loop(@)", "answers.jsonl" }, { "exec", "loop.lua" }, { "exec", "raises.lua" },
    { "run", "matcher.lua", "--max-wait", "5s", "--quiet" }, { "run", "function.lua", "--max-wait", "5s", "--quiet" },
  }

  for _, words in ipairs(commands) do
    it("holds for " .. words[1] .. " " .. words[2], function()
      local loop = "while true do pcall(function() while true do end end) end"
      workspace:write("with.lua", "require('bide').jmespath.register('loop', { 'any' }, function() " .. loop .. " end)")
      workspace:write("answers.jsonl", "{}\n")
      workspace:write("loop.lua", loop)
      workspace:write("raises.lua", "error(setmetatable({ type = 'Gone' }, { __tostring = function() " .. loop .. " end }))")
      workspace:write("matcher.lua", "return { Op = { call = function() return {} end, waitable = { Done = { acceptors = { "
        .. "{ state = 'success', matcher = { lua = function() " .. loop .. " end } } } } } } }")
      workspace:write("function.lua", "require('bide').jmespath.register('loop', { 'any' }, function() " .. loop .. " end)"
        .. "return { Op = { call = function() return {} end, waitable = { Done = { acceptors = { { state = 'success', "
        .. "matcher = { output = { path = 'loop(@)', comparator = 'stringEquals', expected = 'x' } } } } } } } }")
      table.insert(words, 2, "--sandbox")
      workspace:bide(words):writes(5, instructions)
    end)
  end

  local mistakes = {
    { "--memory", "64MB", '--memory: expected a size such as 64M, 1G, 500K or a number of bytes, found "64MB"' },
    { "--memory", "0", "--memory: expected a size" },
    { "--memory", "100K", "--memory: 100K is less than bide itself takes" },
    { "--instructions", "0", "--instructions: expected a whole number above 0, found" },
    { "--instructions", "many", "--instructions: expected" },
  }

  for _, case in ipairs(mistakes) do
    it(("refuses %s %s"):format(case[1], case[2]), function()
      workspace:bide({ "list", case[1], case[2] }):says(2, case[3])
    end)
  end
end)
