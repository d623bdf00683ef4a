---A cache that a service stands behind may answer in its place while it is down, and a part of a page, for which nobody had
---asked, may lack what says that something is wrong: `http` took both for the service's word, in silence.

local json = require("bide.core").json
local Server = require "spec.support.server"
local process = require "spec.support.process"

describe("http", function()
  local server, answer, asked

  setup(function()
    server = Server.start(function(request)
      asked = request
      return answer
    end)
  end)

  teardown(function() server:close() end)

  local function ask(...)
    return process.run { process.bide, "http", server.url, "--max-wait", "5s", "--max-attempts", "1", "--quiet", ... }
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
      local done = ask(table.unpack(more))
      assert.equal(code, done.code, done.stdout .. done.stderr)
    end
    local done = ask("--until", "status=UP")
    assert.equal(4, done.code)
    assert.matches("error UnexpectedStatus (206): the status is 206", done.stderr, 1, true)
  end)
end)
