---The file with passwords that PostgreSQL's own tools read, ~/.pgpass: lines of `host:port:database:user:password`, in
---which "*" is any value, and a backslash comes before a ":" or a backslash of a value. As they do, bide reads the file only
---if no other user may.

local environment = require "bide.text.environment"
local uv = require "luv"
local whole_file = require "bide.text.whole_file"

local M = {}

local LARGEST = 1024 * 1024 -- bytes

---Returns the fields of a line without their escapes, and "*" as true.
---@return (string|true)[]
local function fields_of(line)
  local fields, piece = {}, {}
  local function add()
    local text = table.concat(piece)
    fields[#fields + 1], piece = text == "*" and not piece.escaped or text, {}
  end
  local escaped = false
  for character in line:gmatch "." do
    if not escaped and character == "\\" then
      escaped = true
    elseif not escaped and character == ":" and #fields < 4 then
      add()
    else
      piece[#piece + 1], piece.escaped, escaped = character, piece.escaped or escaped, false
    end
  end
  fields[#fields + 1] = table.concat(piece)
  return fields
end

---@param text string the file
---@param wanted string[] host, port, database and user
---@return string? password of the first line for these
function M.search(text, wanted)
  for line in text:gmatch "[^\r\n]+" do
    local fields = line:sub(1, 1) ~= "#" and fields_of(line) or {}
    local fits = #fields == 5
    for position, value in ipairs(wanted) do fits = fits and (fields[position] == true or fields[position] == value) end
    if fits then return fields[5] --[[@as string]] end
  end
end

local GROUP_READS, OTHERS = 4 << 3, 63

---Reports whether a file is for its reader alone. A credential of a systemd unit may seem to be for a group: a list of rights
---lets the user of the unit read it, to whom alone its folder belongs.
---@param path string
---@param mode integer
---@return boolean
local function is_private(path, mode)
  local folder = mode & OTHERS == GROUP_READS and environment "CREDENTIALS_DIRECTORY"
  return mode & OTHERS == 0 or folder and path:match "^(.*)/" == folder:gsub("/$", "") or false
end

---Reads the file.
---@param path string
---@return string? text
---@return string? note why it was not read; nil if there is none
function M.read(path)
  local found, _, code = uv.fs_stat(path)
  if not found then return nil, code ~= "ENOENT" and code ~= "ENOTDIR" and ("%s: %s"):format(path, code) or nil end
  if found.type ~= "file" then return nil, path .. " is not read: it is not a regular file" end
  if not is_private(path, found.mode) then
    return nil, ("%s is not read: expected that nobody else may read it (chmod 600), found the mode %03o")
      :format(path, found.mode & 511)
  end
  local text, failure = whole_file.read_now(path, LARGEST)
  return text, not text and ("%s is not read: %s"):format(path, failure or "it is too large") or nil
end

return M
