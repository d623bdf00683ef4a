---Where credentials may go: the origin that was meant, and what may stand before its host.

local origin = require "bide.probe.http.origin"

describe("the origin that was meant", function()
  local allowed = {
    { "https://api.example/x?y", "https://api.example" }, { "https://API.example:443", "https://api.example/v1" },
    { "http://127.1/x", "http://127.0.0.1" }, { "http://[::1]:80/", "http://[::1]" },
    { "https://data.api.example/x", "https://api.example", "data." },
    { "https://Data-api.example/x", "https://api.example", "data-" },
    { "https://a.b-c.s3.example/x", "https://s3.example", origin.LABELS },
  }
  for _, case in ipairs(allowed) do
    it(("takes %s for %s"):format(case[1], case[2]), function()
      assert.is_nil(origin.stray_url(table.unpack(case)))
    end)
  end

  local refused = {
    { "http://api.example", "https://api.example" }, { "https://api.example:444", "https://api.example" },
    { "https://api.example@evil.example/x", "https://api.example" }, { "https://evil.example/x", "https://api.example" },
    { "https://api.example.evil.example/x", "https://api.example" },
    { "https://evil.example#.api.example", "https://api.example" },
    { "https://evil.example?.api.example", "https://api.example", origin.LABELS },
    { "https://evilapi.example", "https://api.example", origin.LABELS },
    { "https://a..api.example", "https://api.example", origin.LABELS },
    { "https://.api.example", "https://api.example", origin.LABELS },
    { "https://other.api.example", "https://api.example", "data." }, { "https://other.api.example", "https://api.example" },
    { "https://x.127.0.0.1", "https://127.0.0.1", origin.LABELS }, { "http://x.localhost", "http://localhost", "x." },
    { "https://data.api.example:444", "https://api.example", "data." }, { "no url", "https://api.example" },
  }
  for _, case in ipairs(refused) do
    it(("refuses %s for %s"):format(case[1], case[2]), function()
      local mistake = origin.stray_url(table.unpack(case))
      assert.is_string(mistake)
    end)
  end

  it("is named without a user and a query", function()
    assert.equal("https://host/x", origin.shown_url "https://me:secret@host/x?token=y#z")
  end)
end)

describe("an address of this machine", function()
  it("is known by its host alone", function()
    for _, url in ipairs { "http://localhost", "http://a.localhost:1/", "http://127.3.4.5/x", "http://[::1]:80" } do
      assert.is_true(origin.is_loopback(url), url)
    end
    for _, url in ipairs { "http://localhost.example", "http://127.example", "http://128.0.0.1", "http://[::2]" } do
      assert.is_false(origin.is_loopback(url), url)
    end
  end)

  it("is told from another one that begins alike, whichever was asked about before", function()
    local urls = { "http://localhost/a", "http://localhost:1/a", "http://localhost?a", "http://localhost#a", "http://localhost" }
    for _, url in ipairs(urls) do
      assert.is_true(origin.is_loopback(url), url)
      assert.is_false(origin.is_loopback "http://localhost.example/a")
      assert.is_true(origin.is_loopback(url), url)
      assert.is_false(origin.is_loopback "http://localhost@example/a")
    end
    assert.is_false(origin.is_loopback "http://example/localhost/a")
    assert.is_false(origin.is_loopback "http://example/localhost/b")
  end)
end)
