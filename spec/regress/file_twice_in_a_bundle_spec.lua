---A manifest of a bundle that named a file twice was taken, and the last text of it ran. bide makes no such manifest: what a
---reader of the first line trusts would not be what runs.

local bundle = require "bide.record.store.bundle"
local core = require "bide.core"
local digest = require "bide.digest"

describe("a bundle", function()
  ---@param files { [1]: string, [2]: string }[] names and texts
  local function unpack(files)
    local lines, texts = { "bide-recipe 1 main=jobs.lua" }, {}
    for position, file in ipairs(files) do
      lines[position + 1] = ("%s %d %s"):format(core.text.hex(digest.sha256(file[2])), #file[2], file[1])
      texts[position] = file[2]
    end
    local manifest = table.concat(lines, "\n") .. "\n"
    return bundle.unpack { manifest = manifest, digest = digest.sha256(manifest), files = table.concat(texts) }
  end

  it("has each file once", function()
    assert.is_table(unpack { { "jobs.lua", "return 1" }, { "helper.lua", "return 2" } })
    for _, again in ipairs { "jobs.lua", "helper.lua" } do
      local files = { { "jobs.lua", "return 1" }, { "helper.lua", "return 2" }, { again, "return 3" } }
      assert.same({ nil, "its manifest is broken", n = 2 }, table.pack(unpack(files)))
    end
  end)
end)
