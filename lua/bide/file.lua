---Looks at a file, and reads it where asked to.
---
---    local file = require "bide.file"
---    local log = file("/var/log/app.log", { content = true })
---    if log.content:find("ready", 1, true) then … end
---
---`age` says for how long it has not been written to; with `stable` it must be that many seconds at least, as for an
---upload that is to be complete. The file itself keeps that time, so that the probe waits for nothing, no attempt
---has to remember another, and the deadline of a wait is met. A folder is written to by what comes into it and leaves it.
---A link is followed. Raised as operation errors are
---
---    NotFound           there is no such file
---    NotStable          it was written to less than `stable` seconds ago
---    PermissionDenied   it may not be looked at, or not be read
---    NotAFile           content was asked for, of what has none: a folder, a socket
---    ContentTooLarge    its content is larger than `content_limit`
---    InvalidPath        a path with a NUL byte, or none at all
---    FileFailure        the system's word for anything else

local await = require "bide.tasks.await"
local core = require "bide.core"
local option = require "bide.option"
local uv = require "luv"

---Its function in `bide`.
---@class bide
---@field file fun(path: string, options: bide.file.Options?): bide.file.Result

local MEBIBYTE = 1024 * 1024
local PIECE = 64 * 1024

local kind_of = { content = option.kinds.flag, content_limit = option.kinds.size, stable = option.kinds.seconds }

---@class bide.file.Options
---@field content? boolean whether to read it
---@field content_limit? integer bytes, 1 MiB otherwise
---@field stable? number seconds for which nobody must have written to it

---@class bide.file.Result
---@field path string
---@field type "file"|"directory"|"fifo"|"socket"|"char"|"block"
---@field size integer bytes
---@field modified number when it was last written to, in seconds since 1970
---@field age number seconds since then, 0 where that is still to come
---@field content? string where it was asked for

local types = {
  ENOENT = "NotFound", ENOTDIR = "NotFound", EACCES = "PermissionDenied", EPERM = "PermissionDenied",
  EISDIR = "NotAFile", ENXIO = "NotAFile",
}

local function fail(kind, path, words)
  error({ type = kind, message = ("%s: %s"):format(path, words) }, 0)
end

---"ENOENT: no such file or directory: /x"
local function fail_of_system(path, failure)
  local code, words = failure:match("^(%u%w*): ([^:]*)")
  fail(types[code] or "FileFailure", path, words or failure)
end

---Waits for a call of uv.fs_*, which hands on what failed and what it gives.
local function call(path, start)
  local failure, value = await(nil, function(waker)
    local request, failed = start(function(...) waker(...) end)
    if not request then waker(failed) end
  end)
  if failure then fail_of_system(path, failure) end
  return value
end

---A file that is open for reading. What the system still does for it when it is closed, in a
---thread that cannot be stopped, ends first: its descriptor must not become another file's meanwhile.
local Reader = {}
Reader.__index = Reader

local function nothing() end

local function release(reader)
  if not reader.closed or reader.busy or not reader.descriptor then return end
  uv.fs_close(reader.descriptor, nothing)
  reader.descriptor = nil
end

---Does one step of the reader; `keep` takes what it gives even where nobody waits any more.
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

---A pipe without a writer would hold the thread for ever, so nothing is waited for here.
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

---Where another machine keeps the file's time, its clock may be ahead of ours.
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
