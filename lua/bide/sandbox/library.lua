---Lua's own library for sandboxed scripts: copies, so that a script can only change its own, without functions that reach
---files, programs, bytecode or the internals of others. The work of a call in C, which no hook can end, is charged to the
---instructions of the script.

local core = require "bide.core"
local tables = require "bide.text.tables"

local bounded = core.bounded
local charge, sub = bounded.charge, string.sub
local getmetatable_of, real_setmetatable, real_load = debug.getmetatable, setmetatable, load
local own_strings = string

local M = {}

---Returns a copy of a library without some of its members.
local function copy(library, without)
  local copied = tables.merged(library)
  for _, name in ipairs(without or {}) do copied[name] = nil end
  return copied
end

-- ---- metatables -----------------------------------------------------------------------

---The metatables that scripts have set; all others are bide's and Lua's.
local of_scripts = real_setmetatable({}, { __mode = "k" })

---Returns the metatable of a value, or false if it is not a script's own.
local function get_metatable(value)
  local metatable = getmetatable_of(value)
  if metatable == nil then return nil end
  return of_scripts[metatable] and getmetatable(value) or false
end

---Sets a metatable, without a finalizer, since no limit or deadline could end it.
local function set_metatable(value, metatable)
  local present = type(value) == "table" and getmetatable_of(value)
  if present and not of_scripts[present] then error("cannot change a protected metatable", 2) end
  if type(metatable) == "table" then
    if rawget(metatable, "__gc") ~= nil then error("__gc is not for sandboxed scripts", 2) end
    of_scripts[metatable] = true
  end
  return real_setmetatable(value, metatable)
end

-- ---- calls that take long in C ---------------------------------------------------------------

---Returns a copy of a library whose functions charge their work to the script.
local function bounded_copy(library, prefix, without)
  local copied = copy(library, without)
  for name, f in pairs(copied) do
    if type(f) == "function" then copied[name] = bounded.of(prefix .. name, f) or f end
  end
  return copied
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

  ---Returns the running coroutine. Those of tasks are bide's, which uses them again, so a script gets a substitute.
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
  return tables.merged(bounded_copy(own_strings, "string.", { "dump" }), core.pattern)
end

---Replaces the seeding of the random generator, which the whole process shares.
local function new_mathematics()
  local library = copy(math)
  function library.randomseed() end
  return library
end

---Reports the size of the memory. A script may not control the collector.
local function collect_garbage(option)
  return option == "count" and collectgarbage "count" or 0
end

local PIECE = 256       -- bytes that are compiled between two instructions of Lua
local SLOWER_BY = 1024  -- bytes: the jumps of a long chunk make each piece take longer than the one before

---Returns a reader that gives out a text in parts.
local function pieces_of(text)
  local at = 1 - PIECE
  return function()
    at = at + PIECE
    return sub(text, at, at + PIECE - 1)
  end
end

---Returns a reader of the parts that a script's function returns, in parts of a limited size.
local function pieces_from(give)
  local next_piece = pieces_of ""
  return function()
    local piece = next_piece()
    if piece ~= "" then return piece end
    local text = give()
    if type(text) ~= "string" then return text end
    next_piece = pieces_of(text)
    return next_piece()
  end
end

---Returns a reader that charges the compilation of a chunk to the script.
local function charged(give)
  local compiled = 0
  return function()
    local piece = give()
    if type(piece) == "string" then
      charge(#piece * (1 + compiled // SLOWER_BY))
      compiled = compiled + #piece
    end
    return piece
  end
end

---Replaces load: for text only, and with the script's own globals by default.
local function loader_of(environment)
  return function(chunk, name, mode, ...)
    local given = environment
    if select("#", ...) > 0 then given = ... end
    if mode == "b" then return nil, "bytecode is not for sandboxed scripts" end
    if type(chunk) == "string" then return real_load(charged(pieces_of(chunk)), name or chunk, "t", given) end
    if type(chunk) == "function" then chunk = charged(pieces_from(chunk)) end
    return real_load(chunk, name, "t", given)
  end
end

---Returns a table of globals that shares nothing with bide's or with that of another script.
---@return table environment
function M.new()
  local environment = {
    string = new_strings(), table = bounded_copy(table, "table."), coroutine = new_coroutines(), math = new_mathematics(),
    utf8 = bounded_copy(utf8, "utf8."),
    os = { clock = os.clock, date = bounded.of("os.date", os.date), difftime = os.difftime, time = os.time },
    getmetatable = get_metatable, setmetatable = set_metatable, collectgarbage = collect_garbage,
  }
  for _, name in ipairs(plain) do environment[name] = _G[name] end
  for _, name in ipairs { "tonumber", "tostring" } do environment[name] = bounded.of(name, _G[name]) end
  environment._G, environment.load = environment, loader_of(environment)
  return environment
end

---Replaces the methods of strings by a library that no script can change, and without calls that do not end.
function M.guard_strings()
  local metatable = getmetatable_of("")
  metatable.__index = new_strings()
end

return M
