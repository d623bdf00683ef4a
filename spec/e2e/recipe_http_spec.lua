local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local process = require "spec.support.process"

local blocks = [[
  types { application/json json; }
  server {
    listen 127.0.0.1:PORT;
    root .;
    location = /health { return 204; }
    location = /pending { default_type application/json; return 200 '{"status":"pending","secret":"s"}'; }
    location = /flag { default_type application/json; return 200 '{"pending":true}'; }
    location = /text { return 200 "all is well\n"; }
    location = /starting { return 503; }
    location = /private { return 401; }
    location = /unmade { return 404 '{"code":"NoSuchThing"}'; }
    location = /moved { return 302 /health; }
    location = /health/ { return 302 /health; }
  }
]]

require "spec.support.proven"

describe("the recipe http, with nginx", function()
  local directory = Directory.of_block()
  local nginx, url

  setup(function()
    nginx = Nginx.start(directory, blocks)
    url = ("url=http://127.0.0.1:%d"):format(nginx.port)
  end)

  teardown(function() nginx:stop() end)

  local function run(path, ...)
    return process.run({ process.bide, "run", "http", url .. path, "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  ---Runs it, and changes the service a moment later.
  local function run_while(change, path, ...)
    local started = process.start(
      { process.bide, "run", "http", url .. path, "--min-delay", "50ms", "--max-delay", "50ms", ... })
    started:wait_for_output "attempt 1"
    change()
    return started:wait()
  end

  it("succeeds where the service is healthy", function()
    run("/health", "--max-wait", "50s", "--output", "json"):prints(0, '"waiter": "ServiceHealthy"', '"output": {}')
  end)

  it("follows redirects to the same page, and to others where that is asked for", function()
    assert.equal(0, run("/health/", "--max-wait", "50s").code)
    assert.equal(0, run("/moved", "follow=true", "--max-wait", "50s").code)
    assert.equal(4, run("/moved", "--max-attempts", "1", "--max-wait", "50s").code)
  end)

  it("waits while the service says that it is not ready", function()
    run("/starting", "--max-attempts", "1", "--max-wait", "20s"):says(4, "ServiceUnavailable (503)")
  end)

  it("waits while a thing is absent, whatever the service calls that", function()
    run("/unmade", "--max-attempts", "1", "--max-wait", "20s"):says(4, "NoSuchThing (404)")
  end)

  it("waits until a thing is there", function()
    local done = run_while(function() directory:write("new.json", '{"status":"pending"}') end,
      "/new.json", "--max-wait", "50s")
    done:says(0, "NotFound")
  end)

  it("waits until the body says what is expected", function()
    directory:write("thing.json", '{"status":"pending","size":3}')
    local done = run_while(function() directory:write("thing.json", '{"status":"success"}') end,
      "/thing.json", "path=status", "expect=success", "--max-wait", "50s", "--output", "json")
    done:says(0, 'status is "pending", expected "success"')
    assert.matches('"output": {%s*"status": "success"%s*}', done.stdout)
  end)

  it("expects numbers, what is true, and text", function()
    directory:write("size.json", '{"size":3,"ready":false,"list":[]}')
    assert.equal(0, run("/size.json", "path=size", "expect=3", "--max-wait", "5s").code)
    assert.equal(0, run("/size.json", "path=size", "expect:=3", "--max-wait", "5s").code)
    assert.equal(0, run("/size.json", "path=size > `2`", "--max-wait", "5s").code)
    assert.equal(124, run("/size.json", "path=ready", "--max-wait", "300ms").code)
    assert.equal(124, run("/size.json", "path=list", "--max-wait", "300ms").code)
    assert.equal(0, run("/text", "expect=is well", "--max-wait", "5s").code)
    assert.equal(124, run("/text", "expect=is bad", "--max-wait", "300ms").code)
    assert.equal(124, run("/text", "path=status", "--max-wait", "300ms").code)
  end)

  it("waits for another status", function()
    assert.equal(0, run("/private", "status=401", "--max-wait", "5s").code)
    assert.equal(0, run("/starting", "status=2xx,503", "--max-wait", "5s").code)
    run("/health", "status=200", "--max-attempts", "2", "--max-wait", "50s"):says(4, "the status is 204")
  end)

  it("fails at once where waiting does not help", function()
    run("/private", "--max-wait", "5s"):says(3, "Unauthorized (401)")
    assert.equal(2, process.run({ process.bide, "run", "http", "url=nonsense://x", "--max-wait", "5s" }).code)
  end)

  it("waits for a service that is not up yet", function()
    local later = Directory.make()
    local probe = Nginx.start(later, "server { listen 127.0.0.1:PORT; location / { return 200; } }")
    probe:stop()
    local started = process.start({ process.bide, "run", "http", "url=http://127.0.0.1:" .. probe.port,
      "--min-delay", "50ms", "--max-delay", "50ms", "--max-wait", "50s" })
    started:wait_for_output "ConnectionRefused"
    local other = process.start({ "nginx", "-p", later.path .. "/", "-c", later.path .. "/nginx.conf" }, { tool = true })
    started:wait()
    other:kill "sigterm"
    other:wait()
    later:remove()
    assert.equal(0, started.code, started.stderr)
  end)

  it("waits until nobody answers any more", function()
    local later = Directory.make()
    local other = Nginx.start(later, "server { listen 127.0.0.1:PORT; location / { return 404; } }")
    local started = process.start({ process.bide, "run", "http", "ServiceDown", "url=http://127.0.0.1:" .. other.port,
      "--min-delay", "50ms", "--max-delay", "50ms", "--max-wait", "50s" })
    started:wait_for_output "NotFound"
    other:stop()
    started:wait()
    later:remove()
    assert.equal(0, started.code, started.stderr)
    assert.matches("ServiceDown succeeded .*ConnectionRefused", started.stdout)
  end)

  it("takes a gateway's word that nobody answers where down says so, and no other", function()
    local function down(...)
      return process.run({ process.bide, "run", "http", "ServiceDown", "--min-delay", "50ms", "--max-delay", "50ms", ... })
    end
    assert.equal(0, down(url .. "/starting", "down=502,503,504", "--max-wait", "5s").code)
    assert.equal(124, down(url .. "/starting", "--max-wait", "300ms").code)
    assert.equal(124, down(url .. "/health", "--max-wait", "300ms").code)
    assert.equal(124, down(url .. "/nothing", "--max-wait", "300ms").code)
    assert.equal(124, down(url .. "/private", "status=401", "--max-wait", "300ms").code)
    assert.equal(2, down("url=nonsense://x", "--max-wait", "5s").code)
  end)

  it("keeps the members that the answers of a wait had apart from those of a wait beside it", function()
    local at = url:gsub("^url=", "")
    local limits = { "path=!pending", "--interval", "10ms", "--max-attempts", "5" }
    local words = { process.bide, "http", at .. "/flag", table.unpack(limits) }
    for _, word in ipairs { "+", "http", at .. "/pending", table.unpack(limits) } do words[#words + 1] = word end
    for _, word in ipairs { "--keep-going", "--max-wait", "1m" } do words[#words + 1] = word end
    process.run(words):writes(4, "0 of 2 waits succeeded, 2 failed", "no answer has had the member pending")
  end)

  it("names an input that is mistyped", function()
    for words, message in pairs {
      [{ "pth=status" }] = 'unknown input "pth", did you mean "path"%?',
      [{ "status=2xx,ok" }] = 'status%[2%]: expected a status such as 200 or 2xx, found "ok"',
      [{ "path=a." }] = 'path: expected a JMESPath, found "a%.": syntax: found the end',
      [{ "path=a", "failed=b", "message=a[" }] = 'message: expected a JMESPath, found "a%["',
      [{ "message=a" }] = "message: expected failed beside it",
      [{ "matches=[" }] = 'found "%[": missing terminating %] for character class, at byte 2',
      [{ "headers=Accept" }] = 'headers: expected lines of the form "Name: value", found none in line 1',
      [{ 'headers:={"A":{"b":1}}' }] = "headers",
      [{ "json={" }] = "json: ",
      [{ "ca=no.pem" }] = "ca: no%.pem: no such file or directory",
      [{ "json={}", "body=x" }] = "body and json exclude each other",
      [{ "insecure=maybe" }] = 'insecure: expected true or false, found "maybe"',
    } do
      local done = run("/health", "--max-wait", "5s", table.unpack(words))
      assert.same({ 2, "" }, { done.code, done.stdout }, table.concat(words, " "))
      assert.matches(message, done.stderr)
    end
  end)
end)
