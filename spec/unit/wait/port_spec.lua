---What a wait hears of a port of this machine that has refused it.

local core = require "bide.core"
local ports = require "bide.wait.port"

-- busted looks up a global at each use
local math, table, pairs = math, table, pairs

local network, loop = core.network, core.loop

---A stand-in for a wait, which counts how often it is woken.
local function new_wait()
  return { woken = 0, wake = function(self) self.woken = self.woken + 1 end }
end

describe("a port that has refused a wait", function()
  local listens, open, looked

  before_each(function()
    listens, open, looked = network.listens, {}, {}
    network.listens = function(host, number)
      local name = ("%s %d"):format(host, number)
      looked[name] = (looked[name] or 0) + 1
      return open[name] or false
    end
  end)
  after_each(function() network.listens = listens end)

  ---Joins a wait, and returns the port and the wait.
  local function join(address)
    local wait = new_wait()
    return ports.join(wait, address), wait
  end

  describe("is checked", function()
    local rows = {
      ["127.0.0.1:80"] = { "127.0.0.1 80" },
      ["127.0.1.1:8080"] = { "127.0.1.1 8080" },
      ["[::1]:80"] = { "127.0.0.1 80", "::1 80" },
      ["[::ffff:127.0.0.1]:80"] = { "127.0.0.1 80" },
      ["0.0.0.0:80"] = { "127.0.0.1 80" },
      ["[::]:80"] = { "127.0.0.1 80", "::1 80" },
    }
    for address, wanted in pairs(rows) do
      it("as " .. address, function()
        local port, wait = join(address)
        local names = {}
        for name in pairs(looked) do names[#names + 1] = name end
        table.sort(names)
        assert.same(wanted, names)
        port:leave(wait)
      end)
    end
  end)

  it("is none of another machine, nor what is no address", function()
    for _, address in ipairs { "192.168.0.1:80", "10.127.0.0:80", "[fe80::1]:80", "127.0.0.999:80", "127.0.0.1", "127.0.0.1:",
      "127.0.0.1:65536", "/run/127.0.0.1:80", "localhost:80", "", "127.0.0.1:80 ", "127.0.0.1\0:80", 80, true, {} } do
      assert.is_nil(ports.join(new_wait(), address), tostring(address))
    end
    assert.is_nil(ports.join(new_wait(), nil))
    assert.same({}, looked)
  end)

  it("is none where the system does not say", function()
    network.listens = function() return nil end
    assert.is_nil(join "127.0.0.1:80")
  end)

  it("is none where the network is closed to it", function()
    network.restrict(true)
    finally(function() network.restrict(false) end)
    assert.is_nil(join "127.0.0.1:80")
    assert.same({}, looked)
  end)

  it("wakes the wait each time that a program begins to listen, and only then", function()
    for _ = 1, 300 do
      open = {}
      local was, begun = {}, 0
      local function change()
        for _, name in ipairs { "127.0.0.1 80", "::1 80" } do
          if math.random(3) == 1 then open[name] = not open[name] end
        end
        local has_begun = false
        for _, name in ipairs { "127.0.0.1 80", "::1 80" } do
          has_begun = has_begun or open[name] and not was[name]
          was[name] = open[name]
        end
        if has_begun then begun = begun + 1 end
      end
      change()
      local port, wait = join "[::1]:80"
      assert.equal(begun, wait.woken)
      for _ = 1, 20 do
        change()
        port:check()
        assert.equal(begun, wait.woken)
      end
      port:leave(wait)
    end
  end)

  it("is one for all its waits, and wakes each of them", function()
    local port, first = join "127.0.0.1:80"
    local other, second = join "127.0.0.1:80"
    assert.equal(port, other)
    open["127.0.0.1 80"] = true
    port:check()
    assert.same({ 1, 1 }, { first.woken, second.woken })
    local _, third = join "127.0.0.1:80" -- refused just before the program began to listen
    assert.equal(1, third.woken)
    for _, wait in ipairs { first, second, third } do port:leave(wait) end
    port:leave(first)
    local new, again = join "127.0.0.1:80"
    assert.not_equal(port, new)
    new:leave(again)
  end)

  it("is heard of by a hundred waits at most", function()
    local waits = {}
    for count = 1, 100 do
      waits[count] = new_wait()
      waits[waits[count]] = assert(ports.join(waits[count], "127.0.0.1:" .. count % 7))
    end
    assert.is_nil(join "127.0.0.1:1")
    waits[waits[1]]:leave(waits[1])
    local port, wait = join "127.0.0.1:1"
    port:leave(wait)
    for count = 2, 100 do waits[waits[count]]:leave(waits[count]) end
  end)

  it("is checked until the last of its waits has left", function()
    local port, wait = join "127.0.0.1:80"
    local function turn(milliseconds)
      local waker = core.task.waker()
      loop.alarm(waker):start(loop.update() + milliseconds)
      core.task.pause(waker)
    end
    require("bide").timeout(5, function() repeat turn(1) until looked["127.0.0.1 80"] >= 3 end)
    port:leave(wait)
    local count = looked["127.0.0.1 80"]
    turn(120)
    assert.equal(count, looked["127.0.0.1 80"])
  end)
end)
