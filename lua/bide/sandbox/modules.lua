---bide's own modules for sandboxed scripts: copies of those that use the network, and none that opens a file, a socket of
---this machine or a program.

local jmespath = require "bide.recipe.expression.jmespath"
local luv = require "luv"
local custom = require "bide.recipe.waiter.custom"
local objects = require "bide.sandbox.objects"
local recipe_path = require "bide.recipe.file.path"
local registry = require "bide.text.registry"
local requests = require "bide.probe.http.request"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---Returns a copy of a module, which may be a function as well, with its functions and texts; its tables would be shared.
local function functions_of(module)
  local copied, call = {}, (getmetatable(module) or {}).__call
  for name, value in pairs(module) do
    if type(value) ~= "table" then copied[name] = value end
  end
  return call and setmetatable(copied, { __call = call }) or copied
end

---Returns what a sandboxed script gets of a module, which it cannot change for others.
local function copy_of(module)
  return type(module) == "table" and functions_of(module) or module
end

---Returns a copy of options that cannot change after it was checked, since no metatable is used.
---@param forbidden table<string, true>
local function plain(options, forbidden, caller)
  if type(options) ~= "table" then return options end
  local copied = {}
  for name, value in next, options do
    if forbidden[name] then error(("%s: %s: not for sandboxed scripts, since it names a file"):format(caller, name), 3) end
    copied[name] = value
  end
  return copied
end

-- ---- each of them ---------------------------------------------------------------------------

local files_of_http = { certificate = true, key = true, ca = true, unix_socket = true }

---Refuses a proxy with a path: libcurl treats a path on localhost as a unix socket, and no proxy needs one.
local function names_path(proxy)
  return type(proxy) == "string" and proxy:gsub("^%a[%w+.-]*://", "", 1):find "/." ~= nil
end

local function plain_request(options, caller)
  local copied = plain(options, files_of_http, caller)
  if type(copied) ~= "table" then return copied end
  if copied.proxy and names_path(copied.proxy) then
    error(caller .. ": proxy: not for sandboxed scripts with a path, which names a socket", 3)
  end
  if copied.sign ~= nil then
    error(caller .. ": sign: not for sandboxed scripts, since it may run outside of their limits", 3)
  end
  return copied
end

---@return string? mistake in the inputs of a request
local function mistake_of(input)
  for _, name in ipairs { "ca", "certificate", "key", "unix" } do
    if input[name] ~= nil then
      return ("%s: not for sandboxed recipes, since it names a file%s"):format(name,
        name == "ca" and "; CURL_CA_BUNDLE names authorities for them" or "")
    end
  end
  return names_path(input.proxy) and "proxy: not for sandboxed recipes where it has a path: that names a socket" or nil
end

local function new_http()
  local http = require "bide.http"
  local copied = functions_of(http)
  function copied.mistake(input) return mistake_of(input) or http.mistake(input) end
  function copied.request(request) return http.request(plain_request(request, "http.request")) end
  function copied.stream(request) return http.stream(plain_request(request, "http.stream")) end
  function copied.prepare(request, output)
    return requests.recall(request, output, true) or http.prepare(plain_request(request, "http.prepare"), output)
  end
  for _, name in ipairs { "get", "head", "post", "put", "delete" } do
    copied[name] = function(url, options) return http[name](url, plain_request(options, "http." .. name)) end
  end
  return copied
end

local files_of_inputs = { ca = true, certificate = true, key = true, unix = true }

---Its functions take the inputs of a request, and send it themselves.
local function new_elasticsearch()
  local whole = require "bide.elasticsearch"
  local copied = functions_of(whole)
  for name, ask in pairs(copied) do
    copied[name] = function(input) return ask(plain_request(plain(input, files_of_inputs, name), name)) end
  end
  copied.index = tables.merged(whole.index)
  return copied
end

---Its functions compile expressions.
---@param own bide.Vocabulary
local function new_acceptor(own)
  local copied = functions_of(require "bide.acceptor")
  for name, make in pairs(copied) do copied[name] = vocabulary.within(own, make) end
  return copied
end

---Its operations over HTTP are checked as those that a sandboxed recipe makes itself.
local function new_service()
  local service = require "bide.service"
  return function(definition)
    definition = tables.plain(definition)
    local make = service(definition)
    return function(given)
      local operation = make(tables.plain(given))
      if not definition.http then return operation end
      local check = operation.check
      function operation.check(input) return mistake_of(input) or check(input) end
      return operation
    end
  end
end

local wrapped_modules = { acceptor = new_acceptor, elasticsearch = new_elasticsearch, http = new_http, service = new_service }

-- ---- waits and tasks --------------------------------------------------------------------------

local waiter_methods = {
  wait = function(waiter, input, options)
    options = tables.plain(options)
    if type(options) == "table" and options.store ~= nil then
      error("store: not for sandboxed scripts: it opens stores of waits", 2)
    end
    return waiter:wait(input, options)
  end,
  prepare = function(waiter, input, options)
    return objects.hide(waiter:prepare(input, tables.plain(options)), {})
  end,
}

local function hide_waiter(waiter)
  return objects.hide(waiter, waiter_methods, {
    name = waiter.name, operation = waiter.operation, inputs = waiter.inputs and tables.plain(waiter.inputs),
  })
