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

for _, happening in ipairs { "started", "attempting", "ended", "abandoned" } do Observers[happening] = passes(happening) end

---The events that few observers see. They cost the waits of the others nothing.
local rare = { concluded = passes "concluded", attempted = passes "attempted" }

---@param observer table
---@param position integer? where events come first; at the end by default
function Observers:add(observer, position)
  table.insert(self, position or #self + 1, observer)
  for happening, pass in pairs(rare) do
    if observer[happening] then self[happening] = pass end
  end
end

---Returns the observer of waits: the one that was added, if it is alone, or all of them as one; nil if there is none.
---@return table?
function Observers:as_one()
  return #self > 1 and self or self[1]
end

---@return table observers passes each event on to those that were added
return function() return setmetatable({}, Observers) end
