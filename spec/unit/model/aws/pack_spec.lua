local core = require "bide.core"
local model = require "bide.model"
local reader = require "bide.model.assembly.reader"
local pack = require "bide.model.aws.pack"
local Directory = require "spec.support.directory"

local json = core.json

local service = [[{
  "version": "2.0", "documentation": "<p>Things.</p>",
  "metadata": {"apiVersion": "2020-02-02", "serviceFullName": "The Thing Service", "serviceId": "Things", "protocol": "json"},
  "operations": {
    "DeleteThing": {"name": "DeleteThing", "input": {"shape": "Deletion"}},
    "GetThing": {"name": "GetThing", "documentation": "<p>Gets one.</p>", "http": {"method": "POST", "requestUri": "/"},
      "input": {"shape": "Request"}, "output": {"shape": "Answer", "resultWrapper": "Result"},
      "errors": [{"shape": "Missing", "documentation": "<p>No.</p>"}], "staticContextParams": {"Kind": {"value": "a"}}}
  },
  "shapes": {
    "Deletion": {"type": "structure", "members": {}},
    "Request": {"type": "structure", "required": ["documentation"], "documentation": "<p>Asks.</p>", "members": {
      "documentation": {"shape": "Text", "documentation": "<p>A member.</p>", "contextParam": {"name": "Bucket"}},
      "Size": {"shape": "Size", "deprecated": true}}},
    "Answer": {"type": "structure", "members": {"Things": {"shape": "Things"}, "Size": {"shape": "Size"},
      "State": {"shape": "State"}}},
    "Things": {"type": "list", "member": {"shape": "Thing", "locationName": "item"}},
    "Thing": {"type": "structure", "members": {"Parent": {"shape": "Thing"}, "Tags": {"shape": "Tags"}}},
    "Tags": {"type": "map", "key": {"shape": "Text"}, "value": {"shape": "Text"}},
    "Text": {"type": "string", "pattern": ".*", "max": 9},
    "Size": {"type": "string", "enum": ["S", "L"]},
    "State": {"type": "string", "enum": ["ON", "OFF"]},
    "Missing": {"type": "structure", "members": {}, "exception": true, "error": {"code": "NoThing", "httpStatusCode": 404}},
    "Unused": {"type": "string"}
  }
}]]

local waiters = [[{"version": 2, "waiters": {"ThingReady": {"operation": "GetThing", "delay": 2, "maxAttempts": 3,
  "description": "Waits for a thing.",
  "acceptors": [{"state": "success", "matcher": "path", "argument": "State", "expected": "ON", "comment": "Done."},
    {"state": "retry", "matcher": "error", "expected": false}]}}}]]

local rules = [[{"version": "1.0", "parameters": {"Region": {"type": "string", "documentation": "<p>Where.</p>"}},
  "rules": [{"documentation": "Everywhere", "conditions": [], "endpoint": {"url": "https://things"}, "type": "endpoint"}]}]]

---No waiters of Smithy models.
local none = { services = {} }

