---The recipe connections, with real ones.

local connections = require "bide.connections"
local luv = require "luv"
local port_of = require "spec.support.port"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe connections", function()
  local server, clients, accepted, port

  ---Listens on a free port of an address.
  local function listen(address)
    port, clients, accepted = port_of.free(), {}, {}
    server = luv.new_tcp()
    assert(server:bind(address, port))
    assert(server:listen(16, function()
      local one = luv.new_tcp()
      server:accept(one)
      accepted[#accepted + 1] = one
    end))
  end

  ---Opens a connection to the port.
  local function connect(address)
    local one, is_open = luv.new_tcp(), false
    one:connect(address, port, function(mistake) is_open = not mistake end)
    local count = #accepted
    while not is_open or #accepted == count do luv.run "once" end
    clients[#clients + 1] = one
    return one
  end

  local function close(handles)
    for _, one in ipairs(handles) do
      if not one:is_closing() then one:close() end
    end
  end

  after_each(function()
    close(clients)
    close(accepted)
    close { server }
    luv.run "nowait"
  end)

  local function start(...)
    return process.start { process.bide, "connections", tostring(port), "--interval", "50ms", ... }
  end

  local function run(...) return start(...):wait() end

  for _, address in ipairs { "127.0.0.1", "::1" } do
    it("wait until those to a port are closed, to " .. address, function()
      listen(address)
      connect(address)
      local started = start("--max-wait", "20s", "--output", "json")
      started:wait_for_output "attempt 1"
      assert.is_nil(started.code)
      close(clients)
      close(accepted)
      started:wait():prints(0, '"open": 0')
    end)
  end

  it("counts those that are left when the server has stopped listening", function()
    listen "127.0.0.1"
    connect "127.0.0.1"
    server:close()
    luv.run "nowait"
    assert.equal(4, run("--max-wait", "30s", "--max-attempts", "2").code)
    assert.equal(0, run("most=2", "--max-wait", "30s").code)
  end)

  it("leaves out hosts that do not count, however they are written", function()
    listen "::1"
    connect "::1"
    assert.equal(4, run("except=127.0.0.1", "--max-wait", "30s", "--max-attempts", "2").code)
    assert.equal(0, run("except=127.0.0.1,0:0::1", "--max-wait", "30s").code)
    local done = run("except=here", "--max-wait", "30s")
    assert.same({ 2, true }, { done.code, done.stderr:find("except: expected addresses", 1, true) ~= nil })
  end)

  -- A container's proxy listens as well, and the connections to the container are in no list of the machine.
  it("does not take a port that has had no connection for drained, though a program listens", function()
    listen "127.0.0.1"
    run("--max-wait", "30s", "--max-attempts", "2"):says(4, ("no connection to port %d of this machine was seen"):format(port))
    assert.equal(0, run("unseen=true", "--max-wait", "30s").code)
  end)

  for _, place in ipairs { "/proc/net/tcp", "/proc/net/if_inet6", "/proc/net/tcp6" } do
    it("takes no list that cannot be opened for an empty one: " .. place, function()
      listen "127.0.0.1"
      connect "127.0.0.1"
      local open = io.open
      finally(function() rawset(io, "open", open) end)
      rawset(io, "open", function(name, ...)
        if name == place then return nil, name .. ": Permission denied", 13 end
        return open(name, ...)
      end)
      local ok, failure = pcall(connections.of_port, port)
      assert.same({ false, "ConnectionsHidden" }, { ok, failure.type })
    end)
  end

  it("waits for a descriptor where bide has none left, which is no answer", function()
    listen "127.0.0.1"
    local script = os.tmpname()
    finally(function() os.remove(script) end)
    local handle <close> = assert(io.open(script, "w"))
    handle:write(([[
      local bide, connections = require "bide", require "bide.connections"
      local files = {}
      repeat files[#files + 1] = io.open "/dev/null" until not io.open "/dev/null"
      bide.spawn(function()
        bide.sleep(0.1)
        for _, file in ipairs(files) do file:close() end
      end)
      print(connections.of_port(%d).listens)]]):format(port))
    handle:close()
    local done = process.run { "sh", "-c", ("ulimit -n 64; exec '%s' exec '%s'"):format(process.bide, script) }
    assert.same({ 0, "true\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("does not take a port that nobody uses for drained", function()
    listen "127.0.0.1"
    server:close()
    luv.run "nowait"
    run("--max-wait", "30s", "--max-attempts", "2"):says(4, ("nothing listens on port %d of this machine"):format(port))
    assert.equal(0, run("unseen=true", "--max-wait", "30s").code)
  end)

  it("reads addresses in all their forms", function()
    listen "127.0.0.1"
    for text, expected in pairs {
      ["10.0.0.2"] = "10.0.0.2", ["::1"] = "0:0:0:0:0:0:0:1", ["::"] = "0:0:0:0:0:0:0:0", ["::ffff:10.0.0.2"] = "10.0.0.2",
      ["2001:DB8::a:0"] = "2001:db8:0:0:0:0:a:0", ["::FFFF:0a00:2"] = "10.0.0.2", ["010.0.0.02"] = "10.0.0.2",
    } do assert.equal(expected, connections.canonical(text), text) end
    for _, text in ipairs { "", "10.0.0", "10.0.0.256", "1:2:3:4:5:6:7", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::", ":1", "g::",
      "::1.2.3", "1:2:3:4:5:6:7::8", "host" } do
      assert.is_nil(connections.canonical(text), text)
    end
  end)
end)
