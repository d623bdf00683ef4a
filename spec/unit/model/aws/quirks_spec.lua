---What services have of their own: an id that was misspelt was found by nothing, nor a quirk that no case held.

local aws = require "bide.aws"
local json = require("bide.core").json
local model = require "bide.model"
local protocol = require "bide.model.protocol.service"
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

---@class spec.QuirkCase
---@field [1] string the name of the packed service
---@field [2] string the operation
---@field [3] table its input
---@field path string? of the request with the quirk, if it changes that
---@field headers table<string, string>? that it adds

---A request by the id of the service, for each quirk of it.
---@type table<string, spec.QuirkCase[]>
local cases = {
  ["Route 53"] = { { "route53", "GetChange", { Id = "/change/C1" }, path = "/2013-04-01/change/C1" } },
  Glacier = { { "glacier", "DescribeVault", { accountId = "-", vaultName = "v" },
    headers = { ["X-Amz-Glacier-Version"] = "2012-06-01" } } },
  S3 = { { "s3", "HeadObject", { Bucket = "b", Key = "k" }, path = "/k" } },
}

---Reports whether a quirk makes the request of a case what it has to be.
---@param quirk bide.aws.Quirk
---@param case spec.QuirkCase
local function changes(quirk, case)
  local opened = assert(model.open("aws:" .. case[1]))
  local operation = assert(opened:operation(case[2]))
  local request = operation:request(case[3])
  local before = request.path
  local edit = quirk.edit(assert(protocol.of(opened, operation)).shape, operation, true)
  if edit then edit(request) end
  for name, value in pairs(case.headers or {}) do
    if request.headers[name] ~= value then return false end
  end
  return case.path == nil or before ~= case.path and request.path == case.path
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

  it("changes the request of a case of its own", function()
    local next_of = {}
    for _, quirk in ipairs(aws.quirks) do
      next_of[quirk.id] = (next_of[quirk.id] or 0) + 1
      local case = (cases[quirk.id] or {})[next_of[quirk.id]]
      assert(case, ("no case holds a quirk of %s"):format(quirk.id))
      assert(changes(quirk, case), ("%s %s is not what the quirk makes of it"):format(case[1], case[2]))
    end
  end)
end)
