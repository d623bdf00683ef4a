local uv = require "luv"
local core = require "bide.core"
local http = require "bide.http"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"
local make_slow_resolver = require "spec.support.slow_resolver"
local process = require "spec.support.process"
local timely = require "spec.support.timely"
local turns = require "spec.support.turns"

describe("a transfer that is cancelled", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  ---Starts a task that fetches, and returns it with what will become of it.
  local function start_task(url, options, deadline)
    local ended = {}
    local started = core.task.start(function()
      return http.get(url, options)
    end, function(_, how, value)
      ended.how, ended.value = how, value
    end, deadline)
    return started, ended
  end

  it("is gone at once, while the server is silent", function()
    server = Server.start(function() return { silent = true } end)
    timely.within(20, function()
      local asked = #server.requests
      local started, ended = start_task(server.url)
      turns.await(function() return #server.requests > asked end)
      local began = uv.hrtime()
      started:cancel()
      turns.await(function() return ended.how and server:open_connections() == 0 end)
      assert.equal("cancelled", ended.how)
      return (uv.hrtime() - began) / 1e6
    end)
  end)

  it("is gone at once, amid the body", function()
    local sent
    server = Server.start(nil, { raw = function(peer)
      peer:write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbegin")
      sent = true
    end })
    local started, ended = start_task(server.url)
    turns.await(function() return sent end)
    started:cancel()
    turns.await(function() return ended.how and server:open_connections() == 0 end)
  end)

  it("is gone at once, in its first step", function()
    server = Server.start(function() return {} end)
    local started, ended = start_task(server.url)
    started:cancel()
    turns.await(function() return ended.how end)
    assert.equal(0, #server.requests)
  end)

  it("leaves the others alone, and the connections that they keep", function()
    server = Server.start(function(request)
      return { silent = request.path == "/silent", delay = 0.05, body = "{}" }
    end)
    local started, cancelled = start_task(server.url .. "/silent")
    local _, ended = start_task(server.url .. "/other")
    turns.await(function() return #server.requests == 2 end)
    started:cancel()
    turns.await(function() return cancelled.how and ended.how end)
    assert.equal("returned", ended.how)
    assert.equal(1, server:open_connections())
  end)

  it("many times over, leaves no memory or file behind", function()
    server = Server.start(function() return { silent = true } end)
    local before
    for i = 1, 200 do
      local started, ended = start_task(server.url)
      turns.await(function() return #server.requests == i end)
      started:cancel()
      turns.await(function() return ended.how and server:open_connections() == 0 end)
      if i == 20 then before = leftovers.descriptors() end
    end
    assert.is_true(leftovers.descriptors() <= before)
  end)

  it("is cut by the task's deadline", function()
    server = Server.start(function() return { silent = true } end)
    local began = uv.hrtime()
    core.loop.update()
    local _, ended = start_task(server.url, { timeout = 10 }, core.loop.now() + 100)
    turns.await(function() return ended.how end)
    local milliseconds = (uv.hrtime() - began) / 1e6
    assert.equal("cut", ended.how)
    assert.is_true(milliseconds >= 99 and milliseconds < 5000, milliseconds)
  end)
end)

describe("a name that takes seconds to resolve", function()
  local directory = Directory.of_block()
  local library

  setup(function() library = make_slow_resolver(directory) end)

  local function run(script)
    local preload = os.getenv "LD_PRELOAD"
    return process.run({ process.lua, directory:write("script.lua", script) }, { env = {
      LUA_PATH = package.path, LUA_CPATH = package.cpath,
      LD_PRELOAD = preload and preload .. ":" .. library or library,
    } })
  end

  it("is cut by a task's deadline, and the process ends at once", function()
    local done = run [[
      local core, http = require "bide.core", require "bide.http"
      local how
      core.task.start(function() return http.get("http://slow.example/") end,
        function(_, ...) how = ... end, core.loop.now() + 100)
      while not how do core.loop.turn() end
      print(how)
    ]]
    assert.same({ 0, "cut\n" }, { done.code, done.stdout }, done.stderr)
    assert.is_true(done.elapsed < 10, done.elapsed)
  end)

  it("is cut by its own timeout", function()
    local done = run [[
      local http = require "bide.http"
      local _, failure = pcall(http.get, "http://slow.example/", { timeout = 0.1 })
      print(failure.type, failure.message)
    ]]
    assert.matches("^RequestTimeout\tno answer in time from slow.example:80", done.stdout, done.stderr)
    assert.is_true(done.elapsed < 10, done.elapsed)
  end)
end)
