---The pages of docs/api have what public modules have. `make lint` compares them with the annotations.

local api = require "spec.api.pages"
local registry = require "bide.text.registry"

describe("the pages of docs/api", function()
  local pages = api.all()

  it("have a heading for each function of a module's own file", function()
    for _, module in ipairs(registry.names()) do
      local name, found = module:gsub("^bide%.", ""), require(module)
      for member, value in pairs(type(found) == "table" and found or {}) do
        local source = type(value) == "function" and debug.getinfo(value, "S").source or ""
        local is_own = source:find(name:gsub("%.", "/") .. ".lua", 1, true)
        local heading = ("\n## `%s.%s("):format(name:match "[^.]*$", member)
        assert(not is_own or pages[name .. ".md"]:find(heading, 1, true), ("%s.%s has no annotation"):format(module, member))
      end
    end
  end)

  it("show of shared types what public functions take and give", function()
    local types = pages["types.md"]
    for _, name in ipairs { "WaiterOfRecipe", "WaiterOfOperation", "WaiterOfStructure", "Beyond", "ModelSource", "AppliedTraits",
      "FindTakers", "RetryPolicy", "SendPolicy", "Conditions", "Vocabulary", "protocol.Service" } do
      assert.is_nil(types:find("bide." .. name .. "`", 1, true), name)
    end
    assert.matches("\n### `bide.Waiter`\n.-\n| `name` | `string` |", types)
  end)
end)
