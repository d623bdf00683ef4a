---Reads the small files that people keep for AWS: profiles, cached tokens. It reads at once, without a task: they are
---needed before anything waits.

local core = require "bide.core"
local uv = require "luv"
local whole_file = require "bide.text.whole_file"

local M = {}

local is_absence = { ENOENT = true, ENOTDIR = true }

---Returns a path with `~` resolved.
---@param path string
---@param getenv fun(name: string): string?
---@return string
function M.expand(path, getenv)
  if path ~= "~" and path:sub(1, 2) ~= "~/" then return path end
  return (getenv "HOME" or uv.os_homedir() or "") .. path:sub(2)
end

local function words_of(failure)
  return failure:match "^%u%w*: ([^:]*)" or failure
end

---Reads a file.
---@param path string
---@param limit integer the most bytes
---@return string? text
---@return string? mistake without the path; nil if the file does not exist
function M.read(path, limit)
  if path:find("\0", 1, true) then return nil, "the path contains a NUL byte" end
  local text, failure, code = whole_file.read_now(path, limit)
  if text then return text end
  if not failure then return nil, ("the file is larger than %d KiB"):format(limit // 1024) end
  return nil, not is_absence[code] and words_of(failure) or nil
end

---Returns the seconds since 1970.
---@return number
function M.now()
  core.loop.update()
  return core.loop.wall() / 1000
end

return M
