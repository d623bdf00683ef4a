---Reads the examples of a Markdown page: the fenced blocks that name a file, and
---the console sessions.
---
---    ```lua things.lua      a file of that name
---    ```console             "$ command" lines, each followed by what it prints;
---                           "[exit code 1]" where that is not 0

local M = {}

---@class spec.Example
---@field command string
---@field output string
---@field code integer

local function read_session(block, examples)
  local current
  for line in block:gmatch("([^\n]*)\n") do
    local command = line:match("^%$ (.*)$")
    local code = line:match("^%[exit code (%d+)%]$")
    if command then
      current = { command = command, output = "", code = 0 }
      examples[#examples + 1] = current
    elseif code then
      current.code = tonumber(code)
    else
      current.output = current.output .. line .. "\n"
    end
  end
end

---@param file string
---@return table<string, string> files text by name
---@return spec.Example[] examples
function M.read(file)
  local handle = assert(io.open(file))
  local text = handle:read("a")
  handle:close()
  local files, examples = {}, {}
  for info, block in text:gmatch("\n```([^\n]*)\n(.-\n)```") do
    local name = info:match("^%w+ (%S+)$")
    if name then files[name] = block end
    if info == "console" then read_session(block, examples) end
  end
  return files, examples
end

return M
