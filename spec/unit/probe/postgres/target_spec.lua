local Directory = require "spec.support.directory"
local certificates = require "spec.support.certificates"
local pgpass = require "bide.probe.postgres.pgpass"
local target = require "bide.probe.postgres.target"
local uv = require "luv"

describe("where a session to PostgreSQL goes", function()
  local directory = Directory.of_block()
  local kept = {}

  setup(function()
    certificates.sign_itself(directory, "ca")
    for name, value in pairs(uv.os_environ()) do
      if name:find "^PG" then
        kept[name] = value
        uv.os_unsetenv(name)
      end
    end
    uv.os_setenv("PGPASSFILE", directory.path .. "/none")
  end)

  teardown(function()
    uv.os_unsetenv "PGPASSFILE"
    for name, value in pairs(kept) do uv.os_setenv(name, value) end
  end)

  local function names(found)
    local list = {}
    for position, host in ipairs(found.hosts) do list[position] = host.name .. " " .. host.mode end
    return list
  end

  local function url(text) return target.read { url = text } end

  it("is what a URL says", function()
    local found = assert(url "postgres://a%40b:s%3Ac@db:6432/my%20shop?application_name=x&prepare=off&connect_timeout=2")
    assert.same({ "a@b", "my shop", "x", false, 2 },
      { found.user, found.database, found.application_name, found.prepares, found.connect_timeout })
    assert.same({ "db:6432 verify-full" }, names(found))
    assert.equal("s:c", found.hosts[1].password)
    assert.is_false(found.is_read_write)
    found = assert(url "postgresql://app@a,b:1,[::1]:2/")
    assert.same({ "a:5432 verify-full", "b:1 verify-full", "[::1]:2 prefer" }, names(found))
    assert.same({ "app", true }, { found.database, found.is_read_write })
    assert.is_false(assert(url "postgres://app@a,b/?target_session_attrs=any").is_read_write)
  end)

  it("may be a socket", function()
    assert.same({ "/run/pg/.s.PGSQL.5432 disable" }, names(assert(url "postgres:///db?host=/run/pg")))
    assert.same({ "/run/pg/.s.PGSQL.7 disable" }, names(assert(url "postgres://%2Frun%2Fpg:7/db?sslmode=require")))
    assert.same({ "/var/run/postgresql/.s.PGSQL.5432 disable" }, names(assert(url "postgres:///db")))
    assert.same({ "/x/.s.PGSQL.1 disable", "b:2 verify-full" }, names(assert(target.read { host = "/x,b", port = "1,2" })))
    local _, mistake = target.read { host = "/" .. ("x"):rep(100) }
    assert.matches("^host: expected the path of a socket of at most 107 bytes, found 115$", mistake)
  end)

  it("is spoken to in clear only where that leaves no machine, or is asked for", function()
    for host, mode in pairs { db = "verify-full", ["10.0.0.1"] = "verify-full", localhost = "prefer", ["127.0.0.9"] = "prefer",
      ["::1"] = "prefer", ["localhost.example.org"] = "verify-full", ["127.0.0.1.example.org"] = "verify-full" } do
      assert.equal(mode, target.read({ host = host }).hosts[1].mode)
      assert.equal("disable", target.read({ host = host, sslmode = "disable" }).hosts[1].mode)
    end
    local ca = directory.path .. "/ca.pem"
    local tls = target.read({ url = "postgres://db/?sslmode=verify-ca&sslrootcert=" .. ca }).hosts[1].tls
    assert.same({ verify = "authority", ca = ca }, tls)
    local _, mistake = target.read { host = "db", sslrootcert = "/nowhere/ca.pem" }
    assert.matches("^the certificates of authorities: ENOENT.*/nowhere/ca.pem$", mistake)
  end)

  it("is filled in by the environment", function()
    for name, value in pairs { PGHOST = "a,b", PGPORT = "1,2", PGUSER = "u", PGDATABASE = "d", PGPASSWORD = "secret",
      PGSSLMODE = "require", PGAPPNAME = "n", PGCHANNELBINDING = "require", PGTARGETSESSIONATTRS = "any" } do
      uv.os_setenv(name, value)
      finally(function()
        for _, each in ipairs { "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSSLMODE", "PGAPPNAME",
          "PGCHANNELBINDING", "PGTARGETSESSIONATTRS" } do uv.os_unsetenv(each) end
      end)
    end
    local found = assert(target.read {})
    assert.same({ "a:1 require", "b:2 require" }, names(found))
    assert.same({ "u", "d", "n", true, false, "secret" }, { found.user, found.database, found.application_name,
      found.needs_binding, found.is_read_write, found.hosts[2].password })
    assert.same({ "c:3 verify-full" }, names(assert(url "postgres://c:3/?sslmode=verify-full")))
    uv.os_setenv("PGSSLMODE", "sometimes")
    local _, mistake = target.read {}
    assert.matches("^PGSSLMODE: expected ", mistake)
  end)

  it("is refused where the environment says what bide does not read", function()
    local function read_with(name, value)
      uv.os_setenv(name, value)
      local found, mistake = target.read {}
      uv.os_unsetenv(name)
      return found, mistake
    end
    for name, value in pairs { PGSERVICE = "x", PGHOSTADDR = "x", PGSSLCRL = "x", PGSSLCRLDIR = "x", PGREQUIREPEER = "postgres",
      PGGSSENCMODE = "require", PGSSLMINPROTOCOLVERSION = "TLSv1.3" } do
      local found, mistake = read_with(name, value)
      assert.is_nil(found, name)
      assert.equal(name .. " is set, which bide does not read: unset it", mistake)
    end
    assert.is_truthy(read_with("PGGSSENCMODE", "prefer"))
    assert.is_truthy(read_with("PGSSLMINPROTOCOLVERSION", "TLSv1.2"))
  end)

  it("is refused where it is none", function()
    for text, expected in pairs {
      ["mysql://db"] = "^url: expected a URL such as postgres://app@db/shop$",
      ["db:5432"] = "^url: expected a URL",
      ["postgres://db:x/"] = "^host: expected a name",
      ["postgres://db:70000/"] = '^port: expected 1 to 65535, found "70000"$',
      ["postgres://a,b:1:2/"] = "^host: expected a name",
      ["postgres://%zz/"] = "^url: an escape",
      ["postgres://db/%00"] = "^url: an escape",
      ["postgres://db/?sslmod=require"] = '^url: sslmod: unknown parameter, did you mean "sslmode"%?$',
      ["postgres://db/?gssencmode=require"] = "^url: gssencmode: bide does not encrypt by GSS",
      ["postgres://db/?sslmode=maybe"] = '^sslmode: expected "disable", ',
      ["postgres://db/?connect_timeout=0"] = "^connect_timeout: expected a number of seconds above 0",
      ["postgres://db/?require_auth=kerberos"] = "^require_auth: expected ",
      ["postgres://db/?target_session_attrs=standby"] = "^target_session_attrs: expected ",
      ["postgres://db/?host=a%2Cb&port=1%2C2%2C3"] = "^port: expected one, or one for each of the 2 hosts, found 3$",
    } do
      local found, mistake = url(text)
      assert.is_nil(found, text)
      assert.matches(expected, mistake)
    end
    local _, mistake = target.read { hots = "db" }
    assert.equal('hots: unknown option, did you mean "host"?', mistake)
    _, mistake = target.read { password = 7 }
    assert.equal("password: expected a string, found [redacted]", mistake)
    _, mistake = target.read { user = "a\0b" }
    assert.equal("user: expected a text without NUL bytes", mistake)
  end)

  it("shows no password in a mistake", function()
    local _, mistake = url "postgres://u:hunter2@db:x:y/?sslmode=no"
    assert.not_matches("hunter2", mistake)
  end)

  it("has the password of the first line that fits", function()
    local text = "# a comment\n\nbroken\ndb:5432:shop:app:first\ndb:*:shop:*:se\\:co\\\\nd\n*:*:*:*:any:thing\n"
    local function search(...) return pgpass.search(text, { ... }) end
    assert.equal("first", search("db", "5432", "shop", "app"))
    assert.equal("se:co\\nd", search("db", "5433", "shop", "x"))
    assert.equal("any:thing", search("other", "1", "d", "u"))
    assert.is_nil(pgpass.search("\\*:*:*:*:x\n", { "db", "1", "d", "u" }))
    assert.equal("x", pgpass.search("\\*:*:*:*:x\n", { "*", "1", "d", "u" }))
    assert.equal("x", pgpass.search("a\\:b:1:d:u:x", { "a:b", "1", "d", "u" }))
  end)

  it("reads a file with passwords only if nobody else may", function()
    local path = directory:write("pgpass", "db:5432:d:u:found\n/run/pg:5432:d:u:socket\nlocalhost:*:*:*:default\n")
    local function read(given)
      given.passfile, given.user, given.dbname = path, "u", "d"
      return target.read(given).hosts[1]
    end
    uv.fs_chmod(path, 384)
    assert.equal("found", read({ host = "db" }).password)
    assert.equal("socket", read({ host = "/run/pg" }).password)
    assert.equal("default", read({ host = "/var/run/postgresql" }).password)
    assert.is_nil(read({ host = "other" }).password)
    assert.equal("mine", read({ host = "db", password = "mine" }).password)
    for _, mode in ipairs { 416, 388, 385 } do
      uv.fs_chmod(path, mode)
      assert.is_nil(read({ host = "db" }).password)
      assert.matches("pgpass is not read: expected that nobody else may read it %(chmod 600%), found the mode ",
        read({ host = "db" }).note)
    end
    path = directory.path
    assert.matches("is not a regular file", read({ host = "db" }).note)
  end)
end)
