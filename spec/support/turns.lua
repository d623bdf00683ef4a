---Turns of the loop, in which the servers of a spec answer and bide's tasks go on.

local core = require "bide.core"

local loop = core.loop

local M = {}

---Turns the loop for some milliseconds.
---@param milliseconds number
function M.pass(milliseconds)
  local is_over = false
  local alarm = loop.alarm(function() is_over = true end)
  alarm:start(loop.update() + math.ceil(milliseconds))
  while not is_over do loop.turn() end
end

---How long something that is no event can hold before it is seen.
local LOOK = 5 -- milliseconds

---Turns the loop until something holds; fails if it does not within some seconds.
---@param holds fun(): any
---@param seconds? number 60 otherwise
function M.await(holds, seconds)
  local alarm, deadline = loop.alarm(function() end), loop.update() + math.ceil((seconds or 60) * 1000)
  while not holds() do
    assert(loop.now() < deadline, "it did not happen in time")
    alarm:start(loop.now() + LOOK)
    loop.turn()
  end
  alarm:stop()
end

return M
