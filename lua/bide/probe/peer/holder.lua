---Holds the connection that is being opened, and closes it unless it is released: `local holder <close> = new_holder()`.

local core = require "bide.core"

---@class bide.peer.Holder
---@field raw bide.peer.Connection?
local Holder = {}
Holder.__index = Holder

Holder.release = core.task.whole(function(self)
  if self.raw then self.raw:__close() end
  self.raw = nil
end)

Holder.__close = Holder.release

---@return bide.peer.Holder
return function() return setmetatable({}, Holder) end
