---A library to preload that counts how often a process reads the clock of a thread (spec/support/counted_reads.c).

local process = require "spec.support.process"

---@class spec.CountedReads
---@field environment table<string, string> for the process that is to be counted
---@field private file string
local CountedReads = {}
CountedReads.__index = CountedReads

---Builds the library in the folder of a workspace.
---@param workspace spec.Workspace
---@return spec.CountedReads
function CountedReads.make(workspace)
  local library, file = workspace.path .. "/counted_reads.so", workspace.path .. "/reads"
  local done = process.run({ os.getenv "CC" or "cc", "-shared", "-fPIC", "-o", library, "spec/support/counted_reads.c" },
    { tool = true })
  assert(done.code == 0, done.stderr)
  local preload = os.getenv "LD_PRELOAD"
  return setmetatable({ file = file, environment = { COUNTED_READS = file,
    LD_PRELOAD = preload and preload .. ":" .. library or library } }, CountedReads)
end

---@return integer
function CountedReads:count()
  local handle <close> = assert(io.open(self.file, "rb"))
  return (("<I2"):unpack(handle:read "a"))
end

return CountedReads
