---The walls around a test case, and around the code of its file: what it changes is put back, and what leads out of the
---process is refused, since nothing real may happen on the virtual clock.

local core = require "bide.core"
local groups = require "bide.probe.exec.group"
local luv = require "luv"
local registry = require "bide.text.registry"
local script_error = require "bide.text.script_error"
local sockets = require "bide.probe.peer.sockets"
local vocabulary = require "bide.recipe.expression.vocabulary"
local wire = require "bide.probe.http.wire"

local M = {}

-- ---- putting back -------------------------------------------------------------------------------

local libraries = { "string", "table", "math", "os", "io", "coroutine", "utf8", "debug", "package" }

---Of the names of modules, those whose tables scripts see.
---@type table<string, boolean>
local are_shared = setmetatable({}, { __index = function(known, name)
  local short = name:match "^bide%.(.+)$"
  known[name] = name == "bide" or short ~= nil and registry.of_module(short) ~= nil
  return known[name]
end })

---Returns the tables that every script sees.
---@return table[]
local function shared_tables()
  local list = { _G, package.preload, getmetatable "" }
  for _, name in ipairs(libraries) do list[#list + 1] = package.loaded[name] end
  for name, module in pairs(package.loaded) do
    if type(module) == "table" and type(name) == "string" and are_shared[name] then list[#list + 1] = module end
  end
  return list
end

local function copy(from)
  local copied = {}
  for name, value in next, from do copied[name] = value end
  return copied
end

---The modules that the program has loaded by itself.
local of_program = copy(package.loaded)

local function is_of_bide(name)
  return name == "bide" or type(name) == "string" and name:find "^bide%." ~= nil
end

---Forgets the modules of scripts, so that they are loaded anew.
local function forget_modules()
  for name in pairs(package.loaded) do
    if of_program[name] == nil and not is_of_bide(name) and package.searchpath(name, package.path) then
      package.loaded[name] = nil
    end
  end
end

---Keeps what scripts may change. A case has modules of its own, also of those that its file has loaded.
---@return fun() restore
local function keep()
  local kept, loaded, metatable = {}, copy(package.loaded), debug.getmetatable(_G)
  forget_modules()
  local restore_names = vocabulary.keep(vocabulary.common)
  for _, one in ipairs(shared_tables()) do kept[one] = copy(one) end
  return function()
    forget_modules()
    for name, module in pairs(loaded) do package.loaded[name] = module end
    restore_names()
    debug.setmetatable(_G, metatable)
    for one, copied in pairs(kept) do
      for name in next, one do
        if copied[name] == nil then rawset(one, name, nil) end
      end
      for name, value in next, copied do
        if rawget(one, name) ~= value then rawset(one, name, value) end
      end
    end
  end
end

-- ---- refusing -----------------------------------------------------------------------------------

---The functions that lead out of the process, and what they do.
local ways_out = {
  { os, "execute", "runs a program" }, { io, "popen", "runs a program" }, { os, "exit", "ends the process" },
  { luv, "spawn", "runs a program" }, { luv, "sleep", "sleeps for real" },
  { luv, "new_tcp", "opens a socket" }, { luv, "new_udp", "opens a socket" },
  { luv, "getaddrinfo", "resolves a name" },
}

---@param refuse fun(what: string) called before the script error is raised
---@return fun() undo
local function close_ways(refuse)
  local before = {}
  local function close(holder, name, by)
    before[#before + 1] = { holder, name, holder[name] }
    holder[name] = by
  end
  local function refused(what)
    refuse(what)
    error(script_error.of(("a test %s, which is refused"):format(what)), 0)
  end
  for _, way in ipairs(ways_out) do
    close(way[1], way[2], function(given)
      refused(type(given) == "string" and ("%s: %q"):format(way[3], given) or way[3])
    end)
  end
  close(groups, "spawn", function(program) -- it is called from the loop, where nothing may be raised
    refuse(("runs a program: %q"):format(program))
    return nil, nil, "EPERM: a test runs no program"
  end)
  close(core.resolver, "start", function(_, name) refused(("resolves the name %q, in place of an address"):format(name)) end)
  return function()
    for position = #before, 1, -1 do before[position][1][before[position][2]] = before[position][3] end
  end
end

---The world of a case.
---@class bide.test.World
---@field exchange fun(request: bide.transfer.Request): bide.http.Response answers requests over HTTP
---@field connect fun(name: string): bide.peer.Conversation answers connections
---@field refuse fun(what: string) takes what else the case tried

---Begins a case; the end of the returned variable puts all back.
---@param world bide.test.World
---@return table end_of_case to be closed
function M.enter(world)
  local restore, open_ways = keep(), close_ways(world.refuse)
  wire.replace(world.exchange)
  sockets.converse(world.connect)
  return setmetatable({}, { __close = function()
    sockets.converse(nil)
    wire.replace(nil)
    open_ways()
    restore()
  end })
end

return M
