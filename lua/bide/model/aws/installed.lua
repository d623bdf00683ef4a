---Finds the data of a botocore or an AWS CLI that is installed, by the folders in which they are, without starting them.

local folder = require "bide.model.aws.folder"
local luv = require "luv"

local M = {}

---Returns the file of the program aws, behind all links. A folder of PATH that depends on the current one does not count:
---the data decide where signed requests go.
---@return string?
local function find_program()
  for path in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    local found = path:sub(1, 1) == "/" and luv.fs_realpath(path .. "/aws")
    if found then return found end
  end
end

---Returns the folders of Python's packages below a prefix such as /usr.
---@return string[]
local function packages_of(prefix)
  local folders = {}
  for _, python in ipairs(folder.names_in(prefix .. "/lib", "^python3")) do
    for _, name in ipairs { "site-packages", "dist-packages" } do
      folders[#folders + 1] = ("%s/lib/%s/%s"):format(prefix, python, name)
    end
  end
  return folders
end

---@param program string?
---@return string[] prefixes of Python's packages
local function prefixes(program)
  local home, list = os.getenv "HOME", {}
  for _, prefix in ipairs { os.getenv "VIRTUAL_ENV" or "", program and program:match "^(.*)/bin/[^/]*$" or "",
    home and home .. "/.local" or "", "/usr/local", "/usr" } do
    if prefix:sub(1, 1) == "/" then list[#list + 1] = prefix end
  end
  return list
end

---Returns the folders of data that are there, those of a virtual environment first.
---@return string[]
function M.folders()
  local program, found, known = find_program(), {}, {}
  local function add(path)
    local real = luv.fs_stat(path .. "/partitions.json") and luv.fs_realpath(path)
    if real and not known[real] then found[#found + 1], known[real] = real, true end
  end
  for _, prefix in ipairs(prefixes(program)) do
    for _, packages in ipairs(packages_of(prefix)) do
      add(packages .. "/botocore/data")
      add(packages .. "/awscli/botocore/data")
    end
  end
  if program then add(program:match "^(.*)/" .. "/awscli/botocore/data") end -- AWS's own installer of the AWS CLI 2
  return found
end

return M
