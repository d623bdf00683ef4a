---The rules for addresses that recipes may connect to.

local network = require("bide.core").network

---Addresses that a closed network denies by itself, and why.
local closed = {
  { "127.0.0.1", "this machine" }, { "127.255.0.9", "this machine" }, { "0.0.0.0", "this machine" },
  { "0.1.2.3", "this machine" },
  { "169.254.169.254", "link-local" }, { "224.0.0.1", "multicast" }, { "255.255.255.255", "broadcast" },
  { "100.100.100.200", "a metadata service" }, { "168.63.129.16", "a metadata service" },
  { "10.0.0.1", "private" }, { "172.16.0.1", "private" }, { "172.31.255.255", "private" }, { "192.168.1.1", "private" },
  { "100.64.0.1", "private" },
  { "::", "this machine" }, { "::1", "this machine" }, { "fe80::1", "link-local" }, { "fe80::1%lo", "link-local" },
  { "ff02::1", "multicast" }, { "fd00:ec2::254", "a metadata service" }, { "fd12::1", "private" }, { "fc00::1", "private" },
  { "fec0::1", "private" }, { "64:ff9b:1::1", "private" },
  { "::ffff:127.0.0.1", "this machine" }, { "::ffff:10.0.0.1", "private" }, { "::127.0.0.1", "this machine" },
  { "2002:7f00:1::", "this machine" }, { "2002:a9fe:a9fe::1", "link-local" }, { "2002:c0a8:101::1", "private" },
  { "64:ff9b::127.0.0.1", "this machine" },
  { "::ffff:0:127.0.0.1", "this machine" }, { "64:ff9b::a9fe:a9fe", "link-local" },
  { "2001:0:7f00:1::", "this machine" }, { "2001:0:102:304:0:0:80ff:fffe", "this machine" },
  { "2a00::5efe:10.0.0.1", "private" }, { "2a00::200:5efe:127.0.0.1", "this machine" },
}

