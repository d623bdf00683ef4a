---The pages of the documentation.

local M = {}

---@param pattern string of what the page contains
---@return string[] names of files, sorted
local function find(pattern)
  local found = {}
  for page in io.popen "find README.md docs -name '*.md' | sort":lines() do
    local file <close> = assert(io.open(page))
    if file:read("a"):find(pattern) then found[#found + 1] = page end
  end
  return found
end

---Returns the pages, README.md first.
---@return string[]
function M.all() return find "" end

---Returns the pages that have sessions of a console, which specs run.
---@return string[]
function M.with_examples() return find "\n```console\n" end

return M
