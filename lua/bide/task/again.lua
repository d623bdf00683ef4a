---Tries again after pauses: the loop of pollers, retries, locks and all else that a task repeats. A wait has no such loop,
---since it sleeps without a task.
---
---    return again(function()
---      local answer = ask()
---      if answer then return nil, answer end
---      return 50
---    end)

local await = require "bide.task.await"
local loop = require("bide.core").loop

local function continue(f, pause, ...)
  if not pause then return ... end
  await(loop.update() + pause)
  return continue(f, f())
end

---@param f fun(): integer?, ... tries, and returns the milliseconds until it is called again; or nil, and the results
---@return any ... the results
return function(f)
  return continue(f, f())
end
