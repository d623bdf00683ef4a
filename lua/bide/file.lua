---Inspects a file, and reads it on request.
---
---    local file = require "bide.file"
---    local log = file("/var/log/app.log", { content = true })
---    if log.content:find("ready", 1, true) then … end
---
---`age` is the time since the file was last written to. With `stable` it must be at least that many seconds, as for an
---upload that has to be complete. Since the file itself has that time, the probe need not wait, attempts need not
---remember earlier ones, and the deadline of a wait is kept. A folder is written to when a file enters or leaves it. Links
---are followed. Raises these operation errors:
---
---    NotFound           the file does not exist, and no link of that name
---    DanglingLink       there is a link, which leads to no file
---    NotAFolder         there is a file where the slash at the end of the path asks for a folder
---    NotStable          it was written to less than `stable` seconds ago
---    PermissionDenied   it may not be inspected or read
---    NotAFile           `content` was given for a folder, a socket, or anything else that has none
---    ContentTooLarge    its content is larger than `content_limit`
---    InvalidPath        the path is empty or contains a NUL byte
---    FileFailure        any other failure, with the system's words

local core = require "bide.core"
local option = require "bide.text.option"
local system = require "bide.probe.file.system"

---Its function in `bide`.
---@class bide
---@field file fun(path: string, options: bide.file.Options?): bide.file.Result

local MEBIBYTE = 1024 * 1024

local kind_of = { content = option.kinds.flag, content_limit = option.kinds.size, stable = option.kinds.seconds }

---@class bide.file.Options
---@field content? boolean whether to read the file
---@field content_limit? integer bytes, 1 MiB by default
---@field stable? number seconds since the last write to it, at least

---@class bide.file.Result
---@field path string
---@field type "file"|"directory"|"fifo"|"socket"|"char"|"block"
---@field size integer bytes
---@field modified number when it was last written to, in seconds since 1970
---@field age number seconds since then, 0 if that is in the future
---@field content? string if `content` was given

local function read_content(path, limit)
  local reader <close> = system.reader(path)
  local pieces, size = {}, 0
  local piece, failure = reader:open()
  while not failure and piece ~= "" do
    piece, failure = reader:read()
    pieces[#pieces + 1] = piece
    size = size + #(piece or "")
    if size > limit then
      system.refuse("ContentTooLarge", path, ("the content is larger than %d bytes"):format(limit))
    end
  end
  if failure then system.fail(path, failure) end
  return table.concat(pieces)
end

---Raises NotStable. If another machine keeps the file's time, its clock may be ahead of this one's.
local function check_stable(result, stable)
  if result.age >= stable then return end
  local ahead = result.modified - core.loop.wall() / 1000
  system.refuse("NotStable", result.path, ahead > 0.1 and ("its time is %.1f s ahead of this machine's clock"):format(ahead)
    or ("it was written to %.1f s ago"):format(result.age))
end

---Raises the failure to find a file. Its name may be there nevertheless.
local function fail(path, failure)
  local kind, words
  if system.is_missing(failure) then kind, words = system.remains(path) end
  if kind then system.refuse(kind, path, words) end
  system.fail(path, failure)
end

local function run(path, given)
  system.check(path)
  local result, failure = system.inspect(path)
  if not result then fail(path, failure) end
  if given.stable then check_stable(result, given.stable) end
  if not given.content then return result end
  if result.type ~= "file" then system.refuse("NotAFile", path, ("a %s has no content"):format(result.type)) end
  result.content = read_content(path, given.content_limit or MEBIBYTE)
  return result
end

---@param path string
---@param given? bide.file.Options
---@return bide.file.Result
return function(path, given)
  if type(path) ~= "string" then error("bide.file: path: " .. option.expected("a string", path), 2) end
  local mistake = given ~= nil and option.check(given, kind_of)
  if mistake then error("bide.file: " .. mistake, 2) end
  return run(path, given or {})
end
