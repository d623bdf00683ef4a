---Every wall of the page on security names specs, and they exist.

local uv = require "luv"

local function rows()
  local list = {}
  local section = assert(io.open "docs/security.md"):read("a"):match "\n## The walls\n(.-)\n## "
  for wall, specs in section:gmatch "\n| ([^|]+) | [^|]+ | ([^|]*`[^|]+) |" do list[#list + 1] = { wall, specs } end
  return list
end

describe("docs/security.md", function()
  it("has walls", function() assert.is_true(#rows() >= 10) end)

  for _, row in ipairs(rows()) do
    it("names specs that exist for " .. row[1], function()
      local count = 0
      for file in row[2]:gmatch "`(spec/[%w_/.]+)`" do
        count = count + 1
        assert.is_truthy(uv.fs_stat(file), file)
      end
      assert.is_true(count > 0)
    end)
  end
end)
