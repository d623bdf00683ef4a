---docs/recipes has what `make pages` writes: the pages are what the recipes declare.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local recipe_path = require "bide.recipe.file.path"

local ADVICE = "run make pages"

local function read(name)
  local file = io.open(("docs/recipes/%s.md"):format(name))
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function list(...)
  return process.run({ process.bide, "list", "--output", "markdown", ... }, { env = { BIDE_PATH = false } }).stdout
end

describe("docs/recipes", function()
  it("is linked from docs/recipes.md, which has the waiters of each recipe", function()
    local count, rows = 0, {}
    for line in io.lines "docs/recipes.md" do
      local name, page = line:match "^| %[`([%w_]+)`%]%((recipes/[%w_]+%.md)%)"
      if name then rows[name] = page == ("recipes/%s.md"):format(name) and line or nil end
    end
    for name, waiters in list():gmatch "\n| %[`([%w_]+)`%]%([^)]*%) | ([^|]*) |" do
      count = count + 1
      for waiter in waiters:gmatch "`%w+`" do assert.matches(waiter, assert(rows[name], name), 1, true) end
    end
    assert.equal(#recipe_path.names(), count)
  end)

  it("has no page of anything else", function()
    local known = {}
    for _, name in ipairs(recipe_path.names()) do known[name] = true end
    for file in io.popen("ls docs/recipes"):lines() do assert.is_true(known[file:match "^(.*)%.md$"], file) end
  end)

  for _, name in ipairs(recipe_path.names()) do
    it("has the page of " .. name, function() assert.equal(list(name), read(name), ADVICE) end)
  end
end)

describe("a page of a recipe", function()
  it("has its words, waiters and inputs, with the marks of a table escaped", function()
    local workspace = Workspace.make()
    local page = list(workspace:write("it.lua", [[
---Waits until it is there.
---
---    bide run it

return { Get = { call = function() end, input = { way = { type = "string", documentation = "a | b" } }, waitable = {
  Ready = { documentation = "Waits until it is.", acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]))
    workspace:remove()
    assert.matches("\n\nWaits until it is there.\n\n```sh\nbide run it\n```\n\n## Waiters\n", page, 1, true)
    assert.matches("| `Ready` | Waits until it is. |  | 2 s to 2 m |", page, 1, true)
    assert.matches("| `way` | string | a \\| b |", page, 1, true)
  end)
end)
