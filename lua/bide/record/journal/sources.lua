---The sources of a wait: its waiter, the files of its recipe, and the modules beside them that have been loaded. A wait is
---resumed only with the same sources.

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

---Adds the loaded modules from the folders of some files. Those of sandboxed files are not in package.loaded, but their
---loader has them.
local function add_modules(files)
  local of_sandbox = chunk.modules()
  tables.append(files, of_sandbox)
  local folders, names = {}, {}
  for _, file in ipairs(files) do folders[M.folder_of(file)] = true end
  for name in pairs(package.loaded) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for _, name in ipairs(names) do
    local file = package.searchpath(name, package.path)
    for folder in pairs(file and folders or {}) do
      if file == folder .. "/" .. name:gsub("%.", "/") .. ".lua"
        or file == folder .. "/" .. name:gsub("%.", "/") .. "/init.lua" then
        files[#files + 1] = file
      end
    end
  end
  return files
end

---Returns the absolute path of a file.
---@param file string
---@return string
function M.path(file)
  return luv.fs_realpath(file) or file
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
  for _, file in ipairs(add_modules(files)) do
    sources[#sources + 1] = { name = M.path(file), fingerprint = fingerprint_of(file, of_model[file]) }
  end
  return sources
end

---Returns the files of a waiter, and the loaded modules beside them.
---@param waiter bide.Waiter
---@return string[]
function M.files(waiter)
  return add_modules(tables.joined(waiter.files))
end

---Returns the SHA-256 of what a waiter's options and its recipe say of it.
---@param waiter bide.Waiter
---@return string 32 bytes
function M.definition_digest(waiter)
  return require("bide.digest").sha256(waiter.name .. definition_of(waiter) .. assert(core.json.encode(M.plain(waiter.beyond))))
end

---Returns the SHA-256 of a waiter, the files of its recipe and the loaded modules beside them, wherever they are on this
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
