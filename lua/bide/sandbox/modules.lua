---bide's own modules as a sandboxed script gets them: copies of what asks the network, and
---nothing that opens a file, a socket of this machine or a program.

local opaque = require "bide.sandbox.opaque"
local recipe_path = require "bide.recipe.path"
local within = require "bide.sandbox.within"

local M = {}

---Why a module, or a function of bide, is not there.
local refused = {
  exec = "it runs programs", file = "it reads files", unix = "it connects to sockets of this machine",
  once = "it reads and writes the journal", kubernetes = "it reads files with credentials",
  processes = "it looks at the processes of this machine",
}

---@return string? mistake
function M.refusal(name)
  local reason = refused[name:match("^bide%.(%w+)") or ""]
  return reason and ("%s is not for sandboxed scripts: %s"):format(name, reason)
end

---The functions and texts of a module: tables within it would be shared.
local function functions_of(module)
  local copied = {}
  for name, value in pairs(module) do
    if type(value) ~= "table" then copied[name] = value end
  end
  return copied
end

---A copy of the options that cannot change once it was checked: no metatable is asked.
local function plain(options, forbidden, who)
  if type(options) ~= "table" then return options end
  local copied = {}
  for name, value in next, options do copied[name] = value end
  for _, name in ipairs(forbidden) do
    if copied[name] ~= nil then
      error(("%s: the option '%s' is not for sandboxed scripts: it names a file"):format(who, name), 3)
    end
  end
  return copied
end

-- ---- each of them ---------------------------------------------------------------------------

local files_of_http = { "certificate", "key", "ca", "unix_socket" }

---libcurl takes the path of a proxy on localhost for a unix socket; no proxy needs one.
local function names_path(proxy)
  return type(proxy) == "string" and proxy:gsub("^%a[%w+.-]*://", "", 1):find "/." ~= nil
end

local function plain_request(options, who)
  local copied = plain(options, files_of_http, who)
  if type(copied) == "table" and names_path(copied.proxy) then
    error(who .. ": the option 'proxy' is not for sandboxed scripts where it has a path: that names a socket", 3)
  end
  return copied
end

local function new_http()
  local http = require "bide.http"
  local copied = functions_of(http)
  function copied.request(request) return http.request(plain_request(request, "http.request")) end
  for _, name in ipairs { "get", "head", "post", "put", "delete" } do
    copied[name] = function(url, options) return http[name](url, plain_request(options, "http." .. name)) end
  end
  return copied
end

---Modules that are a function, or a table of them, and need no care.
local harmless = {
  "acceptor", "base64", "dns", "error_class", "expect", "input", "limit_rate", "poller", "postgres", "redis", "tcp",
  "udp", "version",
}

local makers = { http = new_http }
for _, name in ipairs(harmless) do
  makers[name] = function()
    local module = require("bide." .. name)
    return type(module) == "table" and functions_of(module) or module
  end
end

-- ---- waits and tasks --------------------------------------------------------------------------

local waiter_methods = {
  wait = function(waiter, input, options) return waiter:wait(input, opaque.plain(options)) end,
  prepare = function(waiter, input, options)
    return opaque.hide(waiter:prepare(input, opaque.plain(options)), {})
  end,
}

local function hide_waiter(waiter)
  return opaque.hide(waiter, waiter_methods, { name = waiter.name, operation = waiter.operation })
end

local function hide_recipe(recipe)
  local members = { file = recipe.file, names = opaque.plain(recipe.names) }
  for _, name in ipairs(recipe.names) do members[name] = hide_waiter(recipe.waiters[name]) end
  return opaque.hide(recipe, {
    find = function(_, name)
      local waiter, mistake = recipe:find(name)
      if not waiter then return nil, mistake end
      return hide_waiter(waiter)
    end,
  }, members)
end

local task_methods = {
  join = function(task) return task:join() end,
  cancel = function(task) return task:cancel() end,
}

local function hide_task(task)
  return opaque.hide(task, task_methods, { name = task.name })
end

local function reveal_all(prepared)
  if type(prepared) ~= "table" then return prepared end
  local revealed = {}
  for key, one in next, prepared do revealed[key] = opaque.reveal(one) end
  return revealed
end

---Functions of bide that take or give such objects.
local with_objects = {
  waiter = function(given) return hide_waiter(require("bide").waiter(opaque.plain(given))) end,
  spawn = function(f, ...)
    local task, frame = require("bide").spawn(f, ...), debug.getinfo(2, "Sl")
    if frame then task.name = ("%s:%d"):format(frame.short_src, frame.currentline) end
    return hide_task(task)
  end,
  current = function() return hide_task(require("bide").current()) end,
  send = function(task, message) return require("bide").send(opaque.reveal(task), message) end,
  send_after = function(task, message, seconds)
    return hide_task(require("bide").send_after(opaque.reveal(task), message, seconds))
  end,
  all = function(prepared) return require("bide").all(reveal_all(prepared)) end,
  any = function(prepared) return require("bide").any(reveal_all(prepared)) end,
  some = function(count, prepared) return require("bide").some(count, reveal_all(prepared)) end,
}

-- ---- bide itself ----------------------------------------------------------------------------

---A recipe that a script names: a file of its own folder, or one that goes by a name. Of every path that leads
---elsewhere it learns the same, whether there is a file or not.
---@return string? found
---@return string? mistake
local function find_recipe(folder, name)
  if type(name) ~= "string" or within(folder, name) then return name end
  if not name:find("/", 1, true) then return recipe_path.find_by_name(name) end
  return nil, ("%s: it is outside of the folder of the script, which is sandboxed"):format(name)
end

local function loader_of(folder)
  return function(name, options)
    local given = plain(options, {}, "bide.load")
    local with = type(given) == "table" and given.with
    if with then
      given.with = {}
      for position, file in ipairs(type(with) == "table" and with or { with }) do
        local found, mistake = find_recipe(folder, file)
        if not found then return nil, mistake end
        given.with[position] = found
      end
    end
    local found, mistake = find_recipe(folder, name)
    if not found then return nil, mistake end
    local recipe, failure = require("bide").load(found, given)
    if not recipe then return nil, failure end
    return hide_recipe(recipe)
  end
end

local function new_jmespath()
  local jmespath = require("bide").jmespath
  return setmetatable({ register = jmespath.register }, {
    __call = function(_, expression) return jmespath(expression) end,
  })
end

---What is loaded with its first use, as in bide itself.
local lazy = {
  timeout = true, receive_next = true, limit_rate = true, poller = true, retry = true,
}

local function look_up(self, name)
  local mistake = type(name) == "string" and M.refusal("bide." .. name)
  if mistake then return function() error(mistake, 2) end end
  local value
  if with_objects[name] then
    value = with_objects[name]
  elseif makers[name] and name ~= "http" then
    value = makers[name]()
  elseif lazy[name] then
    value = require("bide")[name]
  end
  rawset(self, name, value)
  return value
end

local function new_bide(folder)
  local bide = require "bide"
  return setmetatable({
    VERSION = bide.VERSION, null = bide.null, json = functions_of(bide.json), jmespath = new_jmespath(),
    matcher = bide.matcher, sleep = bide.sleep, now = bide.now, load = loader_of(folder),
  }, { __index = look_up })
end

---A module of bide, for scripts of this folder; nil where there is none for them.
---@param name string
---@param folder string
---@return any module
function M.open(name, folder)
  if name == "bide" then return new_bide(folder) end
  local make = makers[name:match("^bide%.([%w_]+)$") or ""]
  return make and make()
end

return M
