---Kebab case, in which AWS's own tools name waiters: `stack-create-complete` is StackCreateComplete.

local M = {}

---Reports whether a word is in kebab case, and in no other form that a word may have.
---@param word string
---@return boolean
function M.is_kebab(word)
  return word:find "^%l[%l%d]*%-[%l%d%-]*$" ~= nil
end

---Returns the name that a word in kebab case means: names that differ only in the case of letters are equal.
---@param word string
---@param names string[]
---@return string?
function M.find(word, names)
  if not word:find "^%l[%l%d%-]*$" then return nil end
  local wanted = word:gsub("%-", "")
  for _, name in ipairs(names) do
    if name:lower() == wanted then return name end
  end
end

---Returns a name in kebab case: "stack-create-complete", "db-instance-available".
---@param name string
---@return string
function M.to_kebab(name)
  return (name:gsub("([%l%d])(%u)", "%1-%2"):gsub("(%u)(%u%l)", "%1-%2"):lower())
end

---Returns a word in kebab case as a name, with the capitals that the hyphens give: "StackCreateComplete".
---@param word string
---@return string
function M.from_kebab(word)
  if not M.is_kebab(word) then return word end
  return (word:gsub("^%l", string.upper):gsub("%-+(%w?)", string.upper))
end

return M
