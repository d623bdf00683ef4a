---A proxy that is no URL, or has a scheme that no proxy has, was a NameNotResolved or a ConnectionFailed, which are
---transient: a wait went on to its deadline. The message of libcurl showed the URL with its password.

local http = require "bide.http"
local failure_of = require "spec.support.failure_of"

describe("a wrong proxy", function()
  for _, proxy in ipairs { "http://me:sesame@[", "x y", "ftp://me:sesame@127.0.0.1:1", "http://127.0.0.1:99999" } do
    it("is final: " .. proxy, function()
      local failure = failure_of(http.get, "http://thing.example/", { proxy = proxy })
      assert.same({ "InvalidRequest", "cannot ask thing.example:80: the proxy is not the URL of an HTTP or SOCKS proxy" },
        { failure.type, failure.message })
    end)
  end

  it("is one too where the environment names it", function()
    local uv = require "luv"
    uv.os_setenv("http_proxy", "ftp://me:sesame@127.0.0.1:1")
    finally(function() uv.os_unsetenv "http_proxy" end)
    assert.equal("InvalidRequest", failure_of(http.get, "http://thing.example/").type)
  end)
end)

describe("an option with a secret", function()
  it("is not shown where its value is wrong", function()
    for _, name in ipairs { "bearer", "password", "key_password" } do
      local _, mistake = pcall(http.get, "http://127.0.0.1:1", { [name] = 12345678 })
      assert.matches(name .. ": expected a string, found %[redacted%]$", mistake)
    end
  end)
end)
