---Lua's own library as a sandboxed script sees it: copies, so that what it changes is its own,
---without what reaches files, programs, bytecode or the inside of others, and without calls
---that take for ever in C, where no hook could end them.

local getmetatable_of, real_setmetatable, real_load = debug.getmetatable, setmetatable, load
local rep, move = string.rep, table.move

local M = {}

---The members of a library, but for those that are left out.
local function copy(library, without)
  local copied = {}
  for name, value in pairs(library) do copied[name] = value end
  for _, name in ipairs(without or {}) do copied[name] = nil end
  return copied
end

-- ---- metatables -----------------------------------------------------------------------

---Those that scripts have set; all others are bide's and Lua's.
local of_scripts = real_setmetatable({}, { __mode = "k" })

---A metatable that is not a script's own shows as false.
local function get_metatable(value)
  local metatable = getmetatable_of(value)
  if metatable == nil then return nil end
  return of_scripts[metatable] and getmetatable(value) or false
end

---A finalizer would run where nothing ends it.
local function set_metatable(value, metatable)
  local present = type(value) == "table" and getmetatable_of(value)
  if present and not of_scripts[present] then error("cannot change a protected metatable", 2) end
  if type(metatable) == "table" then
    if rawget(metatable, "__gc") ~= nil then error("__gc is not for sandboxed scripts", 2) end
    of_scripts[metatable] = true
  end
  return real_setmetatable(value, metatable)
end

-- ---- calls that would not return ----------------------------------------------------------

local function is_text(value) return type(value) == "string" or type(value) == "number" end

---Nothing, repeated, is nothing: Lua would count to the end.
local function repeat_text(text, count, separator)
  if is_text(text) and (separator == nil or is_text(separator)) and text .. (separator or "") == "" then return "" end
  return rep(text, count, separator)
end

local MOST_MOVED = 10000000

local function move_elements(from, first, last, ...)
  if math.tointeger(first) and math.tointeger(last) and last >= first
    and (last - first < 0 or last - first >= MOST_MOVED) then
    error(("table.move: at most %d elements for a sandboxed script"):format(MOST_MOVED), 2)
  end
  return move(from, first, last, ...)
end

---Length by a metamethod could be any number, and all those places would be moved.
local function of_plain_length(name)
  local f = table[name]
  return function(list, ...)
    local metatable = getmetatable_of(list)
    if type(list) == "table" and metatable and rawget(metatable, "__len") ~= nil then
      error(("table.%s: not of a table with __len for a sandboxed script"):format(name), 2)
    end
    return f(list, ...)
  end
end

-- ---- coroutines ---------------------------------------------------------------------------

local function new_coroutines()
  local library, created, stand_ins = copy(coroutine), real_setmetatable({}, { __mode = "k" }),
    real_setmetatable({}, { __mode = "k" })
  local create, running = coroutine.create, coroutine.running

  function library.create(f)
    local co = create(f)
    created[co] = true
    return co
  end

  ---The coroutines of tasks are bide's, which lends them again: a script gets another for it.
  function library.running()
    local co, is_main = running()
    if created[co] then return co, is_main end
    stand_ins[co] = stand_ins[co] or create(function() end)
    return stand_ins[co], is_main
  end

  return library
end

-- ---- the whole ----------------------------------------------------------------------------

local plain = {
  "_VERSION", "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type", "xpcall",
}

local function new_strings()
  local library = copy(string, { "dump" })
  library.rep = repeat_text
  return library
end

local function new_tables()
  local library = copy(table)
  library.insert, library.remove, library.move = of_plain_length "insert", of_plain_length "remove", move_elements
  return library
end

---The generator is the whole process's, so that nobody may say what it gives next.
local function new_mathematics()
  local library = copy(math)
  function library.randomseed() end
  return library
end

---How much memory there is may be asked; when it is collected is not a script's to say.
local function collect_garbage(option)
  return option == "count" and collectgarbage "count" or 0
end

---Text only, and with the script's own globals unless it names others.
local function loader_of(environment)
  return function(chunk, name, mode, ...)
    local given = environment
    if select("#", ...) > 0 then given = ... end
    if mode == "b" then return nil, "bytecode is not for sandboxed scripts" end
    return real_load(chunk, name, "t", given)
  end
end

---A table of globals that shares nothing with bide's or with that of another script.
---@return table environment
function M.new()
  local environment = {
    string = new_strings(), table = new_tables(), coroutine = new_coroutines(), math = new_mathematics(), utf8 = copy(utf8),
    os = { clock = os.clock, date = os.date, difftime = os.difftime, time = os.time },
    getmetatable = get_metatable, setmetatable = set_metatable, collectgarbage = collect_garbage,
  }
  for _, name in ipairs(plain) do environment[name] = _G[name] end
  environment._G, environment.load = environment, loader_of(environment)
  return environment
end

---Methods of strings come from a library that is no script's, and that has no call without end.
function M.guard_strings()
  getmetatable_of("").__index = new_strings()
end

return M
