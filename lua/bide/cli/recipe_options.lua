---Options that a recipe declares for its inputs: with `option = "-l --selector"`, `-l app=web` is the word
---`selector=app=web`. They are looked up only if the command line has an option that bide itself does not know.

local bide = require "bide"
local process = require "bide.cli.process"

local M = {}

---Returns the names of inputs by their options.
---@param recipe string
---@return table<string, string>
local function declared(recipe)
  process.restrain_recipes()
  local loaded, names = bide.load(recipe), {}
  for _, waiter in pairs(loaded and loaded.waiters or {}) do
    for name, member in pairs(waiter.inputs or {}) do
      for option in (member.option or ""):gmatch "%S+" do names[option] = name end
    end
  end
  return names
end

---Returns the options that a recipe declares as words of its input. The others stay as they are.
---@param given bide.cli.Given[] options that bide does not know
---@param recipe string
---@return string[] words
function M.translate(given, recipe)
  local names, words = declared(recipe), {}
  for _, option in ipairs(given) do
    local name, text = names[option.name], option.words[1]:match "^%-%-[^=]+=(.*)$" or option.words[2]
    if name and text then
      words[#words + 1] = ("%s=%s"):format(name, text)
    else
      table.move(option.words, 1, #option.words, #words + 1, words)
    end
  end
  return words
end

return M
