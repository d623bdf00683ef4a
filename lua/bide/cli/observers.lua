---Several observers of waits as one.

local Observers = {}
Observers.__index = Observers

local function passes(happening)
  return function(self, ...)
    for _, observer in ipairs(self) do
      if observer[happening] then observer[happening](observer, ...) end
    end
  end
end

for _, happening in ipairs { "started", "attempting", "attempted", "ended", "abandoned" } do
  Observers[happening] = passes(happening)
end

---An event that few observers see. It costs the waits of the others nothing.
local observed = passes "observed"

---@param observer table
function Observers:add(observer)
  self[#self + 1] = observer
  if observer.observed then self.observed = observed end
end

---@return table observers passes each event on to those that were added
return function() return setmetatable({}, Observers) end
