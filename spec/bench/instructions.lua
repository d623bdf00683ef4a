---The instructions that a command executes. They do not depend on what else the machine does; those of two runs differ by
---about a tenth of a per cent.

local process = require "spec.support.process"

local M = {}

---@param command string[]
---@param environment? table<string, string>
---@return integer? count nil without valgrind
function M.of(command, environment)
  local line = 'exec valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@"'
  local done = process.run({ "sh", "-c", line, "sh", table.unpack(command) }, { longest = 600, env = environment })
  return tonumber(done.stderr:match "Collected : (%d+)")
end

return M
