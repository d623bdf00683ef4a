---The pool of values that a hostile script plays with: what calls return goes into it, and what they
---get comes out of it, or is made anew. What is made is whatever a script can make: tables that hold
---themselves or have metatables, functions that change what is just being read, coroutines.

local Pool = {}
Pool.__index = Pool

local MOST = 60

---@param fuzz table what the actions share: random, url, bide, core
function Pool.new(fuzz)
  return setmetatable({ fuzz = fuzz, random = fuzz.random, held = {} }, Pool)
end

---Keeps values; where there are too many, one at random is dropped for each.
function Pool:add(...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if value ~= nil then
      local place = #self.held < MOST and #self.held + 1 or self.random:number(MOST)
      self.held[place] = value
    end
  end
end

---Forgets some of what is held, and collects it.
function Pool:drop()
  for _ = 1, #self.held // 3 do table.remove(self.held, self.random:number(#self.held)) end
  collectgarbage()
end

-- ---- plain values -----------------------------------------------------------------------------

local numbers = {
  0, 1, 2, 3, -1, 7, 100, 1000, 65536, math.maxinteger, math.mininteger, 2 ^ 53, 0.5, -0.5, 1e308, 1 / 0, 0 / 0,
}

local texts = {
  "", "a", "name", "status", "list[*].name", "a == b", "[@, @]", "max_by(@, &a)", "sort_by(@, &name)", "{a: @, b: `1`}",
  "to_array(@)", "map(&[@], @)", "[]", "{}", "null", "[1,2,3]", '{"a":{"b":[1,2,{"c":null}]}}', '{"a":1}\n{"a":2}\n',
  "success", "stringEquals", "exponential", "fullJitter", "\0", "\xff\xfe", ("x"):rep(5000), ("["):rep(3000), "%s%d%n",
  "__gc", "__index", "body", "headers", "HTTP", "12345678901234567890", "\u{202E}\u{FFFD}",
}

function Pool:number() return self.random:of(numbers) end
function Pool:text() return self.random:of(texts) end

-- ---- functions --------------------------------------------------------------------------------

local makers = {}

---Whatever a table of the pool holds is taken out of it, and the memory used anew.
function makers:clears()
  local held = self.held
  return function(...)
    for _, value in ipairs(held) do
      if type(value) == "table" then
        for key in next, value do rawset(value, key, nil) end
      end
    end
    collectgarbage()
    for i = 1, 50 do held[MOST + 1] = { ("y"):rep(50) .. i } end
    return ...
  end
end

function makers:adds()
  local held = self.held
  return function(...)
    for _, value in ipairs(held) do
      if type(value) == "table" then
        for i = 1, 30 do rawset(value, "added" .. i, i) end
      end
    end
    return ...
  end
end

function makers:drops()
  return function(...)
    self:drop()
    return ...
  end
end

function makers:calls()
  return function(...)
    if self.nested then return ... end
    self.nested = true
    local kept = table.pack(self.fuzz.act())
    self.nested = false
    return table.unpack(kept, 1, math.min(kept.n, 3))
  end
end

function makers.gives() return function(...) return ... end end
function makers.raises() return function() error({ type = "NotFound", message = "none" }) end end
function makers.breaks() return function() error("broken") end end
function makers.yields() return function(...) return coroutine.yield(...) end end
function makers.closes() return function(value) if type(value) == "userdata" then value:close() end end end

function makers:sleeps()
  return function() self.fuzz.bide.sleep(0.001) end
end

function makers:table()
  return function() return self:made_table() end
end

local function sorted(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local maker_names = sorted(makers)

function Pool:made_function()
  return makers[self.random:of(maker_names)](self)
end

-- ---- tables and coroutines ----------------------------------------------------------------------

---Without __concat: Lua 5.4.4, which Debian 12 has, uses a stale pointer in `a .. b .. c` if that moves the stack.
local metamethods = {
  "__index", "__newindex", "__len", "__call", "__tostring", "__close", "__eq", "__lt", "__le", "__unm", "__name",
  "__metatable", "__pairs", "__mode", "__gc",
}

function Pool:metatable()
  local metatable = {}
  for _ = 1, self.random:number(3) do
    local name = self.random:of(metamethods)
    if name == "__gc" and not self.fuzz.has_finalizers then name = "__name" end
    metatable[name] = self.random:once_in(6) and self:any() or self:made_function()
  end
  return metatable
end

local members = {
  "a", "b", "name", "status", "type", "message", "state", "matcher", "output", "path", "expected", "comparator", "array",
  "object", "map", "refillRate", "interval", "min_delay", "max_delay", "max_wait", "max_attempts", "indent", "redact",
  "attempt", "at", "error", "acceptors", "call", "variadic", "returns", "timeout", "headers", "body",
}

function Pool:made_table()
  local made = {}
  for _ = 1, self.random:number(0, 5) do
    local key = self.random:once_in(2) and #made + 1 or self.random:of(members)
    made[key] = self:any()
  end
  if self.random:once_in(12) then made.itself = made end
  if self.random:once_in(12) then made[self.random:number(2, 9)] = self:any() end
  if self.random:once_in(4) then pcall(setmetatable, made, self:metatable()) end
  return made
end

---Some are suspended within a call that waits, or have ended, or have never begun.
function Pool:made_coroutine()
  local resume = self.fuzz.raw_resume or coroutine.resume
  local made = coroutine.create(self:made_function())
  for _ = 1, self.random:number(0, 2) do pcall(resume, made, self:any()) end
  return made
end

-- ---- any ----------------------------------------------------------------------------------------

function Pool:fresh()
  local kind = self.random:number(14)
  if kind <= 3 then return self:number() end
  if kind <= 6 then return self:text() end
  if kind <= 9 and not self.is_deep then
    self.is_deep = true
    local made = self:made_table()
    self.is_deep = false
    return made
  end
  if kind == 10 then return self:made_function() end
  if kind == 11 then return self:made_coroutine() end
  if kind == 12 then return self.random:once_in(2) end
  if kind == 13 then return self.fuzz.bide.null end
  return nil
end

function Pool:any()
  if #self.held > 0 and not self.random:once_in(3) then return self.random:of(self.held) end
  return self:fresh()
end

---A value of a Lua type that is held, or nil.
function Pool:held_of(kind)
  local found = {}
  for _, value in ipairs(self.held) do
    if type(value) == kind then found[#found + 1] = value end
  end
  return #found > 0 and self.random:of(found) or nil
end

return Pool
