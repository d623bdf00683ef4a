---What systems do in different ways, as scripts reach it; `make posix` runs it over the way without Linux.

local core = require "bide.core"
local uv = require "luv"

local network = core.network

-- busted looks up a global at each use
local math, string, table = math, string, table

local function random_text(most)
  local bytes = {}
  for i = 1, math.random(0, most) do bytes[i] = ("ab\0"):byte(math.random(3)) end
  return string.char(table.unpack(bytes))
end

describe("the platform", function()
  it("finds a text where string.find does", function()
    for case = 1, 20000 do
      local text, sought = random_text(40), random_text(case % 7)
      local wanted, found = string.find(text, sought, 1, true), core.pattern.find(text, sought, 1, true)
      if wanted ~= found then
        error(("%q in %q: found at %s, wanted %s"):format(sought, text, found, wanted))
      end
    end
  end)

  it("finds a long text in a longer one in linear time", function()
    local text = ("a"):rep(1000000)
    local before = os.clock()
    assert.is_nil(core.pattern.find(text, ("a"):rep(500000) .. "b", 1, true))
    assert.equal(500001, core.pattern.find(text .. "b", ("a"):rep(500000) .. "b", 1, true))
    assert.is_true(os.clock() - before < 1) -- some ms; comparing at each place would take minutes
  end)

  describe("tells whether a program listens", function()
    ---Binds a socket; returns its port, and whether the machine has such an address.
    local function bind(address, flags)
      local listener = uv.new_tcp()
      if not listener:bind(address, 0, flags) then
        listener:close()
        return nil
      end
      return listener, listener:getsockname().port
    end

    local function look(port)
      return { network.listens("127.0.0.1", port), network.listens("::1", port), network.listens("127.0.0.2", port) }
    end

    local rows = {
      { "127.0.0.1", nil, { true, false, false } },
      { "127.0.0.2", nil, { false, false, true } },
      { "0.0.0.0", nil, { true, false, true } },
      { "::1", nil, { false, true, false } },
      { "::", nil, { true, true, true } },
      { "::", { ipv6only = true }, { false, true, false } },
    }

    for _, row in ipairs(rows) do
      local address, flags, wanted = table.unpack(row, 1, 3)
      it(("at %s%s"):format(address, flags and " for IPv6 alone" or ""), function()
        if network.listens("127.0.0.1", 1) == nil then return pending "the system does not say" end
        local listener, port = bind(address, flags)
        if not listener then return pending("no address " .. address) end
        finally(function()
          listener:close()
          uv.run "nowait"
        end)
        assert.same({ false, false, false }, look(port)) -- bound is not yet listening
        listener:listen(1, function() end)
        assert.same(wanted, look(port))
      end)
    end

    it("and uses up no place in its queue", function()
      if network.listens("127.0.0.1", 1) == nil then return pending "the system does not say" end
      local listener, port = bind "127.0.0.1"
      local has_come = false
      listener:listen(1, function() has_come = true end)
      for _ = 1, 100 do assert.is_true(network.listens("127.0.0.1", port)) end
      uv.run "nowait"
      listener:close()
      uv.run "nowait"
      assert.is_false(has_come)
      assert.is_false(network.listens("127.0.0.1", port))
    end)

    it("and refuses what is no address", function()
      for _, address in ipairs { "localhost", "", "1.2.3", "::ffff:1.2.3.400", "127.0.0.1\0" } do
        assert.has_error(function() network.listens(address, 80) end)
      end
      assert.has_error(function() network.listens("127.0.0.1", 65536) end)
      assert.has_error(function() network.listens("127.0.0.1", -1) end)
    end)
  end)
end)