local open = { "1.2.3.4", "172.32.0.1", "192.169.0.1", "11.0.0.1", "100.128.0.1", "169.253.0.1", "2a00:1450::1",
  "::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "2002:102:304::1" }

---Rules of the user beside a closed network, an address with a port, and whether that is open.
local with_rules = {
  { { allow = "127.0.0.1" }, "127.0.0.1", 80, true },
  { { allow = "127.0.0.1" }, "::ffff:127.0.0.1", 80, true },
  { { allow = "127.0.0.1" }, "127.0.0.2", 80, false },
  { { allow = "127.0.0.0/8" }, "127.0.0.2", 80, true },
  { { allow = "127.0.0.1:8080" }, "127.0.0.1", 8080, true },
  { { allow = "127.0.0.1:8080" }, "127.0.0.1", 8081, false },
  { { allow = "[::1]:8080" }, "::1", 8080, true },
  { { allow = "[::1]:8080" }, "::1", 8081, false },
  { { allow = "0.0.0.0/0" }, "127.0.0.1", 80, false },
  { { allow = "126.0.0.0/7" }, "127.0.0.1", 80, false },
  { { allow = "0.0.0.0/0" }, "10.0.0.1", 80, false },
  { { allow = "::/0" }, "10.0.0.1", 80, false },
  { { allow = "::/0" }, "::1", 80, false },
  { { allow = "private" }, "10.0.0.1", 80, true },
  { { allow = "private" }, "fd12::1", 80, true },
  { { allow = "private" }, "127.0.0.1", 80, false },
  { { allow = "private" }, "169.254.169.254", 80, false },
  { { allow = "private" }, "fd00:ec2::254", 80, false },
  { { allow = "private" }, "100.100.100.200", 80, false },
  { { allow = "10.0.0.0/8", deny = "10.1.0.0/16" }, "10.1.2.3", 80, false },
  { { allow = "10.0.0.0/8", deny = "10.1.0.0/16" }, "10.2.2.3", 80, true },
  { { allow = "10.1.0.0/16", deny = "10.0.0.0/8" }, "10.1.2.3", 80, true },
  { { allow = "10.0.0.0/8", deny = "10.0.0.0/8" }, "10.1.2.3", 80, false },
  { { allow = "10.0.0.1:443", deny = "10.0.0.1" }, "10.0.0.1", 443, true },
  { { allow = "0.0.0.0" }, "0.0.0.0", 80, false },
  { { allow = "0.0.0.0/8" }, "0.0.0.0", 80, false },
  { { deny = "0.0.0.0/0" }, "1.2.3.4", 80, false },
  { { deny = "0.0.0.0/0" }, "2a00::1", 80, true },
  { { deny = "0.0.0.0/0" }, "64:ff9b::1.2.3.4", 80, false },
}

local rules = { "private", "10.0.0.0/8", "10.1.2.3", "10.1.2.3:443", "10.0.0.0/8:443", "::/0", "::1", "fd00::/8",
  "[fd00::/8]:443", "[::1]", "0.0.0.0/0", "::ffff:0:0/96" }

local no_rules = { "", "localhost", "Private", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0",
  "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:", "10.0.0.1:http", "fd00::/129", "fd00::1/8", "[::1", "[::1]:", "[::1]x", "::1]:80",
  "[10.0.0.1]:80", "10.0.0.1 ", " 10.0.0.1", "fe80::1%lo", "10.0.0.0/8/8", "private:80", "10.0.0.1\0", ("1"):rep(500) }

describe("a policy of the network", function()
  after_each(function() network.restrict(false) end)

  it("denies nothing before there is one", function()
    assert.is_nil(network.refusal("127.0.0.1", 80))
    network.check("127.0.0.1", 80)
  end)

  it("that is closed denies this machine, its links and private networks, in each form", function()
    network.restrict(true)
    for _, case in ipairs(closed) do
      local refusal = network.refusal(case[1], 80)
      assert.is_truthy(refusal and refusal:find("closed (" .. case[2] .. ")", 1, true), case[1] .. ": " .. tostring(refusal))
    end
    for _, address in ipairs(open) do assert.is_nil(network.refusal(address, 80), address) end
  end)

  it("that is not closed denies what its rules deny, and no more", function()
    network.restrict(false)
    network.deny "127.0.0.0/8"
    assert.equal("may not connect to 127.0.0.1:80: closed (--deny-net)", network.refusal("127.0.0.1", 80))
    assert.equal("may not connect to 127.0.0.1:80: closed (--deny-net)", network.refusal("::ffff:127.0.0.1", 80))
    for _, address in ipairs { "10.0.0.1", "::1", "169.254.169.254", "1.2.3.4" } do
      assert.is_nil(network.refusal(address, 80), address)
    end
  end)

  it("denies the address that leads to this machine with the address to which it leads", function()
    network.restrict(false)
    network.deny "127.0.0.1:80"
    assert.equal("may not connect to 0.0.0.0:80: closed (--deny-net)", network.refusal("0.0.0.0", 80))
    assert.is_truthy(network.refusal("::ffff:0.0.0.0", 80))
    for _, address in ipairs { "::", "0.0.0.1", "::1" } do assert.is_nil(network.refusal(address, 80), address) end
    assert.is_nil(network.refusal("0.0.0.0", 81))
    network.deny "::1"
    assert.equal("may not connect to [::]:80: closed (--deny-net)", network.refusal("::", 80))
  end)

  for _, case in ipairs(with_rules) do
    local given, address, port, is_open = table.unpack(case)
    it(("%s %s:%d with %s allowed and %s denied"):format(is_open and "opens" or "denies", address, port, given.allow or "nothing",
      given.deny or "nothing"), function()
      network.restrict(true)
      if given.allow then network.allow(given.allow) end
      if given.deny then network.deny(given.deny) end
      assert.equal(is_open, network.refusal(address, port) == nil)
    end)
  end

  it("closes the port of the store, which only a rule for that port opens", function()
    network.restrict(true)
    network.allow "1.2.3.0/24"
    network.allow "1.2.3.4"
    network.close("1.2.3.4", 5432)
    network.close("1.2.3.4", 5432)
    local refusal = "may not connect to 1.2.3.4:5432: closed (the store); see --allow-net of bide worker"
    assert.equal(refusal, network.refusal("1.2.3.4", 5432))
    assert.equal(refusal, network.refusal("::ffff:1.2.3.4", 5432))
    assert.is_nil(network.refusal("1.2.3.4", 5433))
    network.allow "1.2.3.4:5432"
    assert.is_nil(network.refusal("1.2.3.4", 5432))
  end)

  it("takes rules, and nothing else", function()
    network.restrict(false)
    for _, rule in ipairs(rules) do
      assert.is_true(network.is_rule(rule), rule)
      network.allow(rule)
    end
    for _, text in ipairs(no_rules) do
      assert.is_false(network.is_rule(text), text)
      assert.has_error(function() network.deny(text) end)
    end
    assert.has_error(function() network.refusal("localhost", 80) end)
    assert.has_error(function() network.refusal("127.0.0.1", 65536) end)
  end)

  it("raises a refusal where no attempt runs", function()
    network.restrict(true)
    local ok, failure = pcall(network.check, "127.0.0.1", 80)
    assert.is_false(ok)
    assert.equal("may not connect to 127.0.0.1:80: closed (this machine); see --allow-net of bide worker", failure.refused)
  end)
end)
