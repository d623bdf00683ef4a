local address = require "bide.address"

local forms = { schemes = { "postgres", "postgresql" } }

describe("an address", function()
  for text, expected in pairs {
    ["db"] = { host = "db" },
    ["db:5432"] = { host = "db", port = 5432 },
    ["db.example.org:1"] = { host = "db.example.org", port = 1 },
    ["my_db-1:65535"] = { host = "my_db-1", port = 65535 },
    ["10.0.0.1:80"] = { host = "10.0.0.1", port = 80 },
    ["bücher.example:80"] = { host = "bücher.example", port = 80 },
    ["8080"] = { host = "localhost", port = 8080 },
    ["[::1]:80"] = { host = "::1", port = 80 },
    ["[::1]"] = { host = "::1" },
    ["::1"] = { host = "::1" },
    ["fe80::1%eth0"] = { host = "fe80::1%eth0" },
    ["[fe80::1%eth0]:80"] = { host = "fe80::1%eth0", port = 80 },
    ["::ffff:10.0.0.1"] = { host = "::ffff:10.0.0.1" },
    ["postgres://db"] = { scheme = "postgres", host = "db", path = "", query = {} },
    ["POSTGRES://db"] = { scheme = "postgres", host = "db", path = "", query = {} },
    ["postgresql://db:5433/shop"] = { scheme = "postgresql", host = "db", port = 5433, path = "shop", query = {} },
    ["postgres://me@db/shop"] = { scheme = "postgres", user = "me", host = "db", path = "shop", query = {} },
    ["postgres://me:pw@db/shop?sslmode=disable&x=%20"] = {
      scheme = "postgres", user = "me", password = "pw", host = "db", path = "shop", query = { sslmode = "disable", x = " " },
    },
    ["postgres://:pw@db"] = { scheme = "postgres", password = "pw", host = "db", path = "", query = {} },
    ["postgres://m%65:p%40%3A%2F@db/a%2Fb"] = {
      scheme = "postgres", user = "me", password = "p@:/", host = "db", path = "a/b", query = {},
    },
    ["postgres://me:a:b@c@db"] = { scheme = "postgres", user = "me", password = "a:b@c", host = "db", path = "", query = {} },
    ["postgres://me:@db"] = { scheme = "postgres", user = "me", password = "", host = "db", path = "", query = {} },
    ["postgres://[::1]:5432/?"] = { scheme = "postgres", host = "::1", port = 5432, path = "", query = {} },
    ["postgres://db?a=b&&c"] = { scheme = "postgres", host = "db", path = "", query = { a = "b", c = "" } },
    ["postgres://db/shop#part"] = { scheme = "postgres", host = "db", path = "shop", query = {} },
  } do
    it("is " .. text, function() assert.same(expected, (assert(address.read(text, forms)))) end)
  end

  for text, expected in pairs {
    ["/run/pg"] = { host = "/run/pg" },
    ["postgres:///shop?host=/run/pg&x=1"] = { scheme = "postgres", host = "/run/pg", path = "shop", query = { x = "1" } },
    ["postgres://me@:7/?host=/run/pg"] = { scheme = "postgres", user = "me", host = "/run/pg", port = 7, path = "",
      query = {} },
    ["postgres://%2Frun%2Fpg:7/a"] = { scheme = "postgres", host = "/run/pg", port = 7, path = "a", query = {} },
    ["postgres://db/a"] = { scheme = "postgres", host = "db", path = "a", query = {} },
  } do
    it("may be the folder of a socket: " .. text, function()
      assert.same(expected, (assert(address.read(text, { schemes = { "postgres" }, folders = true }))))
      if text:find "[/F]run" then assert.is_nil((address.read(text, forms))) end
    end)
  end

  it("names its host once", function()
    local all = { schemes = { "postgres" }, folders = true, parameters = {} }
    assert.matches("the parameter host is not read", select(2, address.read("postgres://db/?host=/run/pg", all)))
    for _, text in ipairs { "postgres:///", "postgres:///?host=db", "postgres://:x/?host=/run/pg",
      "postgres://:0/?host=/run/pg" } do
      assert.is_nil((address.read(text, all)))
    end
  end)

  for _, text in ipairs {
    "", ":", "db:", "db:0", "db:65536", "db:99999999999999999999", "db:http", "db:80:80", "db:-1", "db: 80", " db", "db\n",
    "db\0", "-db", "[", "[]", "[]:80", "[::1", "::1]", "[::1]80", "[::1]:", "[db]:80", "[::1]:x", "0", ":0", "65536",
    "a b", "a/b",
    "db:80/path", "a,b", "me@db", "me:pw@db:80", "*:80", "db?x", "é b", "\27[31mdb", "\u{202E}db", "http://db", "postgres:/db",
    "postgres://", "postgres:///shop", "postgres://me:pw@", "postgres://db:x", "postgres://db:0", "postgres://a,b/c",
    "postgres://%zz@db", "postgres://me:%@db", "postgres://db/%0", "postgres://db/%00", "postgres://db?%zz=1", "postgres://d b",
    "1postgres://db", "://db", "postgres://[::1/shop", ("a"):rep(5000), ("["):rep(4000), (":"):rep(4000) .. "x", ("a:"):rep(2000),
    ("postgres://" .. ("@"):rep(4000)),
  } do
    it(("is not %q"):format(text:sub(1, 40)), function()
      local found, mistake = address.read(text, forms)
      if found and text:find "\u{202E}" then return end -- a resolver refuses it
      assert.is_nil(found)
      assert.matches(text:find "^me.*@" and "^expected postgres:// before a user, found \""
        or "^expected HOST:PORT or a postgres:// URL, [%l%d ,]*found \"", mistake)
      assert.is_nil(mistake:find "[%c]")
    end)
  end

  for text, port in pairs {
    [":8080"] = 8080, ["postgres://:5432/shop"] = 5432, ["postgres://me:sesame@:5432"] = 5432, ["@:1"] = 1, [":0080"] = 80,
  } do
    it("has no host: " .. text, function()
      local found, mistake = address.read(text, forms)
      assert.is_nil(found)
      assert.equal(("no host before :%d; localhost:%d?"):format(port, port), mistake)
    end)
  end

  it("is no URL where none is expected", function()
    assert.equal('expected HOST:PORT, found "tcp://db:80"', select(2, address.read "tcp://db:80"))
  end)

  for _, text in ipairs {
    "me:sesame-street@db:80", "postgres://me:sesame-street@db:x", "other://me:sesame-street@db", "me:sesame-street@",
    "postgres://me:sesame-street@d b/", "postgres://me:sesame/sesame-street@db/shop", "sesame-street@b:c@d:x",
    "postgres://sesame-street:@db:x",
  } do
    it("shows no password in a mistake: " .. text, function()
      local found, mistake = address.read(text, forms)
      assert.is_nil(found)
      assert.is_nil(mistake:find("sesame", 1, true), mistake)
    end)
  end

  it("is given as a string", function()
    for _, name in ipairs { "read", "http" } do
      local ok, mistake = pcall(address[name], 5)
      assert.is_false(ok)
      assert.matches("bide.address." .. name .. ": expected a string, found 5$", mistake)
    end
  end)
end)

