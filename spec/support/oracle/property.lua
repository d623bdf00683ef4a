---A property over random cases, each of which has a seed of its own: BIDE_CASES says how many there are, BIDE_SEED
---which is the first.

local M = {}

local cases, first = tonumber(os.getenv "BIDE_CASES") or 2000, tonumber(os.getenv "BIDE_SEED") or 1

---How many specs a property is, so that none takes long.
local PARTS = 8

local function check_part(from, to, check)
  for seed = from, to do
    math.randomseed(seed)
    local mistake = check()
    if mistake then error(("BIDE_SEED=%d BIDE_CASES=1: %s"):format(seed, mistake), 2) end
  end
end

---Declares the specs of a property.
---@param it fun(title: string, f: fun())
---@param title string
---@param check fun(): string? what is wrong with a random case; nil where nothing is
function M.holds(it, title, check)
  for part = 1, PARTS do
    local from, to = first + cases * (part - 1) // PARTS, first + cases * part // PARTS - 1
    it(("%s, seeds %d to %d"):format(title, from, to), function() check_part(from, to, check) end)
  end
end

return M
