---Random numbers by a seed: the same in every process, in the sandbox too, which has no randomseed.

---@class fuzz.Random
local Random = {}
Random.__index = Random

---xorshift64*, whose state is never 0.
local function step(self)
  local x = self.state
  x = x ~ (x >> 12)
  x = x ~ (x << 25)
  x = x ~ (x >> 27)
  self.state = x
  return x * 0x2545F4914F6CDD1D
end

---@param seed integer
---@return fuzz.Random
function Random.new(seed)
  local self = setmetatable({ state = seed * 0x9E3779B97F4A7C15 + 1 }, Random)
  for _ = 1, 8 do step(self) end
  return self
end

---An integer from 1 to `most`, or from `least` to `most`.
function Random:number(least, most)
  if not most then least, most = 1, least end
  return least + (step(self) >> 11) % (most - least + 1)
end

---Whether something happens that happens once in `times`.
function Random:once_in(times)
  return self:number(times) == 1
end

---An element of a list that is not empty.
function Random:of(list)
  return list[self:number(#list)]
end

return Random
