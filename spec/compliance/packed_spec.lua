---The packed form says what botocore's own files say: over the requests and answers of the conformance data, the models
---of both are equal. Each botocore that is installed is packed, whatever its release.

local core = require "bide.core"
local data = require "spec.support.data"
local data_file = require "bide.model.botocore.data_file"
local folder = require "bide.model.aws.folder"
local model = require "bide.model"
local pack = require "bide.model.aws.pack"
local protocols = require "spec.support.protocols"
local python = require "spec.support.python"
local smithy = require "bide.model.aws.smithy"

local json = core.json

local FILE = "aws/wire.jsonl"

---The folders of data of the botocores that are installed, one of each release.
local paths, releases = {}, {}
for _, one in ipairs(python.all) do
  local path = python.botocore_data(one)
  local version = path and folder.open(path).version
  if path and not releases[version or path] then
    paths[#paths + 1], releases[version or path] = path, true
  end
end

local packed_texts = {}

---Packs a folder, once.
local function texts_of(path)
  packed_texts[path] = packed_texts[path] or assert(pack.folder(path, smithy.of_packed "scripts/aws"))
  return packed_texts[path]
end

---@return string text of what an operation of a model makes of a case
local function said_by(opened, case)
  local operation, mistake = opened:operation(case.op)
  if not operation then return mistake end
  if case.kind == "request" then
    local request
    request, mistake = operation:request(case.params)
    return request and protocols.canonical(request) or mistake
  end
  local output, failure = operation:answer(case)
  return protocols.canonical(output or failure)
end

---@param from bide.aws.Folder
---@param texts table<string, string> packed
---@return integer count of the cases that were compared
local function compare(from, texts, cases)
  local whole, packed, count = {}, {}, 0
  for _, case in ipairs(cases) do
    local name = case.service
    if texts[name .. ".json"] and not packed[name] then
      local text = texts[name .. ".json"]
      packed[name] = model.of_texts { { file = name, text = text } }
      whole[name] = model.of_texts { { file = name, text = data_file.read((from:file(name):gsub("[^/]*$", "service-2.json"))) } }
    end
    if packed[name] and packed[name]:operation(case.op) then
      local there = said_by(whole[name], case)
      assert.equal(there, said_by(packed[name], case), name .. " " .. case.op)
      count = count + 1
    end
  end
  return count
end

describe("packed data", function()
  local cases = protocols.lines(FILE)

  it("are bide's own where the same release is installed", function()
    local own, compared = folder.open "scripts/aws", false
    for _, path in ipairs(paths) do
      if folder.open(path).version == own.version then
        compared = true
        for name, text in pairs(texts_of(path)) do
          local handle <close> = assert(io.open("scripts/aws/" .. name, "rb"))
          assert.equal(text, handle:read "a", name)
        end
      end
    end
    if not compared then pending(("botocore %s is not installed"):format(own.version)) end
  end)

  it("say what botocore's files say", function()
    if not cases then return pending(FILE .. " " .. data.hint) end
    if #paths == 0 then return pending(python.no_botocore) end
    for _, path in ipairs(paths) do
      assert.is_true(compare(folder.open(path), texts_of(path), cases) > 500, path)
    end
  end)

  ---Reports whether two values are equal but for documentation in the first.
  local function is_same(there, here)
    if type(there) ~= "table" or type(here) ~= "table" then return there == here end
    for name, value in pairs(there) do
      if name ~= "documentation" and not is_same(value, here[name]) then return false end
    end
    for name in pairs(here) do
      if there[name] == nil then return false end
    end
    return true
  end

  ---The endpoint rules of a packed service.
  local function rules_of(text)
    for _, shape in pairs(json.decode(text).shapes) do
      if shape.type == "service" then return shape.traits["smithy.rules#endpointRuleSet"] end
    end
  end

  it("have the endpoint rules of botocore's files", function()
    if #paths == 0 then return pending(python.no_botocore) end
    for _, path in ipairs(paths) do
      local from, count = folder.open(path), 0
      for name, text in pairs(texts_of(path)) do
        local service = name:match "^(.*)%.json$"
        local file = service and from:facts(service) and from:file(service):gsub("[^/]*$", "endpoint-rule-set-1.json")
        local rules = file and data_file.read(file)
        if rules then
          assert.is_true(is_same(json.decode(rules), rules_of(text)), file)
          count = count + 1
        end
      end
      assert.is_true(count > 40, path)
    end
  end)

  ---The waiters of a packed service, with the names of their operations.
  local function waiters_of(text)
    local waiters = {}
    for id, shape in pairs(json.decode(text).shapes) do
      for name, waiter in pairs(shape.type == "operation" and shape.traits["smithy.waiters#waitable"] or {}) do
        waiter.operation, waiters[name] = id:match "#(.*)$", waiter
      end
    end
    return waiters
  end

  ---The state of each acceptor, and the value that it expects.
  local function states_of(waiter)
    local states = {}
    for position, acceptor in ipairs(waiter.acceptors) do
      local matcher, expected = acceptor.matcher, acceptor.expected
      if type(matcher) == "table" then
        expected = matcher.output and matcher.output.expected or matcher.errorType or matcher.status
        if matcher.success ~= nil then expected = not matcher.success end
      end
      states[position] = ("%s %s"):format(acceptor.state, expected)
    end
    return states
  end

  it("have the waiters of botocore's files", function()
    if #paths == 0 then return pending(python.no_botocore) end
    for _, path in ipairs(paths) do
      local from, count = folder.open(path), 0
      for name, text in pairs(texts_of(path)) do
        local service = name:match "^(.*)%.json$"
        local facts = service and from:facts(service)
        local found = facts and waiters_of(text) or {}
        for waiter, given in pairs(facts and facts.waiters or {}) do
          assert.same({ given.operation, given.delay, states_of(given) },
            { found[waiter].operation, found[waiter].minDelay, states_of(found[waiter]) }, service .. " " .. waiter)
          count = count + 1
        end
      end
      assert.is_true(count > 200, path)
    end
  end)
end)
