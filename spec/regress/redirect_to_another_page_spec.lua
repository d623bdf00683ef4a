---A redirect to a page of login, with a status of 200, was the success of `http` although nothing was known of the page that
---was asked for.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local failure_of = require "spec.support.failure_of"
local http = require "bide.http"
local port = require "spec.support.port"

describe("a redirect of `http`", function()
  local workspace = Workspace.of_block()
  local location
  local second = Server.of_block(function() return { status = 200, body = "second" } end)
  local first = Server.of_block(function(request)
    if request.target == "/health" then return { status = 302, headers = { Location = location } } end
    return { status = 200, headers = { ["Content-Type"] = "text/html" }, body = "<p>sign in</p>" }
  end)

  local proxy = Server.of_block(function(request)
    if request.target ~= "http://example.test/a?b=1" then return { body = "end" } end
    return { status = 301, headers = { Location = location } }
  end)

  local function run(to, ...)
    location = to
    return workspace:bide { "http", first.url:gsub("/$", "") .. "/health", "--max-attempts", "2", "--max-delay", "10ms",
      "--max-wait", "50s", "--quiet", ... }
  end

  local function other_host(path) return ("http://localhost:%d%s"):format(first.port, path) end
  local function second_page() return ("http://127.0.0.1:%d/health"):format(second.port) end

  for name, to in pairs {
    ["another path"] = "/login", ["a longer path"] = "/health/login", ["another query"] = "/health?login=1",
    ["no path"] = "/", ["another host"] = function() return other_host "/health/" end, ["another port"] = second_page,
  } do
    it("to " .. name .. " is no success, and the way to follow it is named", function()
      local place = type(to) == "function" and to() or to
      run(place):says(4, "RedirectRefused", "to another page", "follow=true")
      assert.equal(0, run(place, "follow=true").code)
    end)
  end

  it("to the page of login succeeds where that page has what was asked for", function()
    for _, words in ipairs {
      { "expect=sign in" }, { "matches=sign" }, { "matches_lua=sign" }, { "xpath=//p" }, { "--until", "text() != ''" },
    } do
      local done = run("/login", table.unpack(words))
      assert.equal(0, done.code, done.stderr)
    end
    run("/login", "expect=all is well"):says(4, 'the text "all is well" was not found')
  end)

  it("is no success by what is asked for a failure alone", function()
    for _, words in ipairs { { "failed=broken" }, { "--fail", "status=failed" }, { "status=2xx" } } do
      run("/login", table.unpack(words)):says(4, "to another page")
    end
  end)

  it("to the same page is followed", function()
    assert.equal(0, run("/health/").code)
    assert.equal(0, run("./health/#top").code)
  end)

  it("to the same page over TLS is followed, at another port too", function()
    run(("https://127.0.0.1:%d/health"):format(port.free())):says(4, "ConnectionRefused")
  end)

  it("to the same page is followed in scripts, and its name may begin with www", function()
    local function get()
      return http.get("http://example.test/a?b=1", { proxy = proxy.url, redirects = "page" })
    end
    for _, to in ipairs { "http://www.example.test/a?b=1", "http://example.test:80/a/?b=1", "http://EXAMPLE.test/./a?b=1#c" } do
      location = to
      assert.equal("end", get().body, to)
    end
    for _, to in ipairs { "http://www2.example.test/a?b=1", "http://example.test/a?b=2", "http://example.test/A?b=1" } do
      location = to
      assert.equal("RedirectRefused", failure_of(get).type, to)
      assert.equal("http://example.test/a?b=1", proxy:last().target)
    end
  end)
end)
