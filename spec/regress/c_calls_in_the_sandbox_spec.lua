---A function of C with a C function as a metamethod ran for ever in the sandbox, where neither
-----instructions nor the deadline nor the first SIGTERM ended it; so did patterns, and loops over calls
---that are long in C held the deadline up.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local timely = require "spec.support.timely"

local concat = "table.concat(setmetatable({}, { __index = table.concat }), '', 1, math.maxinteger)"

---Each would run for minutes at least.
local endless = {
  { "a pattern that is exponential", [[return string.find(("a"):rep(64), ("a*"):rep(64) .. "b")]] },
  { "a pattern that is a method", [[return ("a"):rep(64):match(("a?"):rep(64) .. ("a-"):rep(64) .. "b")]] },
  { "a pattern of gmatch", [[for _ in ("a"):rep(64):gmatch(("a*"):rep(64) .. "b") do end]] },
  { "a pattern of gsub", [[return ("a"):rep(64):gsub(("a*"):rep(64) .. "b", "")]] },
  { "a set that is long", [[local s = ("a"):rep(100000) return s:find("[" .. ("b"):rep(100000) .. "]")]] },
  { "balanced brackets", [[return ("("):rep(1000000):find("%b()")]] },
  { "a loop of plain finds", [[local s, t = ("a"):rep(1000000), ("a"):rep(500000) .. "b" while true do s:find(t, 1, true) end]] },
  { "a loop of reverse", [[local s = ("a"):rep(10000000) while true do s:reverse() end]] },
  { "a loop of upper", [[local s = ("a"):rep(10000000) while true do s:upper() end]] },
  { "a loop of rep", [[while true do local _ = ("a"):rep(10000000) end]] },
  { "a loop of format", [[local s = ("a"):rep(1000000) while true do ("%q"):format(s) end]] },
  { "a loop of concat", [[local t = {} for i = 1, 100000 do t[i] = "abc" end while true do table.concat(t) end]] },
  { "a loop of sort", [[local t = {} for i = 1, 100000 do t[i] = i * 7919 % 99991 end while true do table.sort(t) end]] },
  { "a loop of unpack", [[local t = {} for i = 1, 100000 do t[i] = i end while true do table.unpack(t) end]] },
  { "a loop of insert", [[local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, 1) end]] },
  { "a loop of move", [[while true do table.move({}, 1, 9000000, 2) end]] },
  { "a loop of utf8.len", [[local s = ("a"):rep(10000000) while true do utf8.len(s) end]] },
  { "continuation bytes", [[local step, s = utf8.codes(""), ("\x80"):rep(10000000) while true do pcall(step, s, 1) end]] },
  { "a loop of tonumber", [[local s = ("1"):rep(10000000) while true do tonumber(s) end]] },
  { "a chunk of many jumps", [[return load("return " .. ("a or "):rep(1000000) .. "a")]] },
  { "a chunk in pieces", [[local n = 0 load(function() n = n + 1 return n == 1 and "return a" or " or a" end)]] },
  { "decode", [[local s = "[" .. ("1,"):rep(500000) .. "1]" while true do bide.json.decode(s) end]] },
  { "encode", [[local t = {} for i = 1, 100000 do t[i] = i end while true do bide.json.encode(t) end]] },
  { "search", [[local e, d = bide.jmespath("[?@ == `2`]"), bide.json.read("[" .. ("1,"):rep(500000) .. "1]")
    while true do e:search(d) end]] },
}

local refused = {
  { "concat", concat },
  { "sort", "table.sort(setmetatable({}, { __len = function() return 2^31-2 end, __index = rawequal }), math.type)" },
  { "unpack", "table.unpack(setmetatable({}, { __index = math.type }), 1, 100)" },
  { "insert", "table.insert(setmetatable({}, { __newindex = rawequal }), 1)" },
  { "move", "table.move({}, 1, 2, 1, setmetatable({}, { __newindex = rawequal }))" },
}

describe("in the sandbox", function()
  local workspace = Workspace.of_block()

  for _, case in ipairs(endless) do
    it("the limit of instructions ends " .. case[1], function()
      workspace:write("script.lua", "local bide = require 'bide'\n" .. case[2])
      local limit = process.is_sanitized and "" or "ulimit -t 5; "
      workspace:shell(limit .. '"$BIDE" exec --sandbox --script-time 1m script.lua'):says(5, "instruction limit exceeded")
    end)
  end

  for _, case in ipairs(refused) do
    it("a table with metamethods is refused by " .. case[1], function()
      workspace:write("script.lua", "local _, mistake = pcall(function() " .. case[2] .. " end) print(mistake)")
      local done = workspace:bide({ "exec", "--sandbox", "script.lua" })
      assert.matches("script.lua:1: table." .. case[1] .. ": not of a table with __%l+ for a sandboxed script\n$", done.stdout)
    end)
  end

  it("arrays of bide, and tables with other metamethods, are taken as ever", function()
    workspace:write("script.lua", [[
      local list = require("bide").json.array { 3, 1, 2 }
      table.sort(list)
      table.insert(list, 1, 0)
      local named = setmetatable({ "a", "b" }, { __tostring = function() return "named" end })
      print(table.concat(list, ","), select("#", table.unpack(list)), table.remove(list), table.concat(named))]])
    assert.equal("0,1,2,3\t4\t3\tab\n", workspace:bide({ "exec", "--sandbox", "script.lua" }).stdout)
  end)

  it("a deadline ends a pattern within the call, and the other waits go on", function()
    workspace:write("recipe.lua", [[return { Op = {
      call = function(input)
        if input.bad then return string.find(("a"):rep(64), ("a*"):rep(64) .. "b") end
        require("bide").sleep(0.4)
        return {}
      end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    workspace:write("each.jsonl", '{"bad": true}\n')
    timely.within(process.is_sanitized and 60 or 0.6, function()
      local outcome, done = workspace:outcome { "run", "recipe.lua", "bad:=true", "--sandbox", "--instructions", "100000000000",
        "--max-wait", "300ms" }
      assert.equal(124, done.code)
      assert.equal("maxWait", outcome.reason)
      return outcome.elapsed
    end)
  end)

  it("a file is not loaded for ever", function()
    workspace:write("hang.lua", "local s = ('a'):rep(50000000) for _ = 1, 1000000 do local _ = s:upper() end return {}")
    workspace:write("concat.lua", concat .. " return {}")
    for _, file in ipairs { "hang.lua", "concat.lua" } do
      assert.equal(2, workspace:bide({ "list", "--sandbox", file }).code)
    end
  end)
end)
