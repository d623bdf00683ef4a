---A recipe that registers functions and matchers under the same names as its neighbour, and uses them in every place and
---at every moment at which another file may run. Run twice in one sandbox, as `first.lua + second.lua`; each tells when
---what the other has registered answers it, or when it gets the data of the other. The waits never succeed.

local bide = require "bide"
local Random = require "random"

local NAMES = { "is_ready", "is_done", "value_of", "f1" }

---@param own string a name for the file
return function(own)
  local is_registered = {}

  local function tell(text) print(("finding: %s %s"):format(own, text)) end

  local function look(value)
    if type(value) == "table" and type(value.owner) == "string" and value.owner ~= own then
      tell("has the data of " .. value.owner)
    end
    return { says = own }
  end

  ---Registers a name for a function that sometimes waits, raises or searches by itself.
  local function register(random, name)
    local kind = random:number(4)
    local ok = pcall(bide.jmespath.register, name, { "any" }, function(value)
      if kind == 2 then pcall(bide.sleep, 0.001) end
      if kind == 3 and type(value) == "table" and not value.is_inner then
        bide.jmespath(name .. "(@)"):search { owner = own, is_inner = true }
      end
      return look(value)
    end)
    is_registered[name] = is_registered[name] or ok
    pcall(bide.matcher, name .. "Matcher", function(observed) look(observed.output) return true end)
  end

  ---Searches by a name: its answer is this file's, or there is no such function.
  local function search(name, given)
    local ok, found = pcall(function()
      return bide.jmespath(name .. "(@)"):search(given or { owner = own })
    end)
    if ok and type(found) == "table" and found.says ~= own then tell("is answered by " .. tostring(found.says)) end
    if ok and not is_registered[name] then tell("is answered by a function that it has not: " .. name) end
  end

  local ways = {
    function(_, name) search(name) end,
    function(random, name) register(random, name) end,
    function(_, name) bide.spawn(search, name):join() end,
    function(random, name)
      local task = bide.spawn(function()
        bide.sleep(random:number(3) / 1000)
        search(name)
      end)
      if random:once_in(2) then task:cancel() end
    end,
    function(_, name) pcall(bide.timeout, 0.002, function() while true do search(name) end end) end,
    function(_, name) coroutine.wrap(search)(name) end,
    function(_, name)
      local closing <close> = setmetatable({}, { __close = function() search(name) end })
      pcall(error, closing)
    end,
    function(_, name) setmetatable({}, { __gc = function() search(name) end }) end,
    function(_, name)
      local says = { path = name .. "(@).says", comparator = "stringEquals", expected = own }
      local waiter = bide.waiter { name = "Inner", call = function() return { owner = own } end, minDelay = 0.001,
        maxDelay = 0.002, acceptors = { { state = "success", matcher = { output = says } } } }
      waiter:wait({}, { maxWait = 0.01 })
    end,
    function() bide.sleep(0) end,
    function() for _ = 1, 200 do local _ = { {} } end end,
  }

  register(Random.new(#own), "is_done")

  return { Look = {
    call = function(input)
      local random = Random.new(input.seed + #own)
      for _ = 1, 60 do pcall(random:of(ways), random, random:of(NAMES)) end
      bide.sleep(0) -- the last tasks begin: one that has not is a mistake
      return { owner = own }
    end,
    waitable = { Looked = { minDelay = 0.001, maxDelay = 0.01, acceptors = {
      { state = "success", matcher = { output = { path = "is_done(@).says", comparator = "stringEquals",
        expected = own == "first" and "second" or "first" } } },
    } } },
  } }
end
