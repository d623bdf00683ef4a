---Files of botocore's data, which may be compressed: `service-2.json` is there as it is, or as `service-2.json.gz`.

local chunk = require "bide.recipe.file.chunk"
local luv = require "luv"

local M = {}

---The most bytes of a file; the largest has less than a tenth of that.
local LARGEST = 64 * 1024 * 1024

---Seconds; gzip takes less than a hundredth of that for the largest file.
local TIMEOUT = 30

---@return string? text
---@return string? mistake
local function inflate(file)
  local ok, done = pcall(require "bide.exec", { "gzip", "-dc", "--", file }, { output_limit = LARGEST, timeout = TIMEOUT })
  if not ok and type(done) == "table" then return nil, ("%s: %s"):format(file, done.message) end
  if not ok then error(done, 0) end
  if done.code ~= 0 then return nil, ("%s: gzip: %s"):format(file, done.stderr:match "([^\n]*)\n?$") end
  return done.stdout
end

---Returns the name by which a file is there.
---@param file string without the ending of gzip
---@return string? found
function M.find(file)
  for _, name in ipairs { file, file .. ".gz" } do
    if luv.fs_stat(name) then return name end
  end
end

---@param file string without the ending of gzip
---@return string? text
---@return string? mistake
function M.read(file)
  local found = M.find(file) or file
  if found:find "%.gz$" then return inflate(found) end
  return chunk.read(found)
end

return M
