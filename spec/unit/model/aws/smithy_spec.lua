---The waiters of AWS's Smithy models that botocore has not: how they are packed beside botocore's, and what is wrong with
---models that are broken.

local core = require "bide.core"
local pack = require "bide.model.aws.pack"
local smithy = require "bide.model.aws.smithy"
local Directory = require "spec.support.directory"

local json = core.json

local COMMIT = "0123456789abcdef0123456789abcdef01234567"

local service = [[{"metadata": {"apiVersion": "2020-02-02", "serviceId": "Big Things", "protocol": "json"},
  "operations": {"GetThing": {"name": "GetThing", "http": {"method": "POST", "requestUri": "/"},
    "output": {"shape": "Answer"}}},
  "shapes": {"Answer": {"type": "structure", "members": {"State": {"shape": "Text"}}}, "Text": {"type": "string"}}}]]

local waiters = [[{"version": 2, "waiters": {"ThingReady": {"operation": "GetThing", "delay": 2, "maxAttempts": 3,
  "acceptors": [{"state": "success", "matcher": "path", "argument": "State", "expected": "ON"}]}}}]]

local function waiter_until(state)
  return { documentation = "Waits.", minDelay = 7, acceptors = { { state = "success",
    matcher = { output = { path = "State", comparator = "stringEquals", expected = state } } } } }
end

---A Smithy model with the waiters of two operations.
local function model_of(of_get, of_list, id)
  local function operation(given)
    return { type = "operation", traits = given and { ["smithy.waiters#waitable"] = given } }
  end
  return { smithy = "2.0", shapes = {
    ["com.things#Things"] = { type = "service", version = "2020-02-02",
      operations = { { target = "com.things#GetThing" }, { target = "com.things#ListThings" } },
      traits = { ["aws.api#service"] = { sdkId = id or "Big Things" } } },
    ["com.things#GetThing"] = operation(of_get), ["com.things#ListThings"] = operation(of_list),
  } }
end