describe("an address of inputs", function()
  for _, case in ipairs {
    { { host = "db", port = 1 }, nil, { host = "db", port = 1 } },
    { { host = "db:1" }, nil, { host = "db", port = 1 } },
    { { host = "db" }, 5432, { host = "db", port = 5432 } },
    { { host = "db:1" }, 5432, { host = "db", port = 1 } },
    { { host = "db:1", port = 1 }, nil, { host = "db", port = 1 } },
    { { url = "postgres://me:pw@db/shop", user = "you" }, 5432,
      { scheme = "postgres", user = "you", password = "pw", host = "db", port = 5432, path = "shop", query = {} } },
    { { host = "db" }, nil, nil, "port: expected 1 to 65535, found nothing; for example db:80" },
    { { host = "::1:8080" }, nil, nil, "port: expected 1 to 65535, found nothing; for example [::1]:8080" },
    { { host = "::1" }, nil, nil, "port: expected 1 to 65535, found nothing; for example [::1]:80" },
    { { host = "fe80::2:99999" }, nil, nil, "port: expected 1 to 65535, found nothing; for example [fe80::2:99999]:80" },
    { { host = "db:1", port = 2 }, nil, nil, "port: expected 1, as in host, found 2" },
    { { host = "a b" }, nil, nil, 'host: expected HOST:PORT or a postgres:// URL, found "a b"' },
    { { host = "db", url = "db" }, 1, nil, "url: expected either url or host, found both" },
    { {}, 1, nil, "url: expected HOST:PORT or a postgres:// URL, found nothing" },
  } do
    it(("is %s"):format(case[4] or case[3].host), function()
      local found, mistake = address.of(case[1], case[2], forms)
      assert.same(case[3], found)
      assert.equal(case[4], mistake)
      assert.equal(case[4], (address.check(case[2], forms)(case[1])))
    end)
  end
end)

