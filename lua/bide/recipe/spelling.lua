---Kebab case, in which AWS's own tools name waiters: `stack-create-complete` is StackCreateComplete. boto3 has them in snake
---case: `stack_create_complete`.

local M = {}

---Reports whether a word is in kebab case or in snake case, and in no other form that a word may have.
---@param word string
---@return boolean
function M.is_spelled(word)
  return word:find "^%l[%l%d]*[-_][%l%d_-]*$" ~= nil
end

---Returns the name that a word in kebab case or in snake case means: names that differ only in the case of letters are equal.
---@param word string
---@param names string[]
---@return string?
function M.find(word, names)
  if not word:find "^%l[%l%d_-]*$" then return nil end
  local wanted = word:gsub("[-_]", "")
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

---Returns a word in kebab case or in snake case as a name, with the capitals that the hyphens or the underscores give:
---"StackCreateComplete".
---@param word string
---@return string
function M.to_name(word)
  if not M.is_spelled(word) then return word end
  return (word:gsub("^%l", string.upper):gsub("[-_]+(%w?)", string.upper))
end

return M
