---Waits for the calls of the system that inspect, list and read files. Those that fail return nil and the failure as luv
---words it; `fail` raises the operation error for one. The module bide.file lists these errors.

local await = require "bide.task.await"
local core = require "bide.core"
local shortage = require "bide.task.shortage"
local uv = require "luv"

local whole = core.task.whole

local M = {}

local PIECE = 64 * 1024

local types = {
  ENOENT = "NotFound", ENOTDIR = "NotFound", EACCES = "PermissionDenied", EPERM = "PermissionDenied",
  EISDIR = "NotAFile", ENXIO = "NotAFile", ELOOP = "DanglingLink",
}

-- ---- failures ----------------------------------------------------------------------------------

---Raises an operation error about a file.
---@param kind string
---@param path string
---@param words string
function M.refuse(kind, path, words)
  error({ type = kind, message = ("%s: %s"):format(path, words) }, 0)
end

---Returns the type of the operation error for a failure, and its words.
local function read_failure(failure)
  local code, words = failure:match("^(%u%w*): ([^:]*)")
  return types[code] or "FileFailure", words or failure
end

---Raises the operation error for a failure of the system: "ENOENT: no such file or directory: /x".
---@param path string
---@param failure string
function M.fail(path, failure)
  local kind, words = read_failure(failure)
  M.refuse(kind, path, words)
end

---Reports whether a failure says that there is no such file, or no such folder. A link that leads back to itself
---counts as such.
---@param failure string
---@return boolean
function M.is_missing(failure)
  local kind = read_failure(failure)
  return kind == "NotFound" or kind == "DanglingLink"
end

---Raises InvalidPath unless a path can be one.
---@param path string
function M.check(path)
  if path == "" or path:find("\0", 1, true) then M.refuse("InvalidPath", ("%q"):format(path), "this is not a path") end
end

-- ---- calls -------------------------------------------------------------------------------------

local function try(start)
  local failure, value = await(nil, function(waker)
    local request, failed = start(function(...) waker(...) end)
    if not request then waker(failed) end
  end)
  return value, failure
end

---Waits for a call of uv.fs_*.
---@param start fun(done: function): any
---@return any value
---@return string? failure
local function call(start)
  return shortage.wait_out(try, start)
end

local function seconds(time)
  return time.sec + time.nsec / 1e9
end

---@param path string
---@return bide.file.Result? result
---@return string? failure
---@return table attributes those of uv.fs_stat
function M.inspect(path)
  local attributes, failure = call(function(done) return uv.fs_stat(path, done) end)
  if not attributes then return nil, failure end
  local modified = seconds(attributes.mtime)
  return {
    path = path, type = attributes.type, size = attributes.size, modified = modified,
    age = math.max(core.loop.wall() / 1000 - modified, 0),
  }, nil, attributes
end

---Returns a path without the slashes at its end, which ask for a folder, and without the dots behind them.
---@param path string
local function without_end(path)
  local shorter = path:gsub("(.)/+%.?$", "%1")
  return shorter == path and path or without_end(shorter)
end

---Returns what is there under a path at which no file was found: a link that leads nowhere, or a file before a slash.
---@param path string
---@return "DanglingLink"|"NotAFolder"|nil kind nil if there is nothing
---@return string? words
function M.remains(path)
  local bare = without_end(path)
  local attributes = call(function(done) return uv.fs_lstat(bare, done) end)
  if not attributes then return nil end
  if attributes.type == "link" then return "DanglingLink", "the link leads to no file" end
  local appeared = bare == path or attributes.type == "directory" -- since no file was found there
  if appeared then return nil end
  return "NotAFolder", ("found a %s and a slash behind it: leave the slash out"):format(attributes.type)
end

---Returns what a link contains; nil if there is no link.
---@param path string
---@return string? target
function M.target(path)
  return (call(function(done) return uv.fs_readlink(path, done) end))
end

---Returns the names in a folder, in no order.
---@param path string
---@return string[]? names
---@return string? failure
function M.list(path)
  local scan, failure = call(function(done) return uv.fs_scandir(path, done) end)
  if not scan then return nil, failure end
  local names = {}
  for name in uv.fs_scandir_next, scan do names[#names + 1] = name end
  return names
end

-- ---- reading -----------------------------------------------------------------------------------

---A file that is open for reading. It is closed only after the call that is running for it, in a thread that cannot be
---stopped, has ended: otherwise its descriptor could become that of another file meanwhile.
---@class bide.file.Reader
---@field path string
local Reader = {}
Reader.__index = Reader

---Returns a reader, which opens no file yet; it has to be closed.
---@param path string
---@return bide.file.Reader
function M.reader(path)
  return setmetatable({ path = path }, Reader)
end

local function nothing() end

local function release(reader)
  if not reader.closed or reader.busy or not reader.descriptor then return end
  uv.fs_close(reader.descriptor, nothing)
  reader.descriptor = nil
end

---Notes the end of a call for the reader.
local settle = whole(function(reader, keep, value)
  reader.busy = false
  if value and keep then keep(value) end
  release(reader)
end)

---Starts a call for the reader, and notes that it runs.
local begin = whole(function(reader, start, done)
  local request, failure = start(done)
  reader.busy = request ~= nil
  return request, failure
end)

---Does one step of the reader. `keep` gets the result even if the task no longer waits for it.
local function step(reader, keep, start)
  return call(function(done)
    return begin(reader, start, function(failure, value)
      settle(reader, keep, value)
      done(failure, value)
    end)
  end)
end

---The flags for opening. Without O_NONBLOCK a pipe without a writer would block the thread for ever.
local FLAGS = uv.constants.O_RDONLY | uv.constants.O_NONBLOCK

---@return any opened
---@return string? failure
function Reader:open()
  return step(self, function(descriptor) self.descriptor = descriptor end,
    function(done) return uv.fs_open(self.path, FLAGS, 0, done) end)
end

---Reads at most 64 KiB.
---@param position? integer otherwise where the last such read ended
---@return string? bytes "" is the end
---@return string? failure
function Reader:read(position)
  return step(self, nil, function(done) return uv.fs_read(self.descriptor, PIECE, position or -1, done) end)
end

---Returns the attributes of the file that is open, as uv.fs_stat has them.
---@return table? attributes
---@return string? failure
function Reader:attributes()
  return step(self, nil, function(done) return uv.fs_fstat(self.descriptor, done) end)
end

Reader.close = whole(function(self)
  self.closed = true
  release(self)
end)

Reader.__close, Reader.__gc = Reader.close, Reader.close -- a state may be closed with its tasks under way

return M