describe("the address of an HTTP service", function()
  for text, url in pairs {
    ["http://db"] = "http://db", ["https://db/x?y=z#w"] = "https://db/x?y=z#w", ["HTTP://db"] = "http://db",
    ["localhost:8080/health"] = "http://localhost:8080/health", ["db"] = "http://db", ["db/x"] = "http://db/x",
    ["8080"] = "http://localhost:8080", ["8080/x"] = "http://localhost:8080/x",
    ["[::1]:80/x"] = "http://[::1]:80/x", ["http://me:pw@db:80/"] = "http://me:pw@db:80/",
    ["db?x=http://y"] = "http://db?x=http://y",    ["10.0.0.1:80"] = "http://10.0.0.1:80",
  } do
    it("is " .. text, function() assert.equal(url, (assert(address.http(text)))) end)
  end

  for _, text in ipairs {
    ":8080/x", "http://:80", "https://me:pw@:80/x",
  } do
    it("has no host: " .. text, function()
      local found, mistake = address.http(text)
      assert.is_nil(found)
      assert.matches("^no host before :80", mistake)
    end)
  end

  for _, text in ipairs {
    "", "http://", "/health", "ftp://db", "http://db:x", "http://db:0", "a b", "http://a\nb", "file:///etc/passwd", "?x", "#",
    "http:///x", ("a"):rep(5000), "http://[::1", "http://a,b/",
  } do
    it(("is not %q"):format(text:sub(1, 40)), function()
      local found, mistake = address.http(text)
      assert.is_nil(found)
      assert.matches("^expected a URL such as http://localhost:8080/health, [%l%d ,]*found \"", mistake)
    end)
  end

  describe("several", function()
    it("are read with what they share", function()
      assert.same({ { host = "one", port = 9092 }, { host = "two", port = 1 } }, address.read_list("one,two:1", 9092))
      local list = assert(address.read_list("mongodb://me:p,w@a,[::1]:5/shop?x=y", 27017, { schemes = { "mongodb" } }))
      assert.same({ { scheme = "mongodb", user = "me", password = "p,w", host = "a", port = 27017, path = "shop",
        query = { x = "y" } }, { scheme = "mongodb", user = "me", password = "p,w", host = "::1", port = 5, path = "shop",
        query = { x = "y" } } }, list)
    end)

    it("are refused where one of them is none, without a password in the message", function()
      for _, text in ipairs { "", "a,", ",a", "a,b:x", "a b", "redis://a,b", ("a,"):rep(3000) .. "a", ("a,"):rep(64) .. "a" } do
        local list, mistake = address.read_list(text, 1)
        assert.is_nil(list)
        assert.matches("expected", mistake, 1, true)
      end
      local _, mistake = address.read_list("mongodb://me:secret@a,b:x", 1, { schemes = { "mongodb" } })
      assert.not_matches("secret", mistake, 1, true)
    end)

    it("are asked in turn until one answers", function()
      local asked = {}
      local function ask(target)
        asked[#asked + 1] = target.host
        return target.host == "b" and "yes" or error({ type = "Refused", message = target.host }, 0)
      end
      assert.equal("yes", address.ask_each(address.read_list("a,b,c", 1), ask))
      assert.same({ "a", "b" }, asked)
      local ok, failure = pcall(address.ask_each, address.read_list("a,c", 1), ask)
      assert.same({ false, "c" }, { ok, failure.message })
      ok, failure = pcall(address.ask_each, address.read_list("a,b", 1), function() error "a mistake" end)
      assert.is_false(ok)
      assert.matches("a mistake", failure, 1, true)
    end)

    it("are asked until an answer suffices", function()
      local function ask(target)
        return target.host ~= "down" and target.host or error({ type = "Refused", message = target.host }, 0)
      end
      local function is_long(answer) return #answer > 1 end
      for text, expected in pairs { ["a,bb,cc"] = "bb", ["a,down,bb"] = "bb", ["a,b,down"] = "a", ["down,a"] = "a" } do
        assert.equal(expected, address.ask_each(address.read_list(text, 1), ask, is_long))
      end
      assert.is_false(pcall(address.ask_each, address.read_list("down,down", 1), ask, is_long))
    end)
  end)
end)
