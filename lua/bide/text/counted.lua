---Returns a number of things in words: `1 attempt`, `2 attempts`.
---@param count integer
---@param noun string for one of them
---@return string
return function(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end
