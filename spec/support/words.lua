---Command lines of specs: a helper has limits and delays of its own, which one case overrides. bide refuses an option that is
---given twice.

---The options that helpers have of their own.
local may_override = {
  ["--max-wait"] = true, ["--min-delay"] = true, ["--max-delay"] = true, ["--interval"] = true, ["--seed"] = true,
  ["--quiet"] = true,
}

---@return string? name of a long option
local function option_of(word)
  local name = word and word:match "^(%-%-%l[%l-]*)=?"
  return may_override[name] and name or nil
end

---Reports whether an option is given again further on in the same part of the command line.
local function is_given_again(words, position, name)
  for after = position + 1, #words do
    if words[after] == "--" or words[after] == "+" then return false end
    if option_of(words[after]) == name then return true end
  end
  return false
end

---Returns the words without the options, and their arguments, that later words give again.
---@param words string[]
---@return string[]
return function(words)
  local kept, position, is_own = {}, 1, true
  while position <= #words do
    local word = words[position]
    is_own = is_own and word ~= "--"
    local name = is_own and option_of(word)
    local is_repeated = name and is_given_again(words, position, name)
    if not is_repeated then kept[#kept + 1] = word end
    local has_argument = is_repeated and name == word and name ~= "--quiet" and not (words[position + 1] or "-"):find "^%-"
    position = position + (has_argument and 2 or 1)
  end
  return kept
end