end

local function hide_recipe(recipe)
  local members = { file = recipe.file, names = tables.plain(recipe.names) }
  for _, name in ipairs(recipe.names) do members[name] = hide_waiter(recipe.waiters[name]) end
  return objects.hide(recipe, {
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
  return objects.hide(task, task_methods, { name = task.name })
end

local function reveal_all(prepared)
  if type(prepared) ~= "table" then return prepared end
  local revealed = {}
  for key, one in next, prepared do revealed[key] = objects.reveal(one) end
  return revealed
end

local function new_waiter(given) return hide_waiter(require("bide").waiter(tables.plain(given))) end

---The functions of bide that take or return such objects.
local wrapped_functions = {
  spawn = function(f, ...)
    local task, frame = require("bide").spawn(f, ...), debug.getinfo(2, "Sl")
    if frame then task.name = ("%s:%d"):format(frame.short_src, frame.currentline) end
    return hide_task(task)
  end,
  current = function() return hide_task(require("bide").current()) end,
  send = function(task, message) return require("bide").send(objects.reveal(task), message) end,
  send_after = function(task, message, seconds)
    return hide_task(require("bide").send_after(objects.reveal(task), message, seconds))
  end,
  all = function(prepared) return require("bide").all(reveal_all(prepared)) end,
  any = function(prepared) return require("bide").any(reveal_all(prepared)) end,
  some = function(count, prepared) return require("bide").some(count, reveal_all(prepared)) end,
}

-- ---- bide itself ----------------------------------------------------------------------------

local function is_below(folder, path)
  return folder == "/" or path == folder or path:sub(1, #folder + 1) == folder .. "/"
end

---Splits a path into its folder and its name there.
local function split(path)
  local folder, name = path:match("^(.-)/*([^/]+)/*$")
  if not name then return nil end
  return folder ~= "" and folder or path:sub(1, 1) == "/" and "/" or ".", name
end

---Reports whether a path is within a folder after all links were followed, whether the file exists or not. A path that
---cannot be followed is outside.
---@param folder string
---@param path string
---@return boolean
function M.is_within(folder, path)
  local root = luv.fs_realpath(folder)
  local real = luv.fs_realpath(path)
  while root and not real do
    local parent, name = split(path)
    if not parent or name == ".." or luv.fs_lstat(parent .. "/" .. name) then return false end
    path, real = parent, luv.fs_realpath(parent)
  end
  return root ~= nil and is_below(root, real)
end

---Finds a recipe for a script: a file of its folder, or a recipe by its name. The mistake for every other path is the same,
---whether the file exists or not.
---@return string? found
---@return string? mistake
local function find_recipe(folder, name)
  if type(name) ~= "string" or M.is_within(folder, name) then return name end
  if not name:find("/", 1, true) then return recipe_path.find_by_name(name) end
  return nil, ("%s: it is outside of the folder of the script, which is sandboxed"):format(name)
end

local function loader_of(folder)
  return function(name, options)
    local given = plain(options == nil and {} or options, {}, "bide.load")
    if type(given) == "table" then given.is_sandboxed = true end
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

---Returns the reason why the sandbox does not give out something; nil if it does.
---@param row bide.RegistryRow
---@param wrapper function? the sandbox's replacement
local function refusal_of(row, wrapper)
  if row.refused then return row.refused end
  local is_given = row.sandbox == "given" or row.sandbox == "wrapped" and wrapper
  return not is_given and "lua/bide/text/registry.lua does not give it to them" or nil
end

---@param name string
---@param reason string
local function describe_refusal(name, reason)
  return ("bide.%s is not for sandboxed scripts: %s"):format(name, reason)
end

local function find_function(self, name)
  local row, wrapper = registry.functions[name], wrapped_functions[name]
  if not row then return nil end
  local reason = refusal_of(row, wrapper)
  local value = wrapper or not reason and copy_of(require("bide")[name])
  if reason then
    local mistake = describe_refusal(name, reason)
    value = function() error(mistake, 2) end
  end
  rawset(self, name, value)
  return value
end

---@param own bide.Vocabulary
local function new_bide(folder, own)
  local bide = require "bide"
  return setmetatable({
    VERSION = bide.VERSION, null = bide.null, json = functions_of(bide.json), jmespath = jmespath.of(own),
    matcher = custom.registering(own), sleep = bide.sleep, now = bide.now, load = loader_of(folder),
    waiter = vocabulary.within(own, new_waiter),
  }, { __index = find_function })
end

---Returns a module of bide for the sandboxed scripts of a folder; nil if no module has that name.
---@param name string
---@param folder string
---@param own bide.Vocabulary of the file
---@return any module
---@return string? refusal the reason why it is not given out
function M.open(name, folder, own)
  if name == "bide" then return new_bide(folder, own) end
  local short = name:match("^bide%.([%w_.]+)$") or ""
  local row, make = registry.of_module(short), wrapped_modules[short]
  if not row then return nil end
  local reason = refusal_of(row, make)
  if reason then return nil, describe_refusal(short, reason) end
  if make then return make(own) end
  return copy_of(require(name))
end

return M
