---The sources of a wait: its waiter, the files of its recipe, and the modules beside them that have been loaded, or that an
---attempt may load. A wait is resumed only with the same sources.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local luv = require "luv"
local tables = require "bide.text.tables"

local M = {}

---Returns the fingerprint of a text, FNV-1a of 64 bits. It detects a change, but not one that is made to stay hidden;
---only its owner can use the journal.
---@param text string
---@return string
function M.fingerprint(text)
  local hash = 0xCBF29CE484222325
  for from = 1, #text, 4096 do
    for _, byte in ipairs { text:byte(from, from + 4095) } do hash = (hash ~ byte) * 0x100000001B3 end
  end
  return ("%016x"):format(hash)
end

---Returns the fingerprint of a file. Models are large: their digest is made in C.
---@param is_model boolean?
local function fingerprint_of(file, is_model)
  local text = chunk.read(file) or ""
  if not is_model then return M.fingerprint(text) end
  return core.text.hex(require("bide.digest").sha256(text))
end

---@param file string
---@return string folder
function M.folder_of(file)
  return file:match "^(.*)/[^/]*$" or "."
end

---Returns the absolute path of a file.
---@param file string
---@return string
function M.path(file)
  return luv.fs_realpath(file) or file
end

---Returns an empty list of files, and a function that adds one to it, but only once.
---@return string[] list
---@return fun(file: string): boolean add says whether it was new
function M.new_list()
  local list, known = {}, {}
  return list, function(file)
    local path = M.path(file)
    if known[path] then return false end
    known[path], list[#list + 1] = true, file
    return true
  end
end

---Returns the file of a module beside a recipe.
---@param folder string of the recipe
---@param name string
---@return string? file nil if there is none, as for modules of bide and of the machine
local function file_of(folder, name)
  local path = folder .. "/" .. name:gsub("%.", "/")
  for _, candidate in ipairs { path .. ".lua", path .. "/init.lua" } do
    if luv.fs_stat(candidate) then return candidate end
  end
end

---Adds the modules beside a file that it, and what it requires, names in a literal require.
---@param file string
---@param folder string
---@param add fun(file: string): boolean whether it was new
function M.add_required(file, folder, add)
  if not file:find "%.lua$" then return end
  for name in (chunk.read(file) or ""):gmatch "require%s*%(?%s*[\"']([%w_.-]+)[\"']" do
    local found = file_of(folder, name)
    if found and add(found) then M.add_required(found, folder, add) end
  end
end

---Adds the modules that a recipe names itself, and what they require.
---@param names string[]
---@param folder string of the recipe
---@param add fun(file: string): boolean
---@return string? missing a module that is not a file beside the recipe
function M.add_named(names, folder, add)
  for _, name in ipairs(names) do
    local file = file_of(folder, name)
    if not file then return name end
    if add(file) then M.add_required(file, folder, add) end
  end
end

---Adds the loaded modules from some folders.
---@param folders table<string, true>
---@param add fun(file: string): boolean
local function add_loaded(folders, add)
  local names = {}
  for name in pairs(package.loaded) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for _, name in ipairs(names) do
    local file = package.searchpath(name, package.path)
    for folder in pairs(file and folders or {}) do
      if file == folder .. "/" .. name:gsub("%.", "/") .. ".lua"
        or file == folder .. "/" .. name:gsub("%.", "/") .. "/init.lua" then
        add(file)
      end
    end
  end
end

---Returns the files of some waiters, and the modules from their folders that are loaded, or that they require or name. Those
---of sandboxed files are not in package.loaded, but their loader has them.
---@param files string[]
---@param waiters bide.Waiter[]
---@return string[]
local function with_modules(files, waiters)
  local list, add = M.new_list()
  local folders = {}
  for _, file in ipairs(tables.joined(files, chunk.modules())) do
    add(file)
    folders[M.folder_of(file)] = true
  end
  add_loaded(folders, add)
  for _, file in ipairs(files) do M.add_required(file, M.folder_of(file), add) end
  for _, waiter in ipairs(waiters) do
    if waiter.modules then M.add_named(waiter.modules, M.folder_of(waiter.files[1]), add) end
  end
  return list
end

---Replaces functions in a definition by a mark, so that JSON can represent the rest. Their text is in a file, which is a
---source of its own.
---@param value any
---@return any
function M.plain(value)
  if type(value) == "function" then return "function" end
  if type(value) ~= "table" then return value end
  local copy = core.json.is_array(value) and core.json.array {} or {}
  for name, member in pairs(value) do copy[name] = M.plain(member) end
  return copy
end

---Returns what a waiter's options and its recipe say of it, as JSON.
local function definition_of(waiter)
  return assert(core.json.encode(M.plain {
    waiter.acceptors, waiter.min_delay, waiter.max_delay, waiter.token_member or core.json.null, waiter.lateness,
  }))
end

---Returns the definitions of the waiters with one name as one source.
local function source_of(name, waiters)
  local texts = tables.mapped(waiters, definition_of)
  return { name = "the waiter " .. name, fingerprint = M.fingerprint(table.concat(texts, "\n")) }
end

---@param waiters bide.Waiter[]
---@return { name: string, fingerprint: string }[]
function M.of(waiters)
  local sources, by_name, files, known, of_model = {}, {}, {}, {}, {}
  for _, waiter in ipairs(waiters) do
    by_name[waiter.name] = by_name[waiter.name] or {}
    table.insert(by_name[waiter.name], waiter)
    if #by_name[waiter.name] == 1 then sources[#sources + 1] = waiter.name end
    for _, file in ipairs(waiter.files) do
      if not known[file] then files[#files + 1], known[file] = file, true end
      of_model[file] = waiter.files.of_model and not file:find "%.lua$" or of_model[file]
    end
  end
  for position, name in ipairs(sources) do sources[position] = source_of(name, by_name[name]) end
  for _, file in ipairs(with_modules(files, waiters)) do
    sources[#sources + 1] = { name = M.path(file), fingerprint = fingerprint_of(file, of_model[file]) }
  end
  return sources
end

---Returns the files of a waiter, and the modules beside them.
---@param waiter bide.Waiter
---@return string[]
function M.files(waiter)
  return with_modules(waiter.files or {}, { waiter })
end

---Returns the SHA-256 of what a waiter's options and its recipe say of it.
---@param waiter bide.Waiter
---@return string 32 bytes
function M.definition_digest(waiter)
  return require("bide.digest").sha256(waiter.name .. definition_of(waiter) .. assert(core.json.encode(M.plain(waiter.beyond))))
end

---Returns the SHA-256 of a waiter, the files of its recipe and the modules beside them, wherever they are on this
---machine. Of a waiter that a script made, which has no files, the functions are not part of it.
---@param waiter bide.Waiter
---@return string 32 bytes
function M.digest(waiter)
  local sha256 = require("bide.digest").sha256
  local digests = { M.definition_digest(waiter) }
  for _, file in ipairs(M.files(waiter)) do digests[#digests + 1] = sha256(chunk.read(file) or "") end
  return sha256(table.concat(digests))
end

return M
