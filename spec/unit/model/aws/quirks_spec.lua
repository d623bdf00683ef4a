---The ids of services that have something of their own: one that was misspelt was found by nothing.

local aws = require "bide.aws"
local json = require("bide.core").json
local uv = require "luv"

---Returns the ids of all packed services.
local function packed_ids()
  local ids, folder = {}, assert(uv.fs_scandir "scripts/aws")
  for name in function() return uv.fs_scandir_next(folder) end do
    local file <close> = assert(io.open("scripts/aws/" .. name))
    local data = name:find "%.json$" and json.decode(file:read "a") or {}
    for _, shape in pairs(data.shapes or {}) do
      local trait = shape.type == "service" and shape.traits["aws.api#service"]
      if trait then ids[trait.sdkId] = true end
    end
  end
  return ids
end

describe("what is of one service only", function()
  local ids

  setup(function() ids = packed_ids() end)

  it("is of services that there are", function()
    assert.is_true(#aws.quirks > 0)
    for _, quirk in ipairs(aws.quirks) do
      assert(ids[quirk.id], ("no packed service has the id %q"):format(quirk.id))
    end
  end)
end)
