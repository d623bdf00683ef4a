local uv = require "luv"
local core = require "bide.core"
local unix = require "bide.unix"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"

describe("bide.unix", function()
  local directory = Directory.of_each()
  local path, server

  before_each(function() path = directory.path .. "/app.sock" end)

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function serve(answer)
    server = Server.start(nil, { raw = answer or function() end, unix_socket = path })
  end

  it("connects, and says where", function()
    serve()
    assert.same({ address = path }, unix { path = path })
    while server.connections == 0 or server:open_connections() > 0 do uv.run("once") end
  end)

  it("sends, and expects an answer", function()
    serve(function(peer, bytes) if bytes == "PING\n" then peer:write("PONG\n") end end)
    assert.same({ address = path, received = "PONG\n" }, unix { path = path, send = "PING\n", expect = "PONG" })
  end)

  it("raises ConnectionFailed where there is no socket, ConnectionRefused where nobody listens", function()
    assert.equal("ConnectionFailed", failure_of(unix, { path = path }).type)
    assert.equal("cannot connect to " .. path .. ": ENOENT, no such file or directory", failure_of(unix, { path = path }).message)
    serve()
    assert(uv.fs_rename(path, path .. ".old"))
    server:close()
    uv.run("nowait")
    local failure = failure_of(unix, { path = path .. ".old" })
    assert.same({ "ConnectionRefused", path .. ".old" }, { failure.type, failure.address })
  end)

  it("raises what the answer was where it is another, or does not come", function()
    serve(function(peer, bytes) if bytes == "bad" then peer:write("no") peer:finish() end end)
    local failure = failure_of(unix, { path = path, send = "bad", expect = "yes" })
    assert.same({ "UnexpectedAnswer", ("not the expected answer from %s: expected %q, found %q"):format(path, "yes", "no") },
      { failure.type, failure.message })
    assert.equal("RequestTimeout", failure_of(unix, { path = path, send = "x", expect = "yes", timeout = 0.05 }).type)
  end)

  it("raises InvalidAddress for what can be no path of a socket", function()
    assert.equal("InvalidAddress", failure_of(unix, { path = "" }).type)
    assert.equal("InvalidAddress", failure_of(unix, { path = "/a\0b" }).type)
    assert.equal("InvalidAddress", failure_of(unix, { path = "/" .. ("x"):rep(107) }).type)
  end)

  it("is cut by the deadline of its task, and lets go of the connection", function()
    serve()
    local how
    core.loop.update()
    core.task.start(function() return unix { path = path, expect = "y" } end,
      function(_, ended) how = ended end, core.loop.now() + 30)
    while not how do core.loop.turn() end
    assert.equal("cut", how)
    while server:open_connections() > 0 do uv.run("once") end
  end)

  it("refuses options that it does not know or that miss, by name", function()
    local function mistake_of(options)
      local ok, mistake = pcall(function() local done = unix(options) return done end)
      assert.is_false(ok)
      assert.matches("unix_spec.lua:%d+: bide.unix:", mistake)
      return mistake
    end
    assert.matches('paht: unknown option, did you mean "path"%?', mistake_of { paht = "x" })
    assert.matches("path: expected [%w ]+, found nothing", mistake_of {})
    assert.matches("path: expected a string, found 3", mistake_of { path = 3 })
  end)
end)
