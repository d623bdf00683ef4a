---The errors of a model's operation have one name, whichever of its names a waiter or a service uses.

local core = require "bide.core"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local json = core.json

---An error with a code of its own, one whose code is its name, and two with one code, which so names neither.
local codes = { DbNotFoundFault = "DbNotFound", Gone = "Gone", OneFault = "Both", OtherFault = "Both" }

local function waiter(error_type)
  return { acceptors = { { state = "success", matcher = { errorType = error_type } } } }
end

local waiters = { Code = waiter "DbNotFound", Name = waiter "DbNotFoundFault", Id = waiter "a.b#DbNotFoundFault",
  Unknown = waiter "Elsewhere", Ambiguous = waiter "Both" }

local function ast()
  local errors, shapes = {}, {}
  for name, code in pairs(codes) do
    errors[#errors + 1] = { target = "a.b#" .. name }
    shapes["a.b#" .. name] = { type = "structure", traits = {
      ["smithy.api#error"] = "client", ["aws.protocols#awsQueryError"] = { code = code, httpResponseCode = 404 } } }
  end
  shapes["a.b#Get"] = { type = "operation", errors = errors, traits = { ["smithy.waiters#waitable"] = waiters } }
  return json.encode { smithy = "2.0", shapes = shapes }
end

local function of_botocore()
  local converted = {}
  for name, one in pairs(waiters) do
    converted[name] = { operation = "Get", delay = 2, maxAttempts = 5, acceptors = {
      { state = "success", matcher = "error", expected = one.acceptors[1].matcher.errorType } } }
  end
  return json.encode { version = 2, waiters = converted }
end

local function service()
  local errors, shapes = {}, {}
  for name, code in pairs(codes) do
    errors[#errors + 1] = { shape = name }
    shapes[name] = { type = "structure", members = json.decode "{}", exception = true,
      error = { code = code, httpStatusCode = 404, senderFault = true } }
  end
  return json.encode { metadata = json.decode "{}", operations = { Get = { name = "Get", errors = errors } }, shapes = shapes }
end

---Waiter, the type that arrives, the type in the outcome (nil for a failure), the code.
local rows = {
  { "Code", "DbNotFound", "DbNotFoundFault", "DbNotFound" },
  { "Code", "DbNotFoundFault", "DbNotFoundFault" },
  { "Code", "a.b#DbNotFoundFault:http://amazon.com/x", "a.b#DbNotFoundFault:http://amazon.com/x" },
  { "Code", "a.b#DbNotFound:http://amazon.com/x", "DbNotFoundFault", "a.b#DbNotFound:http://amazon.com/x" },
  { "Name", "DbNotFound", "DbNotFoundFault", "DbNotFound" },
  { "Id", "DbNotFound", "DbNotFoundFault", "DbNotFound" },
  { "Name", "Gone", nil },
  { "Unknown", "Elsewhere", "Elsewhere" },
  { "Ambiguous", "Both", "Both" },
  { "Ambiguous", "OneFault", nil },
}

describe("the names of a model's errors", function()
  local workspace = Workspace.of_each()

  local function check(name, words, row)
    local line = { words[1], name, row[1], "--max-wait", "1m", "--quiet", "--output", "json", table.unpack(words, 2) }
    local outcome = json.decode(workspace:bide(line).stdout)
    local said = ("%s, %s: "):format(row[1], row[2])
    assert.equal(row[3] and "success" or "failure", outcome.state, said)
    if row[3] then assert.same({ row[3], row[4] }, { outcome.error.type, outcome.error.code }, said) end
  end

  local function check_all(name)
    for _, row in ipairs(rows) do
      workspace:write("with.lua", ("return { Get = function() error { type = %q } end }"):format(row[2]))
      check(name, { "run", "--with", "with.lua" }, row)
    end
  end

  it("are one name of each error in a Smithy model", function()
    workspace:write("model.json", ast())
    check_all "model.json"
  end)

  it("are one name of each error in botocore's files", function()
    workspace:write("waiters-2.json", of_botocore())
    workspace:write("service-2.json", service())
    check_all "waiters-2.json"
  end)

  it("are one name in a replay, and with --retry-on", function()
    workspace:write("model.json", ast())
    workspace:write("answers.jsonl", '{"error": {"type": "DbNotFoundFault"}}\n{"error": {"type": "DbNotFound"}}\n'
      .. '{"error": {"type": "Elsewhere"}}\n')
    local done = workspace:bide { "replay", "model.json", "Code", "answers.jsonl", "--max-wait", "1m", "--quiet" }
    assert.matches("^Code succeeded after 1 attempt", done.stdout)
    done = workspace:bide { "replay", "model.json", "Unknown", "answers.jsonl", "--max-wait", "1m", "--quiet",
      "--retry-on", "DbNotFound" }
    assert.matches("^Unknown succeeded after 3 attempts", done.stdout)
  end)

  it("are found in the answers of a service", function()
    workspace:write("model.json", ast())
    local server <close> = setmetatable({}, { __close = function(one) one.server:close() end })
    server.server = Server.start(function()
      return { status = 404, headers = { ["X-Amzn-Errortype"] = "DbNotFound:http://amazon.com/x" }, body = "{}" }
    end)
    workspace:write("with.lua", ("return { Get = function() return require('bide.http').get %q end }"):format(server.server.url))
    check("model.json", { "run", "--with", "with.lua" }, { "Name", "", "DbNotFoundFault", "DbNotFound" })
  end)

  it("are not a member of an operation in Lua", function()
    workspace:write("things.lua", "return { Get = { call = print, error_names = {}, waitable = { A = "
      .. "{ acceptors = { { state = 'success', matcher = { success = true } } } } } } }")
    assert.matches("unknown member", workspace:bide { "run", "things.lua", "--max-wait", "50s" }.stderr, 1, true)
  end)
end)
