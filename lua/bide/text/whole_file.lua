---Reads a whole file at once, without the loop, and no more of it than its purpose allows: a device has no end, and a file of
---gigabytes would take all memory before anything is said of it.

local core = require "bide.core"
local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local shown = require "bide.text.shown"

local M = {}

local MEBIBYTE <const> = 1024 * 1024

---The most bytes of a document, such as a recipe, a model, answers or the whole input, and of a line of a list.
M.DOCUMENT = 64 * MEBIBYTE

---The most bytes of a list for `--each`, which has a line for each wait.
M.LIST = 1024 * MEBIBYTE

---The most bytes of one value, such as a secret behind `@file:`.
M.VALUE = MEBIBYTE

local PIECE = 64 * 1024

---Returns the mistake of a text that is larger than its limit.
---@param limit integer whole mebibytes
---@param found? integer bytes, if they are known
---@return string
function M.too_large(limit, found)
  return ("expected at most %d MiB, found %s"):format(limit // MEBIBYTE,
    found and ("%.1f MiB"):format(found / MEBIBYTE) or "more")
end

---Reads to the end; ends with nothing beyond the limit.
---@param next_piece fun(): string?, string?
---@param limit integer
---@return string? text
---@return string? failure none beyond the limit
local function collect(next_piece, limit)
  local pieces, size = {}, 0
  while true do
    local piece, failure = next_piece()
    if failure then return nil, failure end
    if not piece or piece == "" then return table.concat(pieces) end
    size, pieces[#pieces + 1] = size + #piece, piece
    if size > limit then return nil end
  end
end

---Reads what is left of an open file, such as standard input.
---@param handle file*
---@param limit integer
---@return string? text
---@return string? mistake
function M.rest(handle, limit)
  local text, failure = collect(function() return handle:read(PIECE) end, limit)
  return text, not text and (failure or M.too_large(limit)) or nil
end

---Iterates over the lines of an open file. It ends with a mistake if one is larger than the limit.
---@param handle file*
---@param limit integer
---@return fun(): line: string?, mistake: string?, is_unended: boolean? next_line whether no line break follows
function M.lines(handle, limit)
  local text, at = "", 1
  return function()
    local parts, size = {}, 0
    while true do
      local stop = text:find("\n", at, true)
      parts[#parts + 1] = text:sub(at, (stop or #text + 1) - 1)
      size, at = size + #parts[#parts], stop and stop + 1 or #text + 1
      if size > limit then return nil, "a line: " .. M.too_large(limit) end
      if stop then return table.concat(parts) end
      local piece, failure = handle:read(PIECE)
      if failure then return nil, failure end
      if not piece and size == 0 then return nil end
      if not piece then return table.concat(parts), nil, true end
      text, at = piece, 1
    end
  end
end

local end_of_wait = setmetatable({}, { __close = core.watchdog.end_load })

---Opens a file. A pipe with a name opens once a program writes to it, for which the watchdog lets bide wait as long as for a
---file that is loaded.
---@param path string
---@param stat? table of the path, if it is known
---@return file*? handle
---@return string? mistake
---@return integer? code
function M.open(path, stat)
  stat = stat or luv.fs_stat(path)
  if not stat or stat.type ~= "fifo" then return file_failure.open(path, "rb") end
  core.watchdog.begin_load(shown.line(path) .. ", a pipe that no program has opened to write")
  local _end <close> = end_of_wait
  return file_failure.open(path, "rb")
end

---Reads a file that a person has named, which may be a pipe.
---@param path string
---@param limit integer
---@return string? text
---@return string? mistake beginning with the path
---@return integer? code of the system, if it cannot be opened
function M.read(path, limit)
  local stat = luv.fs_stat(path)
  if stat and stat.type == "file" and stat.size > limit then
    return nil, ("%s: %s"):format(path, M.too_large(limit, stat.size))
  end
  local handle <close>, unopened, code = M.open(path, stat)
  if not handle then return nil, unopened, code end
  local text, mistake = M.rest(handle, limit)
  return text, mistake and ("%s: %s"):format(path, mistake)
end

---Without O_NONBLOCK a pipe without a writer would block for ever.
local FLAGS <const> = luv.constants.O_RDONLY | luv.constants.O_NONBLOCK

---Reads a file that is needed while others wait, or while a socket is held: a pipe without a writer is empty.
---@type fun(path: string, limit: integer): text: string?, failure: string?, code: string? as luv words a failure; none for a
---file that is larger than the limit
M.read_now = core.task.whole(function(path, limit)
  local descriptor, failure, code = luv.fs_open(path, FLAGS, 0)
  if not descriptor then return nil, failure, code end
  local read, text, mistake = pcall(collect, function() return luv.fs_read(descriptor, PIECE, -1) end, limit)
  luv.fs_close(descriptor)
  if not read then error(text, 0) end
  return text, mistake
end)

return M
