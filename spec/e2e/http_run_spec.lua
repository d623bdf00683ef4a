---Bad answers and worse ones, as the program meets them in a wait.

local core = require "bide.core"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"
local make_slow_resolver = require "spec.support.slow_resolver"
local process = require "spec.support.process"
local timely = require "spec.support.timely"
local uv = require "luv"

local recipe = [[
local http = require "bide.http"
return { GetThing = {
  call = function(input) return http.get(input.url) end,
  waitable = {
    ThingExists = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
      { state = "success", matcher = { output = { path = "status", comparator = "stringEquals",
        expected = "success" } } },
    } },
    TooLarge = { acceptors = { { state = "success", matcher = { errorType = "BodyTooLarge" } } } },
  },
} }
]]

describe("bide run against", function()
  local directory = Directory.of_block()
  local file, server, library

  setup(function()
    file = directory:write("recipe.lua", recipe)
    library = make_slow_resolver(directory)
  end)

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function command(waiter, url, maximum)
    return { process.bide, "run", file, waiter, "url=" .. url, "--max-wait", maximum,
      "--output", "json", "--quiet" }
  end

  ---Runs a wait and returns its outcome, exit code and seconds.
  local function wait(waiter, url, maximum, options)
    local done = process.run(command(waiter, url, maximum), options)
    return core.json.decode(done.stdout), done.code, done.elapsed
  end

  local function preload()
    local already = os.getenv "LD_PRELOAD"
    return { LD_PRELOAD = already and already .. ":" .. library or library }
  end

  ---Measures a wait that may take a tenth of a second more than expected.
  ---@param measure fun(): number seconds
  local function assert_in_time(expected, measure)
    timely.within(process.is_sanitized and 60 or expected + 0.1, function()
      local seconds = measure()
      assert.is_true(seconds >= expected - 0.01, seconds) -- the timer of a signal may be early by a little
      return seconds - timely.start_and_end()
    end)
  end

  it("a name that takes seconds to resolve: the deadline", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    assert_in_time(0.2, function()
      local outcome, code, seconds = wait("ThingExists", "http://slow.example/", "200ms", { env = preload() })
      assert.equal("maxWait", outcome.reason)
      assert.equal(124, code)
      assert.equal(1, outcome.attempts)
      return seconds
    end)
  end)

  it("a name that takes seconds to resolve: a signal", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    timely.within(process.is_sanitized and 60 or 0.1, function()
      local started = process.start(command("ThingExists", "http://slow.example/", "10s"), { env = preload() })
      started:wait_for_output "resolving"
      local sent = uv.hrtime()
      started:kill "sigint"
      started:wait()
      assert.equal("cancelled", core.json.decode(started.stdout).reason)
      assert.equal(130, started.code)
      return (uv.hrtime() - sent) / 1e9
    end)
  end)

  it("a server that never answers: the deadline", function()
    server = Server.start(function() return { silent = true } end)
    assert_in_time(0.2, function()
      local before = #server.requests
      local outcome, code, seconds = wait("ThingExists", server.url, "200ms")
      assert.equal("maxWait", outcome.reason)
      assert.equal(124, code)
      assert.equal(before + 1, #server.requests)
      return seconds
    end)
  end)

  it("a body that never ends: an operation error, which can be matched", function()
    local chunk = ("%x\r\n%s\r\n"):format(65536, ("x"):rep(65536))
    server = Server.start(nil, { raw = function(peer)
      local function more(failure)
        if not failure and not peer.handle:is_closing() then peer.handle:write(chunk, more) end
      end
      peer:write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      more()
    end })
    local outcome, code = wait("TooLarge", server.url, "10s")
    assert.equal("BodyTooLarge", outcome.error.type)
    assert.equal(0, code)
  end)

  it("nobody: the address that was tried, exit 3", function()
    local outcome, code = wait("ThingExists", "http://127.0.0.1:1/", "1s")
    assert.equal("unmatchedError", outcome.reason)
    assert.equal("ConnectionRefused", outcome.error.type)
    assert.equal("127.0.0.1:1", outcome.error.address)
    assert.equal(3, code)
  end)

  local bodies = {
    { "NUL bytes", "\0\0\0" },
    { "a NUL byte in a string", '{"status":"success\0"}' },
    { "invalid UTF-8", '{"status":"\xff\xfe"}' },
    { "10,000 levels", ("["):rep(10000) .. ("]"):rep(10000) },
    { "HTML", "<html><body>It works!</body></html>" },
    { "two documents", "{}{}" },
    { "a byte order mark", "\xef\xbb\xbf{}" },
  }

  for _, row in ipairs(bodies) do
    it("a body of " .. row[1] .. ": InvalidResponse, and the place", function()
      server = Server.start(function() return { headers = { ["Content-Type"] = "application/json" }, body = row[2] } end)
      local outcome, code = wait("ThingExists", server.url, "1s")
      assert.equal("InvalidResponse", outcome.error.type)
      assert.equal(200, outcome.error.status)
      assert.equal(3, code)
    end)
  end

  it("huge numbers: a right result", function()
    server = Server.start(function()
      return { body = '{"status":"success","big":18446744073709551615,"small":-9223372036854775808,'
        .. '"double":1e308,"digits":' .. ("9"):rep(300) .. "}" }
    end)
    local done = process.run(command("ThingExists", server.url, "1s"))
    assert.equal(0, done.code)
    assert(done.stdout:find('"big":%s*18446744073709551615'), done.stdout)
    assert(done.stdout:find('"small":%s*%-9223372036854775808'), done.stdout)
  end)
end)
