---Raises the kernel's walls around a sandboxed process. Behind them, even a bug of Lua, of bide or of a library reaches
---only the files that are granted here.

local luv = require "luv"
local recipe_path = require "bide.recipe.file.path"
local tables = require "bide.text.tables"
local walls = require "bide.walls"

local M = {}

---The bytes for bide, its libraries and their threads, beside the memory of scripts.
local HEADROOM = 256 * 1024 * 1024

---The folders of libraries and certificates on known systems. Missing folders are ignored.
local of_system = {
  "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
  "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/var/lib/ca-certificates",
}

---The files of the resolver. Programs change them by putting new files in their place, so their folders are granted.
local of_resolver = {
  "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/etc/services",
}

local function folder_of(file)
  local folder = file:match "^(.*)/[^/]*$"
  return folder == "" and "/" or folder or "."
end

---Adds the folder of a file, and its folder after links were followed.
local function add_folder_of(list, file)
  list[#list + 1] = folder_of(file)
  local real = luv.fs_realpath(file)
  if real then list[#list + 1] = folder_of(real) end
end

local function add_own(list)
  for _, name in ipairs { "bide.core", "bide.version" } do
    local file = package.searchpath(name, name == "bide.core" and package.cpath or package.path)
    if file then add_folder_of(list, file) end
  end
  tables.append(list, recipe_path.folders())
end

---Returns the folders of libraries and certificates that the environment names.
local function add_named_by_environment(list)
  for folder in ((os.getenv "LD_LIBRARY_PATH" or "") .. ":" .. (os.getenv "SSL_CERT_DIR" or "")):gmatch "[^:]+" do
    list[#list + 1] = folder
  end
  for _, name in ipairs { "CURL_CA_BUNDLE", "SSL_CERT_FILE" } do
    if os.getenv(name) then add_folder_of(list, os.getenv(name)) end
  end
end

---@param recipes string[] names or files: of recipes, for --with, of a script
---@param files table<integer, string> other files that the command line names
---@return string[]
local function readable(recipes, files)
  local list = tables.joined(of_system)
  for _, file in ipairs(of_resolver) do add_folder_of(list, file) end
  add_own(list)
  add_named_by_environment(list)
  for _, name in ipairs(recipes) do add_folder_of(list, recipe_path.find(name) or name) end
  list[#list + 1] = "/proc/sys/kernel/random/boot_id" -- of the journal's moments
  for _, file in pairs(files) do list[#list + 1] = file end
  return list
end

---The words for each missing wall.
local words_of = {
  files = "Landlock, which keeps files from scripts",
  calls = "seccomp, which keeps programs, processes and sockets of this machine from scripts",
  limits = "the limit of memory",
}

---Raises the walls. Files that will be written must be open already.
---@param recipes string[] names or files: of recipes, for --with, of a script
---@param files table<integer, string> other files that the command line names
---@param memory integer bytes that scripts may take
---@return string[] missing the walls that could not be raised, in words
function M.raise(recipes, files, memory)
  os.date "%c" -- the time zone's file is read once, now
  local reasons, missing = walls.raise(readable(recipes, files), memory + HEADROOM), {}
  for _, name in ipairs { "files", "calls", "limits" } do
    if reasons[name] then missing[#missing + 1] = ("%s (%s)"):format(words_of[name], reasons[name]) end
  end
  return missing
end

return M
