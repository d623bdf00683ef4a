---The library that fails chosen allocations of bide where it is preloaded (spec/sweep/allocations.c).

local process = require "spec.support.process"

local M = {}

---Why no allocation can be made to fail here; nil where it can.
M.lack = process.is_sanitized and "the sanitizer's library must come before the one that fails allocations"
  or process.is_static and process.NO_PRELOAD or nil

M.REPORT_SIZE = 8192
local TEXT_SIZE = (M.REPORT_SIZE - 16) // 2

local library

---@return string path of the library
function M.library()
  if not library then
    assert(os.execute "make -s build/sweep/allocations.so >&2")
    library = assert(require("luv").fs_realpath "build/sweep/allocations.so")
  end
  return library
end

---Runs bide while its allocation of that number fails, and the next as well.
---@param workspace spec.Workspace
---@param words string[]
---@param callers "own"|"libraries"|"crypto"
---@param number integer 0 for none
---@return spec.Process
---@return spec.AllocationReport
function M.run(workspace, words, callers, number)
  local report = workspace:write("report", ("\0"):rep(M.REPORT_SIZE))
  local done = workspace:bide(words, { env = {
    LD_PRELOAD = M.library(), SWEEP_REPORT = report, SWEEP_OF = callers, SWEEP_AT = tostring(number), SWEEP_MODE = "twice",
  } })
  local read = M.read_report(workspace:read "report")
  assert(read.counted > 0, "no allocation was counted")
  return done, read
end

---@class spec.AllocationReport
---@field counted integer how many were counted
---@field failed integer how many of them failed
---@field failed_at string the stack of the first that failed
---@field crashed_at string the signal that ended the program, and the stack; "" where none did

---@param bytes string of the report file
---@return spec.AllocationReport
function M.read_report(bytes)
  local counted, failed, place = string.unpack("<I8I8", bytes)
  return {
    counted = counted, failed = failed, failed_at = string.unpack("z", bytes, place),
    crashed_at = string.unpack("z", bytes, place + TEXT_SIZE),
  }
end

return M
