---Bundles: the files that a recipe is made of, with their digests. A worker runs a recipe only if its files are those that
---it was submitted with. A store on a file holds the digests alone, since the files are on the same machine; one in a
---database holds the files as well, under names that mean the same everywhere.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local digest = require "bide.digest"
local mounted = require "bide.recipe.file.mounted"
local shown = require "bide.text.shown"
local sources = require "bide.record.journal.sources"
local tables = require "bide.text.tables"

local hex = core.text.hex

local M = {}

---The bounds of a bundle that is sent.
M.most = { bytes = 1 << 20, files = 64, manifest = 64 * 1024 }

---Returns the files of a waiter, its recipe first.
---@param files string[] of its recipe, and of --with
---@param loaded string[] the modules beside them that were loaded, among others
---@param named string[] the modules that the recipe names
---@return string[]? files
---@return string? mistake
local function files_of(files, loaded, named)
  local list, add = sources.new_list()
  for _, file in ipairs(tables.joined(files, loaded)) do add(file) end
  for _, file in ipairs(files) do sources.add_required(file, sources.folder_of(file), add) end
  local missing = sources.add_named(named, sources.folder_of(files[1]), add)
  if missing then return nil, ("modules: %s is not a file beside the recipe"):format(shown.line(missing)) end
  return list
end

-- ---- manifests -----------------------------------------------------------------------------------

