---The patterns of sandboxed scripts against Lua's own, over random texts and patterns.

local core = require "bide.core"

-- busted looks up a global at each use
local math, pcall, string, table, tostring = math, pcall, string, table, tostring

local CASES = tonumber(os.getenv "BIDE_CASES") or 25000 -- of each seed

local pieces = {
  "a", "b", "c", ".", "%a", "%d", "%s", "%w", "%W", "%x", "%p", "%l", "%U", "%g", "%c", "%z",
  "%%", "%.", "[ab]", "[^ab]", "[a-c]",
  "[%d_]", "[]]", "[^]]", "[a-]", "[%a-z]", "(", ")", "()", "(a)", "(.-)", "%1", "%2", "%b()", "%bab",
  "%f[%w]", "%f[^a]", "^", "$",
  "*", "+", "-", "?", "%", "[", "]", "\0", "%f", "%b", "-", "*", "?", "\xE9",
}
local letters = { "a", "b", "c", "1", "_", " ", "(", ")", "A", "-", "]", "\0", "\xE9", "a", "b" }
local replacements = { "x", "%0%0", "<%1>", "%2", "%%", "%", "%x", "", 7 }

local function random_text(alphabet, most)
  local parts = {}
  for i = 1, math.random(0, most) do parts[i] = alphabet[math.random(#alphabet)] end
  return table.concat(parts)
end

---What a call gives, its errors without the place and the function's name.
local function result_of(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then results[2] = tostring(results[2]):gsub("^.-:%d+: ", ""):gsub("to '[^']*'", "to") end
  return results
end

local function all_of(gmatch)
  return function(...)
    local found = {}
    for first, second in gmatch(...) do
      found[#found + 1] = { first, second }
      if #found > 50 then break end
    end
    return found
  end
end

local function random_replacement()
  local kind = math.random(3)
  if kind == 1 then return replacements[math.random(#replacements)] end
  if kind == 2 then return { a = "A", b = false, [1] = "one", ab = 5 } end
  return function(first, second) return first ~= "a" and (second or first) or nil end
end

---A call of one of the functions: its name and arguments.
local function random_call(text, pattern, start)
  local which = math.random(4)
  if which == 1 then return { "find", text, pattern, start, math.random(10) == 1 } end
  if which == 2 then return { "match", text, pattern, start } end
  if which == 3 then
    return { "gsub", text, pattern, random_replacement(), math.random(4) == 1 and math.random(-1, 3) or nil }
  end
  return { "gmatch", text, pattern, math.random(2) == 1 and start or nil }
end

describe("the patterns of the sandbox", function()
  local same = require("luassert.util").deepcompare

  local function compare(seed)
    math.randomseed(seed)
    for _ = 1, CASES do
      local call = random_call(random_text(letters, 12), random_text(pieces, 6), math.random(-14, 14))
      local name = call[1]
      local ours, theirs = core.pattern[name], string[name]
      if name == "gmatch" then ours, theirs = all_of(ours), all_of(theirs) end
      local got, expected = result_of(ours, table.unpack(call, 2, 5)), result_of(theirs, table.unpack(call, 2, 5))
      if not same(expected, got) then
        assert.same({ call, expected }, { call, got })
      end
    end
  end

  for seed = 1, 4 do
    it("give what Lua's own give, seed " .. seed, function() compare(20260100 + seed) end)
  end

  it("raise what Lua's own raise where a pattern is too complex, or has too many captures", function()
    for _, case in ipairs { { ("a"):rep(300), ("a?"):rep(300) .. "b" }, { "a", ("()"):rep(33) }, { "a", ("(a"):rep(3) } } do
      assert.same(result_of(string.find, case[1], case[2]), result_of(core.pattern.find, case[1], case[2]))
    end
  end)
end)
