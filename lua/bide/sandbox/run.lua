---Runs recipes and scripts that are not trusted (`--sandbox`). Each file has globals of its own, without bide's tables and
---without functions that reach a file or a program, and can require modules only from its own folder. docs/security.md
---says what this guarantees.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local luv = require "luv"
local mounted = require "bide.recipe.file.mounted"
local tables = require "bide.text.tables"
local option = require "bide.text.option"
local recipe_path = require "bide.recipe.file.path"
local registry = require "bide.text.registry"
local shown = require "bide.text.shown"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---The most sockets and requests of a wait in the sandbox.
M.MOST_DESCRIPTORS = 64

local is_on = false

local library, modules -- loaded where they are needed

---@return boolean
function M.is_on()
  return is_on
end

-- ---- require --------------------------------------------------------------------------------

---Finds a module of the script's own. Its name consists of letters and dots, so it cannot lead out of the folder; nor may
---a link.
local function find_own(folder, name)
  if not name:find("^[%w_%-]+[%w_%-.]*$") or name:find("..", 1, true) then return nil end
  local file_of_bundle = mounted.find(folder, name)
  if file_of_bundle then return file_of_bundle end
  local path = name:gsub("%.", "/")
  for _, ending in ipairs { ".lua", "/init.lua" } do
    local file = ("%s/%s%s"):format(folder, path, ending)
    local attributes = luv.fs_stat(file)
    if attributes and attributes.type == "file" and modules.is_within(folder, file) then return file end
  end
end

---The files of the modules that sandboxed files have loaded, in no order.
---@type table<string, true>
local own_modules = {}

---@return string[] files sorted by name
local function files_of_modules()
  return option.sorted_names(own_modules)
end

local function load_own(file, environment)
  local compiled, mistake = load(chunk.read(file) or "", "@" .. file, "t", environment)
  if not compiled then error(mistake, 0) end
  return compiled
end

---@param own bide.Vocabulary
local function load_module(name, folder, environment, own)
  local module, refusal = modules.open(name, folder, own)
  if module ~= nil then return module end
  if refusal then error(refusal, 3) end
  local file = find_own(folder, name)
  if not file then
    local near = core.names.nearest(name, registry.names())
    error(("module '%s' not found%s"):format(name, near and (", did you mean %q?"):format(near)
      or ": a sandboxed script has those of its folder, and those of bide that use the network"), 3)
  end
  own_modules[file] = true
  local value = load_own(file, environment)(name, file)
  return value == nil or value
end

---@param own bide.Vocabulary
local function new_require(folder, environment, own)
  local loaded = {}
  for _, name in ipairs { "string", "table", "coroutine", "math", "utf8", "os" } do loaded[name] = environment[name] end
  return function(name)
    if type(name) ~= "string" then error("require: " .. option.expected("the name of a module", name), 2) end
    if loaded[name] == nil then loaded[name] = load_module(name, folder, environment, own) end
    return loaded[name]
  end
end

---Runs a compiled file. It may not wait, so that it cannot send requests before its recipe is run, or when it is only
---listed.
---@param compiled function
---@param explain function a message handler
---@return boolean ok
---@return any ...
local function run(compiled, explain)
  return core.task.without_waiting("a sandboxed file that is being loaded", xpcall, function()
    return tables.plain(compiled()) -- what bide reads of it, when no script runs, has no metatable that would run one
  end, explain)
end

---Returns the globals of a file.
---@param file string
---@return table
local function globals_of(file)
  local environment, own = library.new(), vocabulary.current()
  if own == vocabulary.common then own = vocabulary.new(own) end
  environment.print = shown.print_aside
  environment.require = new_require(file:match("^(.*)/[^/]*$") or ".", environment, own)
  return environment
end

---@param parent bide.Vocabulary?
---@return bide.Vocabulary
local function new_vocabulary(parent)
  return vocabulary.new(parent or vocabulary.common)
end

---Enables the sandbox for all files that are loaded from now on.
function M.enable()
  is_on = true
  require("bide.probe.peer.tls.files").forbid(
    "not for sandboxed scripts, since it names a file; CURL_CA_BUNDLE names authorities for them")
  require("bide.probe.peer.sockets").forbid_paths "sandboxed scripts may not use sockets of this machine"
  require("bide.task.descriptors").limit(M.MOST_DESCRIPTORS)
  library = require "bide.sandbox.library"
  modules = require "bide.sandbox.modules"
  library.guard_strings()
  recipe_path.refuse_services "--sandbox refuses the services of AWS, whose requests need your credentials"
  chunk.load_with { globals = globals_of, vocabulary = new_vocabulary, run = run, modules = files_of_modules }
end

return M