---@param names table<string, string> of files, by their paths on this machine
---@param main string
---@return string? manifest
---@return string files their contents, in the order of the manifest; or the mistake
local function manifest_of(names, main)
  local lines, contents, list = { "bide-recipe 1 main=" .. names[main] }, {}, {}
  for file in pairs(names) do list[#list + 1] = file end
  table.sort(list, function(a, b) return names[a] < names[b] end)
  for position, file in ipairs(list) do
    if names[file]:find "%c" then return nil, "the name of a file of the recipe has a control character" end
    local text, mistake = chunk.read(file)
    if not text then return nil, mistake --[[@as string]] end
    if position > 1 and names[file] == names[list[position - 1]] then
      return nil, ("two files of the recipe would be %s: rename one"):format(names[file])
    end
    lines[#lines + 1], contents[position] = ("%s %d %s"):format(hex(digest.sha256(text)), #text, names[file]), text
  end
  return table.concat(lines, "\n") .. "\n", table.concat(contents)
end

---@class bide.record.Manifest
---@field root? string of the paths, if the files came with the bundle
---@field main string
---@field files table<string, string> the digest of each, by its path

---A file as a manifest names it.
---@class bide.record.ManifestLine
---@field file string
---@field size integer
---@field digest string

---Reads a manifest, which is input.
---@param bundle bide.record.Bundle
---@return string? main
---@return bide.record.ManifestLine[]|string lines or the mistake
local function read_manifest(bundle)
  local main, rest = bundle.manifest:match "^bide%-recipe 1 main=([^\n]+)\n(.*)$"
  if not main or digest.sha256(bundle.manifest) ~= bundle.digest then return nil, "its manifest is broken" end
  local lines, is_named = {}, {}
  for line in rest:gmatch "([^\n]*)\n" do
    local wanted, size, file = line:match "^(%x+) (%d+) (.+)$"
    if not wanted or #size > 15 or is_named[file] then return nil, "its manifest is broken" end
    lines[#lines + 1], is_named[file] = { file = file, size = math.tointeger(size), digest = wanted }, true
  end
  if not is_named[main] then return nil, "its manifest is broken" end
  return main, lines
end

-- ---- bundles of this machine -----------------------------------------------------------------------

---Returns the bundle of a waiter, which has files, for workers of this machine.
---@param waiter bide.Waiter
---@return bide.record.Bundle?
---@return string? mistake
function M.of(waiter)
  local names = {}
  local files, mistake = files_of(waiter.files, sources.files(waiter), waiter.modules or {})
  if not files then return nil, mistake end
  for _, file in ipairs(files) do
    local path = sources.path(file)
    names[path] = path
  end
  local manifest
  manifest, mistake = manifest_of(names, sources.path(waiter.files[1]))
  if not manifest then return nil, mistake end
  return { digest = digest.sha256(manifest), manifest = manifest }
end

---The digests of the files that this process has taken into use. A module that Lua has loaded stays as it was then.
---@type table<string, string>
local taken = {}

---Checks that the files of a bundle are on this machine, and are those that were submitted.
---@param bundle bide.record.Bundle
---@return bide.record.Manifest?
---@return string? mistake
function M.check(bundle)
  local main, lines = read_manifest(bundle)
  if not main then return nil, lines --[[@as string]] end
  local files = {}
  for _, line in ipairs(lines --[[@as bide.record.ManifestLine[] ]]) do
    local file = line.file
    local text = chunk.read(file)
    if not text then return nil, ("%s is not there"):format(file) end
    if #text ~= line.size or hex(digest.sha256(text)) ~= line.digest then
      return nil, ("%s is not the file that was submitted"):format(file)
    end
    if file ~= main and taken[file] and taken[file] ~= line.digest then
      return nil, ("%s has changed since this process loaded it"):format(file)
    end
    files[file] = line.digest
  end
  for file, wanted in pairs(files) do taken[file] = wanted end
  return { main = main, files = files }
end

-- ---- bundles that are sent -----------------------------------------------------------------------

---Returns the name of a file within a folder; nil if it is elsewhere.
local function name_within(folder, file)
  local name = folder == "." and not file:find "^/" and file:gsub("^%./", "")
    or file:sub(1, #folder + 1) == folder .. "/" and file:sub(#folder + 2) or nil
  return name and not ("/" .. name .. "/"):find("/../", 1, true) and name or nil
end

---Names files so that it does not matter where they are: those in the folder of the recipe by their path from there, those
---in the folder of a file of --with below `with-N`.
---@param given string[] the recipe, and the files of --with
---@param files string[] all of them
---@return table<string, string> names
local function portable_names(given, files)
  local folders, names = {}, {}
  for position, file in ipairs(given) do folders[position] = sources.folder_of(file) end
  for _, file in ipairs(files) do
    for position, folder in ipairs(folders) do
      local name = name_within(folder, file)
      if name and not names[file] then names[file] = position == 1 and name or ("with-%d/%s"):format(position - 1, name) end
    end
  end
  return names
end

---Returns the bundle of a recipe, with its files.
---@param given string[] the recipe, and the files of --with
---@param loaded string[] the modules beside them that were loaded, among others
---@param named? string[] the modules that the recipe names
---@return bide.record.Bundle?
---@return table<string, string>|string names those of its files in it, or the mistake
function M.pack(given, loaded, named)
  local list, mistake = files_of(given, loaded, named or {})
  if not list then return nil, mistake --[[@as string]] end
  local names = portable_names(given, list)
  local manifest, files = manifest_of(names, given[1])
  if not manifest then return nil, files end
  local count = select(2, manifest:gsub("\n", "")) - 1
  if count > M.most.files or #manifest > M.most.manifest then
    return nil, ("the recipe has %d files with its modules: a store takes at most %d"):format(count, M.most.files)
  elseif #files > M.most.bytes then
    return nil, ("the recipe has %d bytes with its modules: a store takes at most %d"):format(#files, M.most.bytes)
  end
  return { digest = digest.sha256(manifest), manifest = manifest, files = files }, names
end

local function is_portable(name)
  return not name:find "^/" and not ("/" .. name .. "/"):find "/%.?%.?/"
end

---Checks the files that came with a bundle, and adds them to those that can be loaded.
---@param bundle bide.record.Bundle
---@return bide.record.Manifest?
---@return string? mistake
function M.unpack(bundle)
  local main, lines = read_manifest(bundle)
  if not main then return nil, lines --[[@as string]] end
  local root, files, texts, place = "bundle:" .. hex(bundle.digest):sub(1, 32), {}, {}, 1
  for _, line in ipairs(lines --[[@as bide.record.ManifestLine[] ]]) do
    local text = bundle.files:sub(place, place + line.size - 1)
    if #text ~= line.size or hex(digest.sha256(text)) ~= line.digest or not is_portable(line.file) then
      return nil, "its files are broken"
    end
    place, texts[line.file], files[root .. "/" .. line.file] = place + line.size, text, line.digest
  end
  if place ~= #bundle.files + 1 then return nil, "its files are broken" end
  mounted.add(root, texts)
  return { root = root, main = root .. "/" .. main, files = files }
end

---Returns the mistake if a loaded waiter has a file that its manifest does not name.
---@param manifest bide.record.Manifest
---@param waiter bide.Waiter
---@return string?
function M.mistake_of_files(manifest, waiter)
  for position, file in ipairs(waiter.files or {}) do
    local path = sources.path(file)
    if not manifest.files[path] or position == 1 and path ~= manifest.main then
      return ("%s is not a file of what was submitted"):format(path)
    end
  end
end

return M
