---A cache that a service stands behind may answer in its place while it is down, and a part of a page, for which nobody had
---asked, may lack what says that something is wrong: `http` took both for the service's word, in silence.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

---An empty object.
local NOTHING = json.decode "{}"

describe("http", function()
  local answer, asked

  local server = Server.of_block(function(request)
    asked = request
    return answer
  end)

  local function ask(...)
    return process.run { process.bide, "http", server.url, "--max-wait", "50s", "--max-attempts", "1", "--quiet", ... }
  end

  local function answered(age)
    answer = { headers = { ["Content-Type"] = "application/json", Age = age }, body = '{"status":"UP"}' }
  end

  it("asks caches for what the service itself says", function()
    answered()
    assert.equal(0, ask().code)
    assert.equal("no-cache", asked.headers["cache-control"])
    assert.equal(0, ask("headers=Cache-Control: max-age=60").code)
    assert.equal("max-age=60", asked.headers["cache-control"])
  end)

  it("warns of a success whose answer is from a cache", function()
    local words = "ServiceHealthy: the answer is 300 s old, from a cache, and the service itself may be down"
    for _, more in ipairs { {}, { "path=status", "expect=UP" }, { "--until", "status=UP" } } do
      answered "300"
      local done = ask("--output", "json", table.unpack(more))
      assert.same({ 0, { words } }, { done.code, json.decode(done.stdout).warnings }, done.stderr)
      assert.equal(("bide: warning: %s\n"):format(words), done.stderr)
    end
    for _, age in ipairs { "0", "00", "soon", "" } do
      answered(age)
      assert.equal("", ask("--output", "json").stderr)
    end
  end)

  it("can wait for an answer that is not from a cache", function()
    local fresh = "header('age') == `null`"
    answered "300"
    assert.equal(4, ask("--until", fresh).code)
    answered()
    assert.equal(0, ask("--until", fresh).code)
  end)

  it("takes a part of an answer only where the status is named", function()
    answer = { status = 206, headers = { ["Content-Range"] = "bytes 0-14/900" }, body = '{"status":"UP"}' }
    for code, more in pairs { [4] = {}, [0] = { "status=206" } } do
      ask(table.unpack(more)):ends(code)
    end
    ask("--until", "status=UP"):says(4, "error UnexpectedStatus (206): the status is 206")
  end)
end)

describe("a recipe of a service", function()
  local asked

  local server = Server.of_block(function(request)
    asked = request
    return { status = 503 }
  end)

  ---Asks once, with the words behind the address.
  local function ask(recipe, waiter, ...)
    asked = nil
    process.run { process.bide, recipe, waiter, server.url, "--max-wait", "50s", "--max-attempts", "1", "--quiet", ... }
    return asked.headers["cache-control"]
  end

  it("asks caches for what the service itself says", function()
    assert.equal("no-cache", ask("prometheus", "PrometheusReady"))
    assert.equal("no-cache", ask("prometheus", "ResultEmpty", "query=up"))
    assert.equal("no-cache", ask("rabbitmq", "ClusterHealthy"))
    assert.equal("no-cache", ask("rabbitmq", "QueueDrained", "queue=jobs"))
    assert.equal("no-cache", ask("nginx", "RequestsDrained"))
    assert.equal("no-cache", ask("clickhouse", "RowGone", "query=SELECT 1"))
  end)
end)

describe("a service of a model", function()
  local workspace = Workspace.of_each()
  local answer, asked

  local server = Server.of_each(function(request)
    asked = request
    return answer
  end)

  ---Waits with a model of an operation with a path.
  local function ask(http, env)
    local operation = { input = { target = "x#In" }, output = { target = "x#Out" }, type = "operation", traits = {
      ["smithy.api#http"] = http, ["smithy.waiters#waitable"] = { Ready = { acceptors = { { state = "success",
        matcher = { output = { path = "status", comparator = "stringEquals", expected = "UP" } } } } } } } }
    local signed = env and { ["aws.auth#sigv4"] = { name = "things" } } or {}
    signed["aws.protocols#restJson1"] = NOTHING
    workspace:write("model.json", json.encode { smithy = "2.0", shapes = { ["x#Get"] = operation,
      ["x#S"] = { type = "service", version = "1", operations = { { target = "x#Get" } }, traits = signed },
      ["x#In"] = { type = "structure", members = { wish = { target = "smithy.api#String",
        traits = { ["smithy.api#httpHeader"] = "cache-control" } }, range = { target = "smithy.api#String",
        traits = { ["smithy.api#httpHeader"] = "Range" } }, part = { target = "smithy.api#String",
        traits = { ["smithy.api#httpQuery"] = "partNumber" } } } },
      ["x#Out"] = { type = "structure", members = { status = { target = "smithy.api#String" } } } } })
    return function(...)
      return workspace:bide({ "run", "model.json", "Ready", "--endpoint", server.url, "--max-wait", "50s", "--max-attempts", "1",
        "--quiet", "--output", "json", ... }, { env = env })
    end
  end

  it("is asked past caches, where no signature does that", function()
    answer = { body = '{"status":"UP"}' }
    local get = ask { method = "GET", uri = "/", code = 200 }
    assert.equal(0, get().code)
    assert.equal("no-cache", asked.headers["cache-control"])
    assert.equal(0, get("wish=max-age=60").code)
    assert.equal("max-age=60", asked.headers["cache-control"])
    assert.equal(0, ask { method = "POST", uri = "/", code = 200 }().code)
    assert.is_nil(asked.headers["cache-control"])
    local signed = ask({ method = "GET", uri = "/", code = 200 }, { HOME = workspace.path, AWS_ACCESS_KEY_ID = "A",
      AWS_SECRET_ACCESS_KEY = "B", AWS_REGION = "eu-west-1" })
    assert.equal(0, signed().code)
    assert.is_nil(asked.headers["cache-control"])
  end)

  it("has not answered itself where its answer has an age", function()
    answer = { headers = { Age = "300" }, body = '{"status":"UP"}' }
    local done = ask { method = "GET", uri = "/", code = 200 }()
    assert.same({ 0, { "Ready: the answer is 300 s old, from a cache, and the service itself may be down" } },
      { done.code, json.decode(done.stdout).warnings }, done.stderr)
  end)

  it("has not answered by a part of an answer, unless the model says so", function()
    answer = { status = 206, body = '{"status":"UP"}' }
    local done = ask { method = "GET", uri = "/", code = 200 }()
    assert.equal(3, done.code, done.stdout)
    assert.same({ "InvalidResponse", "the answer is a part of one, for which nothing has asked" },
      { json.decode(done.stdout).error.type, json.decode(done.stdout).error.message })
    assert.equal(0, ask { method = "GET", uri = "/", code = 206 }().code)
  end)

  it("has answered by the part that was asked for", function()
    answer = { status = 206, body = '{"status":"UP"}' }
    local get = ask { method = "GET", uri = "/?x=1", code = 200 }
    assert.equal(0, get("range=bytes=0-14").code)
    assert.equal(0, get("part=1").code)
    assert.equal(3, get().code)
  end)
end)
