require "bide.core"

local transfer = require "bide.transfer"

describe("the address of a redirect", function()
  local resolved = {
    -- RFC 3986, 5.4, as far as HTTP has it
    { "http://a/b/c/d?q", "g", "http://a/b/c/g" }, { "http://a/b/c/d?q", "./g", "http://a/b/c/g" },
    { "http://a/b/c/d?q", "g/", "http://a/b/c/g/" }, { "http://a/b/c/d?q", "/g", "http://a/g" },
    { "http://a/b/c/d?q", "//g", "http://g/" }, { "http://a/b/c/d?q", "g?y", "http://a/b/c/g?y" },
    { "http://a/b/c/d?q", "g#s", "http://a/b/c/g#s" }, { "http://a/b/c/d?q", "..", "http://a/b/" },
    { "http://a/b/c/d?q", "../g", "http://a/b/g" }, { "http://a/b/c/d?q", "../../g", "http://a/g" },
    { "http://a/b/c/d?q", "../../../g", "http://a/g" }, { "http://a/b/c/d?q", "/./g", "http://a/g" },
    { "http://a/b/c/d?q", "?y", "http://a/b/c/d?y" },
    { "http://a/b", "https://c:8443/d", "https://c:8443/d", "https://c:8443" },
    { "http://a:80/b", "/c", "http://a:80/c" }, { "HTTP://A/b", "/c", "http://A/c" },
    { "http://u:p@a/b", "/c", "http://u:p@a/c" }, { "http://u:p@a/b", "http://a/c", "http://u:p@a/c" },
    { "http://u:p@a/b", "http://A:80/c", "http://u:p@A:80/c" },
    { "http://u:p@a/b", "http://a:81/c", "http://a:81/c", "http://a:81" },
    { "http://u:p@a/b", "https://a/c", "https://a/c", "https://a:443" },
    { "http://u:p@a/b", "//g/c", "http://g/c", "http://g:80" }, { "http://u:p@a/b", "http://v@a/c", "http://v@a/c" },
    { "http://a/b#mine", "/c", "http://a/c#mine" }, { "http://a/b#mine", "/c#own", "http://a/c#own" },
    { "http://a/b", "/c d", "http://a/c%20d" }, { "http://[::1]:8080/", "/c", "http://[::1]:8080/c", "http://[::1]:8080" },
  }
  for _, case in ipairs(resolved) do
    it(("is %s for %s at %s"):format(case[3], case[2], case[1]), function()
      local url, origin = transfer.resolve(case[1], case[2])
      assert.equal(case[3], url)
      if case[4] then assert.equal(case[4], origin) end
      assert.equal(transfer.origin(url), origin)
    end)
  end

  for _, case in ipairs {
    { "http://a", "http://[" }, { "nowhere", "/" }, { "http://a/", "javascript:alert(1)" }, { "http://a/", "file:///b" },
  } do
    it(("is none for %s at %s"):format(case[2], case[1]), function() assert.is_nil(transfer.resolve(case[1], case[2])) end)
  end

  it("has an origin that is one in every spelling", function()
    for _, url in ipairs { "http://host", "HTTP://HOST:80/", "http://Host:/a", "http://u:p@host:080/?q#f" } do
      assert.equal("http://host:80", transfer.origin(url), url)
    end
    assert.equal("https://host:443", transfer.origin "https://host/")
    assert.is_nil(transfer.origin "host")
    assert.is_nil(transfer.origin "http://host\0.example/")
  end)

  it("is asked for by texts", function()
    assert.has_error(function() transfer.resolve({}, "/") end)
    assert.has_error(function() transfer.resolve "http://a/" end)
    assert.has_error(function() transfer.origin(nil) end)
  end)
end)
