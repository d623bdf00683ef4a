local Directory = require "spec.support.directory"
local Dnsmasq = require "spec.support.dnsmasq"
local port = require "spec.support.port"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe dns, with dnsmasq", function()
  if Dnsmasq.missing then return pending(Dnsmasq.missing) end

  local directory = Directory.of_block()
  local server

  setup(function() server = Dnsmasq.start(directory, "mx-host=example,mail.example,10") end)

  teardown(function() server:stop() end)

  local function start(...)
    return process.start({ process.bide, "run", "dns", "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  local function ask(...) return start("server=127.0.0.1", "port=" .. server.port, ...) end

  it("waits until a name is known", function()
    server:write_hosts ""
    local started = ask("name=new.example", "--max-wait", "50s", "--output", "json")
    started:wait_for_output "NameNotFound"
    server:write_hosts "10.0.0.7 new.example\n"
    started:wait():prints(0, '"waiter": "NameKnown"')
    assert.matches('"answers": %[%s*"10.0.0.7"', started.stdout)
  end)

  it("waits until it is what is expected, and until it is not", function()
    server:write_hosts "10.0.0.1 web.example\n"
    local started = ask("name=web.example", "expect=10.0.0.2", "--max-wait", "50s")
    started:wait_for_output "web.example: expected 10.0.0.2, found 10.0.0.1"
    server:write_hosts "10.0.0.1 web.example\n10.0.0.2 web.example\n"
    assert.equal(0, started:wait().code, started.stderr)
    started = ask("NameGone", "name=web.example", "expect=10.0.0.1", "--max-wait", "50s")
    started:wait_for_output "attempt 1"
    server:write_hosts "10.0.0.2 web.example\n"
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("waits for records of other types", function()
    assert.equal(0, ask("name=example", "type=MX", "expect=10 mail.example", "--max-wait", "5s"):wait().code)
    ask("name=example", "type=TXT", "--max-attempts", "2", "--max-wait", "50s"):wait()
      :says(4, "NoData: example has no TXT record")
  end)

  it("waits until a name is gone", function()
    server:write_hosts "10.0.0.1 old.example\n"
    assert.equal(0, ask("name=old.example", "--max-wait", "50s"):wait().code)
    local started = ask("NameGone", "name=old.example", "--max-wait", "50s")
    started:wait_for_output "attempt 1"
    server:write_hosts ""
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches("NameGone succeeded .*NameNotFound", started.stdout)
  end)

  it("waits for a server that is not there yet", function()
    local other = Directory.make()
    local number = port.free()
    local started = start("server=127.0.0.1", "port=" .. number, "name=example", "type=MX", "--max-wait", "50s")
    started:wait_for_output "ConnectionRefused"
    local later = Dnsmasq.start(other, "mx-host=example,mail.example,10", number)
    started:wait()
    later:stop()
    other:remove()
    assert.equal(0, started.code, started.stderr)
  end)

  it("asks the system where no server is named", function()
    assert.equal(0, start("name=localhost", "expect=127.0.0.1", "--max-wait", "5s"):wait().code)
    start("name=no-such-host.invalid", "--max-attempts", "2", "--max-wait", "50s"):wait():says(4, "NameNotFound")
    assert.equal(0, start("NameGone", "name=no-such-host.invalid", "--max-wait", "5s"):wait().code)
  end)

  it("fails at once where waiting does not help", function()
    ask("name=elsewhere.org", "--max-wait", "5s"):wait():says(3, "QueryRefused")
    assert.equal(2, ask("name=a..b", "--max-wait", "5s"):wait().code)
  end)

  it("refuses what cannot be asked", function()
    local function refusal(...)
      local done = start("name=x", "--max-wait", "1s", ...):wait()
      assert.equal(2, done.code)
      return done.stderr
    end
    assert.matches("server: expected a name server, found nothing", refusal "type=MX")
    assert.matches("server: expected a name server, found nothing", refusal "port=53")
    assert.matches('type: expected one of A, .*, found "TXTT", did you mean "TXT"%?', refusal "type=TXTT")
    assert.matches("port: expected 1 to 65535, found 99999", refusal("server=127.0.0.1", "port:=99999"))
    assert.matches("timeout: expected a duration .*, above 0, found", refusal "timeout=0")
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches("name: expected .*, found nothing", start("--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "sever", did you mean "server"%?', start("name=x", "sever=y", "--max-wait", "1s"):wait().stderr)
  end)
end)
