---The pages of recipes in Markdown, from what bide.cli.help.manual says of them: one a recipe, and one that lists them. `make
---pages` writes those of the bundled recipes into docs/recipes.

local limits = require "bide.recipe.waiter.limits"
local manual = require "bide.cli.help.manual"
local tables = require "bide.text.tables"

local M = {}

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

local function row(...)
  local cells = { ... }
  for position, cell in ipairs(cells) do cells[position] = cell:gsub("|", "\\|") end
  return ("| %s |"):format(table.concat(cells, " | "))
end

local function code(text)
  return ("`%s`"):format(text)
end

---Adds the comment at the head of the recipe; its indented lines are examples.
local function add_header(lines, file)
  local is_code = false
  for _, line in ipairs(manual.header(file)) do
    local example = line:match "^%s%s+(.*)$"
    if (example ~= nil) ~= is_code then add(lines, is_code and "```" or "```sh") end
    is_code = example ~= nil
    add(lines, example or line)
  end
  if is_code then add(lines, "```") end
end

local function add_waiters(lines, recipe)
  add(lines, "## Waiters", "", row("waiter", "waits", "opposite", "delays"), "|---|---|---|---|")
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local mark = name == recipe.default and #recipe.names > 1 and " (default)" or ""
    add(lines, row(code(name) .. mark, manual.first_sentence(waiter.documentation), waiter.opposite and code(waiter.opposite)
      or "", limits.describe_delays(waiter)))
  end
end

---Returns the words for what cannot be known of something that is gone: whether it ever was.
---@param name string
---@param waiter bide.Waiter
---@return string
local function doubt_of(name, waiter)
  if not waiter.definition.countsAsGone or not (name:find "Gone$" or name:find "Deleted$") then return "" end
  return waiter.opposite and (" What never was counts, too: %s finds a wrong name beforehand."):format(code(waiter.opposite))
    or " What never was counts, too."
end

---Adds a line for each waiter whose recipe says by what it knows that its state is reached.
local function add_witnesses(lines, recipe)
  local is_first = true
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local witness = waiter.witness
    if witness and is_first then add(lines, "") end
    if witness then add(lines, ("- %s. %s%s"):format(code(name), witness, doubt_of(name, waiter))) end
    is_first = is_first and not witness
  end
end

local function add_inputs(lines, recipe)
  local groups = manual.groups(recipe)
  for _, group in ipairs(groups) do
    add(lines, "", #groups == 1 and "## Inputs" or "## Inputs of " .. table.concat(group.waiters, ", "), "")
    if group.declared then
      add(lines, row("input", "type", "meaning"), "|---|---|---|")
      for _, input in ipairs(manual.input_rows(group.declared)) do
        add(lines, row(code(input.name), input.traits, input.documentation))
      end
    else
      add(lines, "Any: the recipe declares none.")
    end
  end
end

---Returns the lines of a recipe's page.
---@param name string
---@param recipe bide.Recipe
---@return string[]
function M.page(name, recipe)
  local lines = { "# " .. code(name), "" }
  add_header(lines, recipe.file)
  add(lines, "")
  add_waiters(lines, recipe)
  add_witnesses(lines, recipe)
  add_inputs(lines, recipe)
  local waiter = recipe.waiters[recipe.default or recipe.names[1]]
  add(lines, "", "## Example", "", "```sh", manual.example(name, recipe, waiter), "```")
  return lines
end

---Returns the lines that begin the list of pages.
---@return string[]
function M.list_head()
  return { "# The pages of the recipes", "", row("recipe", "its waiters"), "|---|---|" }
end

---Returns the row of a recipe in the list of pages.
---@param name string
---@param recipe bide.Recipe
---@return string
function M.list_row(name, recipe)
  return row(("[%s](%s.md)"):format(code(name), name), table.concat(tables.mapped(recipe.names, code), ", "))
end

return M