describe("packing botocore's data", function()
  local directory = Directory.of_each()

  local function write(name, text)
    directory:write(name, text)
  end

  before_each(function()
    os.execute(("mkdir -p %s/data/things/2019-01-01 %s/data/things/2020-02-02 %s/data/idle/2020-01-01")
      :format(directory.path, directory.path, directory.path))
    write("__init__.py", "import os\n\n__version__ = '1.99.3'\n")
    write("data/partitions.json", '{"partitions": [], "version": "1.1"}')
    write("data/things/2019-01-01/service-2.json", '{"operations": {}}')
    write("data/things/2020-02-02/service-2.json", service)
    write("data/things/2020-02-02/waiters-2.json", waiters)
    write("data/things/2020-02-02/endpoint-rule-set-1.json", rules)
    write("data/idle/2020-01-01/service-2.json", '{"operations": {}}')
    write("data/idle/2020-01-01/waiters-2.json", '{"version": 2, "waiters": {}}')
  end)

  ---The names of the shapes of a packed service, but the service itself, sorted.
  local function names_of(things)
    local names = {}
    for id, shape in pairs(things.shapes) do
      if shape.type ~= "service" then names[#names + 1] = id:match "^botocore#(.*)$" end
    end
    table.sort(names)
    return names
  end

  ---Packs the folder.
  local function packed()
    local texts, found = pack.folder(directory.path .. "/data", none)
    assert(texts, found)
    return texts, texts["things.json"] and json.decode(texts["things.json"])
  end

  it("writes a file for each service with waiters, an index, the partitions and a notice", function()
    local texts, count = pack.folder(directory.path .. "/data/", none)
    assert.equal(1, count)
    assert.same({ "NOTICE", "index.json", "partitions.json", "smithy.json", "things.json" },
      require("bide.text.option").sorted_names(texts))
    assert.same({ botocore = "1.99.3", services = { things = { apiVersion = "2020-02-02", fullName = "The Thing Service",
      waiters = { ThingReady = { operation = "GetThing", delay = 2, maxAttempts = 3 } } } } }, json.decode(texts["index.json"]))
    assert.matches("botocore 1.99.3", texts.NOTICE, 1, true)
    assert.same({ partitions = {}, version = "1.1" }, json.decode(texts["partitions.json"]))
  end)

  it("keeps the waited operations with what they reach, as a JSON AST", function()
    local _, things = packed()
    assert.same({ "Answer", "GetThing", "Missing", "Request", "Size", "State", "Tags", "Text", "Thing", "Things" },
      names_of(things))
    assert.equal("2.0", things.smithy)
    local operation = things.shapes["botocore#GetThing"]
    assert.same({ target = "botocore#Answer" }, operation.output)
    assert.same({ { target = "botocore#Missing" } }, operation.errors)
    assert.same({ Kind = { value = "a" } }, operation.traits["smithy.rules#staticContextParams"])
    assert.same({ code = "NoThing", httpResponseCode = 404 },
      things.shapes["botocore#Missing"].traits["aws.protocols#awsQueryError"])
    assert.same({ target = "botocore#Thing", traits = { ["smithy.api#jsonName"] = "item", ["smithy.api#xmlName"] = "item" } },
      things.shapes["botocore#Things"].member)
  end)

  it("has the service with its endpoint rules, and how long botocore waits", function()
    write("data/things/2020-02-02/service-2.json",
      (service:gsub('"protocol": "json"', '%0, "signatureVersion": "v4", "endpointPrefix": "things"')))
    local _, things = packed()
    local found = things.shapes["botocore#ThingsService"] -- the name of the service is that of another shape
    assert.equal("2020-02-02", found.version)
    assert.same({ { target = "botocore#GetThing" } }, found.operations)
    assert.same({ name = "things" }, found.traits["aws.auth#sigv4"])
    assert.equal("https://things", found.traits["smithy.rules#endpointRuleSet"].rules[1].endpoint.url)
    assert.same({ botocore = { longestWaits = { ThingReady = 6 } } }, things.metadata)
  end)

  it("keeps no documentation, but members of that name", function()
    local texts, things = packed()
    for name, text in pairs(texts) do
      assert.is_nil(name ~= "NOTICE" and (text:find "<p>" or text:find "Waits for") or nil, name)
    end
    assert.equal("botocore#Text", things.shapes["botocore#Request"].members.documentation.target)
    assert.same({ ThingReady = { minDelay = 2, maxDelay = 120, acceptors = {
      { state = "success", matcher = { output = { path = "State", comparator = "stringEquals", expected = "ON" } } },
      { state = "retry", matcher = { success = true } } } } },
      things.shapes["botocore#GetThing"].traits["smithy.waiters#waitable"])
  end)

  it("keeps the values of an enumeration only where an input has it", function()
    local _, things = packed()
    assert.same({ { value = "S" }, { value = "L" } }, things.shapes["botocore#Size"].traits["smithy.api#enum"])
    assert.is_nil(things.shapes["botocore#State"].traits)
  end)

  it("reads files that are compressed", function()
    local plain = packed()
    os.execute(("gzip %s/data/things/2020-02-02/*-2.json && gunzip %s/data/things/2020-02-02/waiters-2.json.gz")
      :format(directory.path, directory.path))
    assert.same(plain, (packed()))
  end)

  it("gives the same text for the same data", function()
    local texts = packed()
    assert.same(texts, (packed()))
  end)

  it("gives a model of the kind that botocore's own files are", function()
    local texts = packed()
    local file = directory.path .. "/data/things/2020-02-02/waiters-2.json"
    local there, here = reader.of_botocore(file, waiters, service), model.of_texts { { file = "things.json",
      text = texts["things.json"] } }
    assert.same({}, here.problems)
    assert.same({ there.is_botocore, there.longest_waits, there:waitable_ids() },
      { here.is_botocore, here.longest_waits, here:waitable_ids() })
    assert.same({ ThingReady = 6 }, here.longest_waits)
  end)

  it("writes lines that are short, where they can be broken", function()
    for name, text in pairs(packed()) do
      for line in (name:find "%.json$" and text or ""):gmatch "[^\n]+" do assert.is_true(#line <= 121, name .. ": " .. line) end
    end
  end)

  it("names the file that it cannot read", function()
    local path = directory.path .. "/data/things/2020-02-02/"
    write("data/things/2020-02-02/waiters-2.json", (waiters:gsub("GetThing", "GetNothing")))
    assert.same({ nil, path .. "waiters-2.json: ThingReady.operation: expected an operation of the service, "
      .. 'found "GetNothing", did you mean "GetThing"?' }, { pack.folder(directory.path .. "/data", none) })
    write("data/things/2020-02-02/waiters-2.json", '{"waiters":\n x}')
    local _, mistake = pack.folder(directory.path .. "/data", none)
    assert.matches("waiters-2.json:2:2: ", mistake, 1, true)
    write("data/things/2020-02-02/waiters-2.json", waiters)
    os.remove(path .. "service-2.json")
    write("data/things/2020-02-02/service-2.json.gz", "not compressed")
    _, mistake = pack.folder(directory.path .. "/data", none)
    assert.matches("service-2.json.gz: gzip: ", mistake, 1, true)
    os.remove(path .. "service-2.json.gz")
    write("data/things/2020-02-02/service-2.json", '{"metadata": {}, "operations": []}')
    assert.same({ nil, path .. "service-2.json: operations: expected an object, found a list" },
      { pack.folder(directory.path .. "/data", none) })
  end)

  it("names what is wrong in broken data", function()
    local place = directory.path .. "/data/things/2020-02-02/"
    for _, case in ipairs {
      { "waiters-2.json", '{"waiters": 5}', "waiters: expected an object, found 5" },
      { "waiters-2.json", '{"waiters": {"X": 5}}', "X: expected a waiter, found 5" },
      { "waiters-2.json", '{"waiters": {"X": {"operation": "GetThing", "acceptors": [5]}}}',
        "X.acceptors[1]: expected an acceptor, found 5" },
      { "waiters-2.json", '{"waiters": {"X": {"acceptors": []}}}',
        "X.operation: expected the name of an operation, found nothing" },
      { "service-2.json", (service:gsub('"input": {"shape": "Request"}', '"input": 5')),
        "operations.GetThing.input: expected an object, found 5" },
      { "endpoint-rule-set-1.json", "5", "expected an object, found 5" },
    } do
      local before = directory:read("data/things/2020-02-02/" .. case[1])
      write("data/things/2020-02-02/" .. case[1], case[2])
      local _, mistake = pack.folder(directory.path .. "/data", none)
      assert.equal(place .. case[1] .. ": " .. case[3], mistake)
      write("data/things/2020-02-02/" .. case[1], before)
    end
  end)

  it("refuses a folder of another kind", function()
    for _, path in ipairs { directory.path, directory.path .. "/nothing", "scripts/aws" } do
      assert.same({ nil, path .. ": expected a folder of botocore's data, with SERVICE/VERSION/waiters-2.json" },
        { pack.folder(path, none) })
    end
  end)
end)
