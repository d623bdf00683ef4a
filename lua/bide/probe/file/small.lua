---Reads a small file at once, without the loop: one that is needed before anything waits, or while a socket is held.

local task = require("bide.core").task
local uv = require "luv"

local PIECE = 64 * 1024

---Without O_NONBLOCK a pipe without a writer would block for ever.
local FLAGS = uv.constants.O_RDONLY | uv.constants.O_NONBLOCK

---@param descriptor integer
---@param limit integer
---@return string? text nil beyond the limit, too
---@return string? failure
local function read_all(descriptor, limit)
  local pieces, size = {}, 0
  repeat
    local piece, failure = uv.fs_read(descriptor, PIECE, -1)
    if not piece then return nil, failure end
    size, pieces[#pieces + 1] = size + #piece, piece
    if size > limit then return nil end
  until piece == ""
  return table.concat(pieces)
end

---@type fun(path: string, limit: integer): text: string?, failure: string?, code: string? as luv words a failure; none for a
---file that is larger than the limit
return task.whole(function(path, limit)
  local descriptor, failure, code = uv.fs_open(path, FLAGS, 0)
  if not descriptor then return nil, failure, code end
  local read, text, mistake = pcall(read_all, descriptor, limit)
  uv.fs_close(descriptor)
  if not read then error(text, 0) end
  return text, mistake
end)
