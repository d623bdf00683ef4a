---The nearest of some names to one that was mistyped, for "did you mean".

---The number of single edits (insert, delete, replace, swap of neighbours) that
---turn one text into the other, whatever their case.
local function distance(a, b)
  local before, previous = {}, {}
  for j = 0, #b do previous[j] = j end
  for i = 1, #a do
    local current = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      current[j] = math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        current[j] = math.min(current[j], before[j - 2] + 1)
      end
    end
    before, previous = previous, current
  end
  return previous[#b]
end

---Names longer than this are not worth the comparison, which takes their product.
local LONGEST = 100

---Returns the nearest candidate, nil where none is near enough: a third of the
---name may be wrong, in a short name one letter.
---@param name string
---@param candidates string[]
---@return string?
return function(name, candidates)
  local wanted = name:lower()
  local best, least = nil, math.max(1, #name // 3) + 1
  if #name > LONGEST then return nil end
  for _, candidate in ipairs(candidates) do
    if math.abs(#candidate - #name) < least then
      local edits = distance(wanted, candidate:lower())
      if edits < least then best, least = candidate, edits end
    end
  end
  return best
end
