---Bundles: the files that a recipe is made of, with their digests. A worker runs a recipe only if its files are those that
---it was submitted with. A store on a file holds the digests alone, since the files are on the same machine.

local chunk = require "bide.recipe.chunk"
local digest = require "bide.digest"
local luv = require "luv"
local sources = require "bide.record.journal.sources"

local M = {}

local function hex(bytes)
  return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

local function folder_of(file)
  return file:match "^(.*)/[^/]*$" or "."
end

---Adds the modules beside a file that it, and what it requires, names in a literal require.
---@param file string
---@param folder string
---@param add fun(file: string): boolean whether it was new
local function add_required(file, folder, add)
  if not file:find "%.lua$" then return end
  for name in (chunk.read(file) or ""):gmatch "require%s*%(?%s*[\"']([%w_.-]+)[\"']" do
    local path = folder .. "/" .. name:gsub("%.", "/")
    for _, candidate in ipairs { path .. ".lua", path .. "/init.lua" } do
      if luv.fs_stat(candidate) and add(candidate) then add_required(sources.path(candidate), folder, add) end
    end
  end
end

---Returns the files of a waiter: its recipe first, then the others, sorted.
---@param waiter bide.Waiter
---@return string main
---@return string[] files
local function files_of(waiter)
  local known, list = {}, {}
  local function add(file)
    local path = sources.path(file)
    if known[path] then return false end
    known[path], list[#list + 1] = true, path
    return true
  end
  for _, file in ipairs(sources.files(waiter)) do add(file) end
  for _, file in ipairs(waiter.files) do add_required(sources.path(file), folder_of(sources.path(file)), add) end
  table.sort(list)
  return sources.path(waiter.files[1]), list
end

---Returns the bundle of a waiter, which has files.
---@param waiter bide.Waiter
---@return bide.store.Bundle?
---@return string? mistake
function M.of(waiter)
  local main, files = files_of(waiter)
  local lines = { "bide-recipe 1 main=" .. main }
  for _, file in ipairs(files) do
    if file:find "%c" then return nil, "the name of a file of the recipe has a control character" end
    local text, mistake = chunk.read(file)
    if not text then return nil, mistake end
    lines[#lines + 1] = ("%s %d %s"):format(hex(digest.sha256(text)), #text, file)
  end
  local manifest = table.concat(lines, "\n") .. "\n"
  return { digest = digest.sha256(manifest), manifest = manifest }
end

---The digests of the files that this process has taken into use. A module that Lua has loaded stays as it was then.
---@type table<string, string>
local taken = {}

---@class bide.store.Manifest
---@field main string
---@field files table<string, true>

---Checks that the files of a bundle are on this machine, and are those that were submitted.
---@param bundle bide.store.Bundle
---@return bide.store.Manifest?
---@return string? mistake
function M.check(bundle)
  local main, rest = bundle.manifest:match "^bide%-recipe 1 main=([^\n]+)\n(.*)$"
  if not main or digest.sha256(bundle.manifest) ~= bundle.digest then return nil, "its manifest is broken" end
  local files, count = {}, 0
  for line in rest:gmatch "([^\n]*)\n" do
    local wanted, size, file = line:match "^(%x+) (%d+) (.+)$"
    if not wanted then return nil, "its manifest is broken" end
    local text = chunk.read(file)
    if not text then return nil, ("%s is not there"):format(file) end
    if #text ~= tonumber(size) or hex(digest.sha256(text)) ~= wanted then
      return nil, ("%s is not the file that was submitted"):format(file)
    end
    if file ~= main and taken[file] and taken[file] ~= wanted then
      return nil, ("%s has changed since this process loaded it"):format(file)
    end
    files[file], count = wanted, count + 1
  end
  if not files[main] then return nil, "its manifest is broken" end
  for file, wanted in pairs(files) do taken[file] = wanted end
  return { main = main, files = files }
end

---Returns the mistake if a loaded waiter has a file that its manifest does not name.
---@param manifest bide.store.Manifest
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