describe("the waiters of Smithy models", function()
  local directory = Directory.of_each()
  local models

  ---Writes a model in the place that the repository has for it.
  local function write_model(model)
    directory:write("api-models-aws-" .. COMMIT .. "/big-things/service/2020-02-02/big-things-2020-02-02.json",
      type(model) == "string" and model or json.encode(model))
  end

  before_each(function()
    models = directory.path .. "/api-models-aws-" .. COMMIT
    os.execute(("mkdir -p %s/big-things/service/2020-02-02 %s/data/bigthings/2020-02-02"):format(models, directory.path))
    directory:write("data/partitions.json", '{"partitions": []}')
    directory:write("data/bigthings/2020-02-02/service-2.json", service)
    directory:write("data/bigthings/2020-02-02/waiters-2.json", waiters)
  end)

  ---Packs botocore's data with the models.
  local function packed()
    local texts = assert(pack.folder(directory.path .. "/data", assert(smithy.of_folder(models))))
    return texts, json.decode(texts["bigthings.json"]).shapes["botocore#GetThing"].traits["smithy.waiters#waitable"]
  end

  it("stand beside botocore's, with the shapes of botocore", function()
    write_model(model_of { ThingOff = waiter_until "OFF" })
    local texts, found = packed()
    assert.same({ "ThingOff", "ThingReady" }, require("bide.text.option").sorted_names(found))
    local kept = waiter_until "OFF"
    kept.documentation = nil
    assert.same(kept, found.ThingOff)
    assert.same({ commit = COMMIT, services = { ["Big Things"] = { waiters = { GetThing = { ThingOff = kept } } } } },
      json.decode(texts["smithy.json"]))
    assert.same({ operation = "GetThing", delay = 7 }, json.decode(texts["index.json"]).services.bigthings.waiters.ThingOff)
    assert.matches("the commit " .. COMMIT .. " of\nhttps://github.com/aws/api-models-aws", texts.NOTICE, 1, true)
  end)

  it("give way to botocore's where both have one of a name, whatever its case", function()
    write_model(model_of { Thingready = waiter_until "OFF" })
    local texts, found = packed()
    assert.same({ "ThingReady" }, require("bide.text.option").sorted_names(found))
    assert.equal("ON", found.ThingReady.acceptors[1].matcher.output.expected)
    assert.same({ ["Big Things"] = { inBoth = { "ThingReady" } } }, json.decode(texts["smithy.json"]).services)
  end)

  it("are packed where botocore has no waiters of the service at all", function()
    os.remove(directory.path .. "/data/bigthings/2020-02-02/waiters-2.json")
    write_model(model_of { ThingOff = waiter_until "OFF" })
    local texts, found = packed()
    assert.same({ "ThingOff" }, require("bide.text.option").sorted_names(found))
    assert.matches('"longestWaits":{}', texts["bigthings.json"], 1, true)
  end)

  it("are left out where botocore has no such service", function()
    write_model(model_of({ ThingOff = waiter_until "OFF" }, nil, "Other Things"))
    local texts, found = packed()
    assert.is_nil(found.ThingOff)
    assert.same({}, json.decode(texts["smithy.json"]).services)
  end)

  it("are packed again from the file of packed data", function()
    write_model(model_of { ThingOff = waiter_until "OFF", ThingReady = waiter_until "ON" })
    local texts = packed()
    os.execute("mkdir " .. directory.path .. "/packed")
    for name, text in pairs(texts) do directory:write("packed/" .. name, text) end
    assert.same(texts, (pack.folder(directory.path .. "/data", smithy.of_packed(directory.path .. "/packed"))))
  end)

  it("are none where the file of packed data is missing or broken", function()
    assert.same({ services = {} }, smithy.of_packed(directory.path))
    for _, text in ipairs { "", "[]", "{", '{"commit": 5, "services": []}', '{"services": {"A": 5}}',
      '{"services": {"A": {"inBoth": 5, "waiters": {"Get": 5}}}}',
      '{"services": {"A": {"inBoth": [5], "waiters": {"Get": {"x": {}, "Y": 5}}}}}' } do
      directory:write("smithy.json", text)
      for _, found in pairs(smithy.of_packed(directory.path).services) do assert.same({}, found, text) end
    end
  end)

  it("are refused where a model has two of a name", function()
    write_model(model_of({ ThingOff = waiter_until "OFF" }, { THINGOff = waiter_until "OFF" }))
    local found, mistake = smithy.of_folder(models)
    assert.is_nil(found)
    assert.matches("big%-things%-2020%-02%-02%.json: %w+ of %w+: the name is taken, whatever its case, by %w+ of %w+$", mistake)
    local text = json.encode(model_of { ThingOff = waiter_until "OFF" })
    write_model((text:gsub('("ThingOff"):(%b{})', "%1:%2,%1:%2")))
    found, mistake = smithy.of_folder(models)
    assert.is_nil(found)
    assert.matches('the member "ThingOff" is given twice', mistake, 1, true)
  end)

  it("are refused where a model is broken, or of another service than it says", function()
    local state = waiter_until "ON"
    state.acceptors[1].state = "failure"
    for _, case in ipairs {
      { '{"smithy": "2.0", "x": "smithy.waiters#waitable"', ":1:" },
      { model_of { thing_off = waiter_until "OFF" }, 'expected a name in UpperCamelCase, of letters and digits, found' },
      { model_of { ThingOff = state }, 'ThingOff: acceptors: expected at least one acceptor with the state "success"' },
      { model_of { ThingOff = 5 }, "ThingOff: expected a waiter, with acceptors, found 5" },
      { model_of({ ThingOff = waiter_until "OFF" }, nil, 5), "found no service with a sdkId" },
    } do
      write_model(case[1])
      local found, mistake = smithy.of_folder(models)
      assert.is_nil(found)
      assert.matches(case[2], mistake, 1, true)
    end
  end)

  it("are refused where botocore's service has not their operation", function()
    write_model(model_of(nil, { ThingOff = waiter_until "OFF" }))
    local _, mistake = pack.folder(directory.path .. "/data", assert(smithy.of_folder(models)))
    assert.equal(directory.path .. "/data/bigthings/2020-02-02/service-2.json: the waiter ThingOff of Smithy's model: "
      .. 'expected an operation of the service, found "ListThings", did you mean "GetThing"?', mistake)
  end)

  it("are refused where the folder is of another kind", function()
    for _, path in ipairs { directory.path, directory.path .. "/nothing", "scripts/aws" } do
      assert.same({ nil, path .. ": expected a folder of AWS's Smithy models, with SERVICE/service/VERSION/NAME.json" },
        { smithy.of_folder(path) })
    end
  end)
end)
