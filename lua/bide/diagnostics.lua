---What recipes and services say, where people read it: it commands no terminal.

local M = {}

---@param text string
---@return string text without control characters but for tabs and line breaks
function M.harmless(text)
  return (text:gsub("[^%C\n\t]", " "))
end

---`print` for recipes: what they say is no part of the outcome, which has standard output for itself.
function M.print(...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = tostring(words[position]) end
  io.stderr:write(M.harmless(table.concat(words, "\t")), "\n")
end

return M
