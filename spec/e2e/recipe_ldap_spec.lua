local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local process = require "spec.support.process"
local service = require "spec.support.service"
local with_default = require "spec.support.with_default"

require "spec.support.proven"

local configuration = [[
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile PATH/server.pem
TLSCertificateKeyFile PATH/server.key
access to dn.exact="cn=secret,dc=shop" by users read by * none
access to dn.subtree="ou=hidden,dc=shop" by users read by * none
access to * by * read
database mdb
suffix "dc=shop"
rootdn "cn=admin,dc=shop"
rootpw "secret word"
directory PATH/db
]]

local entries = [[
dn: dc=shop
objectClass: dcObject
objectClass: organization
o: shop
dc: shop

dn: cn=app,dc=shop
objectClass: organizationalRole
cn: app

dn: cn=secret,dc=shop
objectClass: organizationalRole
cn: secret

dn: ou=hidden,dc=shop
objectClass: organizationalUnit
ou: hidden

dn: cn=app,ou=hidden,dc=shop
objectClass: organizationalRole
cn: app
]]

describe("the recipe ldap, with OpenLDAP", function()
  local program, missing = service.find("slapd", "slapd")
  if not program then return pending(missing) end

  local workspace = Workspace.of_block()
  local server, clear, secure

  local function start(...)
    return workspace:start { "run", "ldap", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(...) return start(with_default("--max-wait", "5s", ...)):wait() end

  setup(function()
    certificates(workspace)
    local path = workspace.path
    assert(os.execute("mkdir " .. path .. "/db"))
    workspace:write("slapd.conf", (configuration:gsub("PATH", path)))
    workspace:write("init.ldif", entries)
    local made = process.run({ "slapadd", "-f", path .. "/slapd.conf", "-l", path .. "/init.ldif" },
      { tool = true, env = { PATH = os.getenv "PATH" .. ":/usr/sbin" } })
    assert.equal(0, made.code, made.stderr)
    clear, secure = "127.0.0.1:" .. free_port(), "127.0.0.1:" .. free_port()
    local started = start(clear, "--max-wait", "20s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    server = service.start { program, "-h", ("ldap://%s ldaps://%s"):format(clear, secure), "-f", path .. "/slapd.conf",
      "-d", "0" }
    started:wait():prints(0, '"namingContexts"')
  end)

  teardown(function() server:stop "sigkill" end)

  it("finds an entry, and misses another", function()
    assert.equal(0, run("EntryExists", clear, "base=cn=app,dc=shop").code)
    assert.equal(0, run("EntryGone", clear, "base=cn=none,dc=shop").code)
    assert.equal(124, run("EntryExists", clear, "base=cn=none,dc=shop", "--max-wait", "0.2s").code)
    assert.equal(124, run("EntryGone", clear, "base=cn=app,dc=shop", "--max-wait", "0.2s").code)
  end)

  it("takes no entry for gone that it may not see, or that is of another suffix", function()
    for _, base in ipairs { "cn=secret,dc=shop", "cn=app,ou=hidden,dc=shop", "cn=none,ou=hidden,dc=shop", "dc=shopp",
      "cn=app,dc=other" } do
      local done = run("EntryGone", clear, "base=" .. base, "--max-wait", "0.3s")
      assert.equal(124, done.code, base .. done.stdout)
      assert.matches("EntryUnseen: the server finds no such entry, and names none above it", done.stderr, 1, true)
      assert.equal(0, run("EntryGone", clear, "base=" .. base, "unseen=true").code)
    end
    local admin = { "user=cn=admin,dc=shop", "password=secret word" }
    assert.equal(0, run("EntryExists", clear, "base=cn=secret,dc=shop", table.unpack(admin)).code)
    assert.equal(0, run("EntryGone", clear, "base=cn=none,ou=hidden,dc=shop", table.unpack(admin)).code)
    assert.equal(0, run("EntryGone", clear, "base=cn=none,ou=none,dc=shop").code)
  end)

  it("binds by a name, and fails at once by a wrong password", function()
    assert.equal(0, run(clear, "user=cn=admin,dc=shop", "password=secret word").code)
    local done = run(clear, "user=cn=admin,dc=shop", "password=wrong word")
    done:writes(1, "InvalidCredentials")
    assert.not_matches("wrong word", done.stdout .. done.stderr, 1, true)
  end)

  it("speaks TLS from the first byte, or after StartTLS", function()
    local ca = "ca=" .. workspace.path .. "/ca.pem"
    assert.equal(0, run("ldaps://" .. secure, ca).code)
    assert.equal(0, run(clear, ca).code)
    assert.equal(3, run(clear, "starttls=true").code)
  end)
end)
