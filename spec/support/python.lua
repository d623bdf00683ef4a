---The Pythons that specs may use: that of the build's folder, in which `.ci/deps test` has put moto, botocore and gRPC, the
---first of PATH, and the system's.

local uv = require "luv"
local process = require "spec.support.process"

local M = {}

M.all = { uv.cwd() .. "/build/data/python/bin/python3", "python3", "/usr/bin/python3" }

M.no_botocore = "botocore is missing: run .ci/deps test, or install the package python3-botocore"

---The first Python that runs a statement without failing, such as "import botocore".
---@param statement string
---@param first? string a Python to try before the others
---@return string? python
function M.that_runs(statement, first)
  for _, python in ipairs { first or M.all[1], table.unpack(M.all) } do
    local found = uv.fs_access(python, "X") or not python:find "/"
    if found and process.run({ python, "-c", statement }, { tool = true }).code == 0 then return python end
  end
end

---The folder of the data of a Python's botocore; nil where it has none.
---@param python string
---@return string? folder
function M.botocore_data(python)
  local listing = io.popen(python .. " -c 'import botocore; print(botocore.__path__[0], end=\"/data\")' 2>/dev/null")
  local folder = listing:read "a"
  listing:close()
  return folder ~= "" and folder or nil
end

return M
