---Conformance data that is not part of the project. It is looked for in $BIDE_DATA, by default ../shared/data from the
---project's root, and in build/data, where `.ci/deps test` puts what packages have of it.
local M = {}

local folders = { os.getenv "BIDE_DATA" or "../shared/data", "build/data" }

---What is said of data that a package has, and of others.
M.hint = "is absent: run .ci/deps test, or set BIDE_DATA"
M.unpacked_hint = "is absent, and in no package: set BIDE_DATA"

---Where a file of the data is; nil where it is absent.
---@param name string
---@return string? path
function M.path(name)
  for _, folder in ipairs(folders) do
    local path = folder .. "/" .. name
    local file = io.open(path, "rb")
    if file then
      file:close()
      return path
    end
  end
end

---The text of a file of the data; nil where it is absent.
---@param name string
---@return string? text
function M.read(name)
  local path = M.path(name)
  if not path then return nil end
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

---The files below a folder of the data, sorted.
---@param name string
---@param ending string a pattern
---@return string[] names below the data's folder
function M.files(name, ending)
  for _, folder in ipairs(folders) do
    local names = {}
    local listing = io.popen(("find %s/%s -type f 2>/dev/null | sort"):format(folder, name))
    for path in listing:lines() do
      if path:find(ending) then names[#names + 1] = path:sub(#folder + 2) end
    end
    listing:close()
    if #names > 0 then return names end
  end
  return {}
end

---The files of the JMESPath compliance suite. Its own repository has no ormatch, its package no benchmarks.
---@return string[] names below the data's folder
function M.jmespath()
  local names = {}
  for _, name in ipairs(M.files("jmespath", "%.json$")) do
    if not name:find "schema" then names[#names + 1] = name end
  end
  return names
end

return M
