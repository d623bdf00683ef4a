---Every function that a script can reach, with arguments out of the pool: modules, methods of what is
---held, and, outside of the sandbox, its metamethods and the C functions below bide.core.

local M = {}

---What ends the process, runs programs, leaves this machine, or makes all that follows mean nothing.
local left_out = {
  ["core.process"] = true, ["core.limits"] = true, ["core.loop.use_virtual_clock"] = true,
  ["core.loop.watch_signals"] = true, ["core.loop.turn"] = true, ["bide.load"] = true, ["bide.exec"] = true,
  ["bide.file"] = true, ["bide.once"] = true, ["bide.dns"] = true, ["bide.tcp"] = true, ["bide.udp"] = true,
  ["bide.unix"] = true, ["bide.redis"] = true, ["bide.postgres"] = true, ["bide.smtp"] = true, ["bide.imap"] = true,
  ["bide.install"] = true,
  ["core.supervisor"] = true, ["core.sandbox"] = true, ["core.journal"] = true, ["core.watchdog"] = true,
}

local lazy = { "all", "any", "some", "spawn", "current", "timeout", "send", "receive_next", "poller", "retry", "limit_rate" }

local function sorted_names(of)
  local names = {}
  for name in next, of do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function collect(list, prefix, module, depth)
  for _, name in ipairs(sorted_names(module)) do
    local full, value = prefix .. "." .. name, module[name]
    if not left_out[full] and type(value) == "function" then
      list[#list + 1] = { name = full, f = value }
    elseif not left_out[full] and type(value) == "table" and depth > 0 then
      collect(list, full, value, depth - 1)
    end
  end
end

---@param fuzz table
---@return { name: string, f: function }[]
function M.functions(fuzz)
  local list = {}
  for _, name in ipairs(lazy) do
    local ok, f = pcall(function() return fuzz.bide[name] end)
    if ok and type(f) == "function" then fuzz.bide[name] = f end
  end
  collect(list, "bide", fuzz.bide, 1)
  if fuzz.core then collect(list, "core", fuzz.core, 1) end
  for _, name in ipairs { "digest", "secure", "acceptor", "expect", "base64", "error_class", "address", "input", "version" } do
    local ok, module = pcall(require, "bide." .. name)
    if ok and type(module) == "table" then collect(list, name, module, 0) end
  end
  return list
end

local fields = { "status", "body", "headers", "ok", "url", "version", "address", "text", "json", "document", "copy", "header" }

---Whether a function of a metatable may get the value. What ends an object may not get one that it would
---end, unless scripts see that function without `debug`: nothing holds against those that have `debug`.
function M.may_get(metatable, name, value)
  if name ~= "__gc" and name ~= "__close" then return true end
  return debug.getmetatable(value) ~= metatable or getmetatable(value) == metatable
end

---The methods of an object, as its metatable shows them; where it shows none, names that objects have.
local function methods_of(value)
  local metatable = debug and debug.getmetatable(value) or getmetatable(value)
  local found = {}
  if type(metatable) ~= "table" then metatable = {} end
  if tostring(rawget(metatable, "__name")):find "^uv_" then return found end -- luv does not survive its own finalizers
  for _, name in ipairs(sorted_names(metatable)) do
    if type(metatable[name]) == "function" then
      found[#found + 1] = { name = name, f = metatable[name], metatable = metatable }
    end
  end
  local index = rawget(metatable, "__index")
  if type(index) == "table" then
    for _, name in ipairs(sorted_names(index)) do
      if type(index[name]) == "function" then found[#found + 1] = { name = name, f = index[name] } end
    end
  end
  for _, name in ipairs(fields) do
    local ok, method = pcall(function() return value[name] end)
    if ok and type(method) == "function" then found[#found + 1] = { name = name, f = method } end
  end
  return found
end

---@return string name
---@return function f
function M.of(fuzz)
  local random, pool = fuzz.random, fuzz.pool
  local object = not random:once_in(3) and (pool:held_of "userdata" or pool:held_of "table")
  local methods = object and methods_of(object) or {}
  if #methods == 0 then
    local chosen = random:of(fuzz.functions)
    return chosen.name, chosen.f
  end
  local method = random:of(methods)
  local self = random:once_in(8) and pool:any() or object
  if method.metatable and not M.may_get(method.metatable, method.name, self) then self = fuzz.foreign end
  return "method " .. method.name, function(...) return method.f(self, ...) end
end

---What may wait runs within a task with a deadline.
local waits = {
  sleep = true, pause = true, join = true, wait = true, receive_next = true, poll = true, all = true, any = true,
  some = true, timeout = true, retry = true, without_waiting = true, settle = true,
}

function M.may_wait(name) return waits[name:match "[%w_]+$"] or false end

return M
