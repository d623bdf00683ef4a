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
---    NotFound           the file does not exist
---    NotStable          it was written to less than `stable` seconds ago
---    PermissionDenied   it may not be inspected or read
---    NotAFile           `content` was given for a folder, a socket, or anything else that has none
---    ContentTooLarge    its content is larger than `content_limit`
---    InvalidPath        the path is empty or contains a NUL byte
---    FileFailure        any other failure, with the system's words

local await = require "bide.tasks.await"
local core = require "bide.core"
local option = require "bide.option"
local shortage = require "bide.tasks.shortage"
local uv = require "luv"

---Its function in `bide`.
---@class bide
---@field file fun(path: string, options: bide.file.Options?): bide.file.Result

local MEBIBYTE = 1024 * 1024
local PIECE = 64 * 1024

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

local types = {
  ENOENT = "NotFound", ENOTDIR = "NotFound", EACCES = "PermissionDenied", EPERM = "PermissionDenied",
  EISDIR = "NotAFile", ENXIO = "NotAFile",
}

local function fail(kind, path, words)
  error({ type = kind, message = ("%s: %s"):format(path, words) }, 0)
end

---Raises the operation error for an error of the system: "ENOENT: no such file or directory: /x".
local function fail_of_system(path, failure)
  local code, words = failure:match("^(%u%w*): ([^:]*)")
  fail(types[code] or "FileFailure", path, words or failure)
end

local function try(start)
  local failure, value = await(nil, function(waker)
    local request, failed = start(function(...) waker(...) end)
    if not request then waker(failed) end
  end)
  return value, failure
end

---Waits for a call of uv.fs_*; raises its failure, and returns its result.
local function call(path, start)
  local value, failure = shortage.wait_out(try, start)
  if failure then fail_of_system(path, failure) end
  return value
end

---A file that is open for reading. It is closed only after the call that is running for it, in a thread that cannot be
---stopped, has ended: otherwise its descriptor could become that of another file meanwhile.
local Reader = {}
Reader.__index = Reader

local function nothing() end

local function release(reader)
  if not reader.closed or reader.busy or not reader.descriptor then return end
  uv.fs_close(reader.descriptor, nothing)
  reader.descriptor = nil
end

---Does one step of the reader. `keep` gets the result even if the task no longer waits for it.
local function step(reader, keep, start)
  reader.busy = true
  return call(reader.path, function(done)
    return start(function(failure, value)
      reader.busy = false
      if value and keep then keep(value) end
      release(reader)
      done(failure, value)
    end)
  end)
end

---The flags for opening. Without O_NONBLOCK a pipe without a writer would block the thread for ever.
local FLAGS = uv.constants.O_RDONLY | uv.constants.O_NONBLOCK

function Reader:open()
  step(self, function(descriptor) self.descriptor = descriptor end,
    function(done) return uv.fs_open(self.path, FLAGS, 0, done) end)
end

function Reader:read()
  return step(self, nil, function(done) return uv.fs_read(self.descriptor, PIECE, -1, done) end)
end

function Reader:__close()
  self.closed = true
  release(self)
end

local function read_content(path, limit)
  local reader <close> = setmetatable({ path = path }, Reader)
  local pieces, size = {}, 0
  reader:open()
  for piece in reader.read, reader do
    if piece == "" then break end
    size = size + #piece
    if size > limit then fail("ContentTooLarge", path, ("the content is larger than %d bytes"):format(limit)) end
    pieces[#pieces + 1] = piece
  end
  return table.concat(pieces)
end

local function seconds(time)
  return time.sec + time.nsec / 1e9
end

local function result_of(path, attributes)
  local modified = seconds(attributes.mtime)
  return {
    path = path, type = attributes.type, size = attributes.size, modified = modified,
    age = math.max(core.loop.wall() / 1000 - modified, 0),
  }
end

---Raises NotStable. If another machine keeps the file's time, its clock may be ahead of this one's.
local function check_stable(result, stable)
  if result.age >= stable then return end
  local ahead = result.modified - core.loop.wall() / 1000
  fail("NotStable", result.path, ahead > 0.1 and ("its time is %.1f s ahead of this machine's clock"):format(ahead)
    or ("it was written to %.1f s ago"):format(result.age))
end

local function run(path, given)
  if path == "" or path:find("\0", 1, true) then fail("InvalidPath", ("%q"):format(path), "this is not a path") end
  local result = result_of(path, call(path, function(done) return uv.fs_stat(path, done) end))
  if given.stable then check_stable(result, given.stable) end
  if not given.content then return result end
  if result.type ~= "file" then fail("NotAFile", path, ("a %s has no content"):format(result.type)) end
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
