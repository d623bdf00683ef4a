---Records moments for another process: the wall clock, and the uptime of the machine, which shows whether the wall clock
---was set meanwhile.

local core = require "bide.core"
local duration = require "bide.text.duration"
local luv = require "luv"

local M = {}

---In milliseconds, the least difference that counts as a jump: the clocks are read one after the other, and are slewed.
local TOLERANCE = 3000

---@class bide.Moment
---@field wall integer milliseconds since 1970
---@field boot string? the identifier of the machine's start, if the system has one
---@field uptime integer milliseconds since then

local boot

---Returns the identifier of the machine's start, which is read once, since no process survives a new start.
local function boot_id()
  if boot == nil then
    local handle = io.open("/proc/sys/kernel/random/boot_id")
    boot = handle and handle:read("l") or false
    if handle then handle:close() end
  end
  return boot or nil
end

---@return bide.Moment
function M.now()
  return { wall = core.loop.wall(), boot = boot_id(), uptime = duration.of_seconds(luv.uptime()) }
end

---Returns the time since a moment, by the wall clock, the only one that runs while a machine is off. If the wall clock was
---set meanwhile, returns that as well, and the time by the uptime; if the machine was also restarted, that is 0.
---@param moment bide.Moment
---@param now? bide.Moment
---@return integer milliseconds
---@return string? jump
function M.since(moment, now)
  now = now or M.now()
  local wall = now.wall - moment.wall
  local is_same_boot = moment.boot ~= nil and moment.boot == now.boot
  local up = is_same_boot and now.uptime - moment.uptime or wall
  local jump = is_same_boot and wall - up or math.min(wall, 0)
  if math.abs(jump) <= TOLERANCE then return math.max(wall, 0) end
  local size = duration.format((math.abs(jump) + 500) // 1000 * 1000)
  return math.max(is_same_boot and up or 0, 0), ("the wall clock was set %s by %s%s"):format(
    jump > 0 and "forward" or "back", size, is_same_boot and "" or " or more")
end

return M
