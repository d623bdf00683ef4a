---What bide.service makes of the words of a recipe.

local acceptor = require "bide.acceptor"
local service = require "bide.service"

local function prepare() return function() return {} end end

local plain = { port = 1234, schemes = { "thing", "things" }, tls = "things", parameters = {},
  url = { example = "thing://a", documentation = "An address." }, failures = { "Refused" }, transient = { "Starting" } }

local function operation(of_service, own)
  local given = { prepare = prepare, waitable = { Ready = { acceptors = { acceptor.success() } } } }
  for name, value in pairs(own or {}) do given[name] = value end
  return service(of_service)(given)
end

describe("bide.service", function()
  it("gives a waiter the delays of a near service, and the acceptors for errors after its own", function()
    local waiter = operation(plain).waitable.Ready
    assert.same({ 0.05, 5, 0.05 }, { waiter.minDelay, waiter.maxDelay, waiter.lateness })
    assert.equal(3, #waiter.acceptors)
    assert.is_true(waiter.acceptors[1].matcher.success)
    assert.equal("Refused", waiter.acceptors[2].matcher.errorType)
    assert.equal("retry", waiter.acceptors[3].state)
  end)

  it("leaves a waiter the delays that it has", function()
    local waiter = operation(plain, { waitable = { Ready = { minDelay = 1, acceptors = {} } } }).waitable.Ready
    assert.same({ 1, nil, nil }, { waiter.minDelay, waiter.maxDelay, waiter.lateness })
  end)

  it("lets opposites hold both ways, and changes nothing that it was given", function()
    local given = { Ready = { acceptors = {}, opposite = "Gone" }, Gone = { acceptors = {} } }
    local made = operation(plain, { waitable = given }).waitable
    assert.equal("Ready", made.Gone.opposite)
    assert.same({ Ready = { acceptors = {}, opposite = "Gone" }, Gone = { acceptors = {} } }, given)
  end)

  it("prepares an operation with its target", function()
    local seen
    local made = operation(plain, { prepare = function(target, input) seen = { target, input } return prepare() end })
    local input = { url = "things://user@host", timeout = 3 }
    assert.is_function(made.prepare(input))
    local target = seen[1]
    assert.same({ "host", 1234, "user", 3 }, { target.host, target.port, target.user, target.timeout })
    assert.is_table(target.tls)
    assert.equal(input, seen[2])
    made.prepare { url = "thing://host" }
    assert.is_nil(seen[1].tls)
  end)

  it("takes the port of TLS for its scheme, in any case", function()
    local of_service = { port = 25, tls_port = 465, schemes = { "smtp", "smtps" }, tls = "smtps", parameters = {},
      host = { documentation = "HOST." } }
    local seen
    local made = operation(of_service, { prepare = function(target) seen = target return prepare() end })
    local ports = { mail = 25, ["mail:26"] = 26, ["SMTPS://mail"] = 465, ["smtps://mail:1"] = 1, ["smtp://mail"] = 25 }
    for text, port in pairs(ports) do
      assert.is_nil(made.check { host = text })
      made.prepare { host = text }
      assert.equal(port, seen.port, text)
    end
  end)

  it("prepares several addresses, each with the user of the inputs", function()
    local seen
    local made = operation({ port = 9, schemes = { "thing" }, tls = true, parameters = {}, urls = { documentation = "Them." } },
      { prepare = function(targets) seen = targets return prepare() end })
    made.prepare { url = "a,b:7", user = "u", password = "p", timeout = 1 }
    assert.same({ "a", 9, "u", "p", 1 }, { seen[1].host, seen[1].port, seen[1].user, seen[1].password, seen[1].timeout })
    assert.same({ "b", 7 }, { seen[2].host, seen[2].port })
  end)

  it("returns the mistake of an address, from check and from prepare", function()
    local made = operation(plain)
    assert.matches("^url: ", made.check { url = "ftp://host" })
    local _, mistake = made.prepare { url = "ftp://host" }
    assert.matches("^url: ", mistake)
  end)

  it("declares the inputs of its kind, without those that are false", function()
    local input = operation(plain, { inputs = { tls = false, extra = { type = "string" } } }).input
    assert.same({ 1, "string" }, { input.url.positional, input.url.type })
    assert.is_table(input.password)
    assert.is_table(input.ca)
    assert.is_table(input.extra)
    assert.is_nil(input.tls)
  end)

  it("has no inputs of addresses over HTTP, and prepares with the input", function()
    local seen
    local made = operation({ http = "localhost:8086" }, { prepare = function(input) seen = input return prepare() end })
    local input = { url = "localhost:1" }
    made.prepare(input)
    assert.equal(input, seen)
    assert.is_nil(made.input.host)
    assert.is_string(made.check { url = "ftp://x" })
  end)

  for name, row in pairs {
    ["an unknown member"] = { { prot = 1 }, 'bide.service: prot: unknown option, did you mean "port"?' },
    ["no kind of address"] = { { port = 1 }, "bide.service: expected one of http, url, host and urls, found none" },
    ["no port"] = { { url = {} }, "bide.service: port: expected the usual port, found nothing" },
    ["a port of TLS without its scheme"] = { { url = {}, port = 1, tls_port = 2, tls = true },
      "bide.service: tls: expected the scheme" },
  } do
    it("refuses " .. name, function()
      assert.error_matches(function() service(row[1]) end, row[2], 1, true)
    end)
  end

  it("refuses an operation without prepare", function()
    assert.error_matches(function() service(plain) { waitable = {} } end, "bide.service: operation: prepare: ", 1, true)
  end)
end)
