---Runs a property over random cases, each of which has a seed of its own: BIDE_CASES says how many there are,
---BIDE_SEED the first.

local M = {}

local cases, first = tonumber(os.getenv "BIDE_CASES") or 4000, tonumber(os.getenv "BIDE_SEED") or 1

---@param check fun(): string? what is wrong with a random case; nil where nothing is
function M.holds(check)
  for seed = first, first + cases - 1 do
    math.randomseed(seed)
    local mistake = check()
    if mistake then error(("BIDE_SEED=%d BIDE_CASES=1: %s"):format(seed, mistake), 2) end
  end
end

return M
