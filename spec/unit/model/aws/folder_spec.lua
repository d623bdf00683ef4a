---A folder with packed data: what its index says of a service, whether all of the index is read for it or not.

local folder = require "bide.model.aws.folder"
local json = require("bide.core").json
local Directory = require "spec.support.directory"

describe("a folder of packed data", function()
  local directory = Directory.of_block()

  local function facts_of(index, service)
    directory:write("index.json", index)
    local opened = folder.open(directory.path)
    return opened and opened:facts(service)
  end

  it("says of each service of bide's own what its index has", function()
    local file <close> = assert(io.open "scripts/aws/index.json")
    local index = json.decode(file:read "a")
    local opened = folder.open "scripts/aws"
    for service, facts in pairs(index.services) do assert.same(facts, opened:facts(service), service) end
    assert.same({ nil, index.botocore }, { opened.index, opened.version })
    assert.is_nil(opened:facts "ac")
    assert.is_nil(opened:facts "apiVersion")
  end)

  it("has an index of any form", function()
    local facts = { apiVersion = "1", fullName = 'The "}" Service {', waiters = { X = { operation = "Y" } } }
    local written = json.encode(facts)
    for _, index in ipairs {
      ('{"services": {"things": %s}}'):format(written), ('{"services":{\n"things":%s\n}}'):format(written),
      ('{\n"botocore":"1.2.3",\n"services":{\n"things":%s\n}\n}\n'):format(written),
      ('{\n"botocore":"1.2.3",\n"services":{\n"other":{\n"things":{}\n},\n"things":%s\n}\n}\n'):format(written),
    } do
      assert.same(facts, facts_of(index, "things"), index)
      assert.is_nil(facts_of(index, "other"))
    end
  end)

  it("has no service whose facts are broken", function()
    for _, facts in ipairs { "{", "{}", "5", '{"apiVersion": "1", "waiters": {}}', '{"apiVersion": 1, "waiters": {"X": {}}}',
      '{"apiVersion": "1", "waiters": {"X": 5}}' } do
      assert.is_nil(facts_of(('{\n"botocore":"1.2.3",\n"services":{\n"things":%s\n}\n}\n'):format(facts), "things"), facts)
    end
  end)
end)
