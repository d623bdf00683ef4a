---Whole waits between botocore and moto, request by request: bide writes the same requests, and decides the same from the
---same answers.

local bide = require "bide"
local core = require "bide.core"
local data = require "spec.support.data"
local model = require "bide.model"
local operation = require "bide.probe.asking.operation"
local protocols = require "spec.support.protocols"
local python = require "spec.support.python"

local json = core.json

local FILE = "aws/recorded.jsonl"
local waits = protocols.lines(FILE)

local function output_of(command)
  local handle = io.popen(command .. " 2>/dev/null")
  local text = handle:read "a"
  handle:close()
  return text
end

---The folder of the models of Python's botocore.
local found = python.that_runs "import botocore"
local folder = found and python.botocore_data(found)

local function file_of(service, name)
  return output_of(("ls %s/%s/*/%s | tail -1"):format(folder, service, name)):match "%S+"
end

---Finds a waiter of a waiters-2.json: DBInstanceDeleted for db_instance_deleted.
---@return string name
---@return string operation
local function find_waiter(file, snake)
  for name, waiter in pairs(json.decode(output_of("cat " .. file)).waiters) do
    if name:lower() == snake:gsub("_", "") then return name, waiter.operation end
  end
  error("there is no waiter " .. snake)
end

---@param request bide.protocol.Request
---@param wire table one that was recorded
local function check_request(request, wire)
  assert.equal(wire.method, request.method)
  local path, query = wire.url:match "^https?://[^/]*([^?]*)%??(.*)$"
  assert.equal(path, request.path)
  assert.equal(protocols.pairs_of(query), protocols.joined(request.query))
  for name, value in pairs(request.headers) do assert.equal(protocols.header(wire.headers, name), value) end
  if wire.body == json.null then
    assert.equal("", request.body)
  elseif request.body:find "^{" then
    assert.equal(protocols.canonical(json.decode(wire.body)), protocols.canonical(json.decode(request.body)))
  else
    assert.equal(protocols.pairs_of(wire.body), protocols.pairs_of(request.body))
  end
end

local limits = { min_delay = 1000, max_delay = 1000, max_wait = 1000000 }

---@return string verdict of an attempt
local function decide(waiter, state, input, described, wire)
  local seen = operation.call(function()
    check_request(assert(described:request(input:value())), wire)
    local answer, mistake = described:answer(wire.response)
    if not answer then error(mistake, 0) end
    return operation.answer(json.document(answer), nil, wire.response.status)
  end, input, waiter.error_names)
  state:begin()
  seen.input, seen.error_type, seen.status = input, seen.failure and seen.failure.type, seen.status or wire.response.status
  return (state:observe(0, seen))
end

describe("waits of botocore that were recorded", function()
  if not waits then
    pending(FILE .. " " .. data.unpacked_hint)
    return
  end
  if not folder then
    pending(python.no_botocore)
    return
  end
  for _, recorded in ipairs(waits) do
    it(("are bide's: %s of %s"):format(recorded.waiter, recorded.service), function()
      local file = file_of(recorded.service, "waiters-2.json")
      local name, called = find_waiter(file, recorded.waiter)
      local waiter = assert(bide.load(file)).waiters[name]
      local text = output_of("gzip -dcf " .. file_of(recorded.service, "service-2.json*"))
      local described = assert(model.of_texts { { file = "service-2.json", text = text } }:operation(called))
      local state, verdict = core.wait.kind(waiter.compiled, limits):start(1, 0), nil
      for position, wire in ipairs(recorded.wire) do
        verdict = decide(waiter, state, json.document(recorded.input), described, wire)
        assert.equal(position < #recorded.wire, verdict == "retry")
      end
      assert.equal(recorded["end"], verdict)
    end)
  end
end)
