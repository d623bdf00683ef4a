---libcurl trusts the folder of the system beside a file of authorities (`ca`), and the file of the system beside a folder
---(SSL_CERT_DIR): a service with a certificate of a public authority passed for one of one's own.

local Directory = require "spec.support.directory"
local Workspace = require "spec.support.workspace"
local TlsServer = require "spec.support.tls_server"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

---Runs the rest with other authorities of the system: a folder with hashes, and a file in it.
local WITH_AUTHORITIES = [[mount --bind "$0" /etc/ssl/certs || exit 99; exec "$@"]]

describe("the authorities that are named", function()
  local workspace = Workspace.of_block()
  local of_system = Directory.of_block()

  setup(function()
    make_certificates(of_system)
    make_certificates(workspace)
    local script = [[mkdir system own && cp "$0/ca.pem" system && openssl rehash system
      cp system/ca.pem system/ca-certificates.crt && cp ca.pem own && openssl rehash own]]
    assert.equal(0, process.run({ "sh", "-ec", script, of_system.path }, { cwd = workspace.path, tool = true }).code)
  end)

  local server = TlsServer.of_block(of_system, { "-cert", "server.pem", "-key", "server.key", "-www" })

  ---Runs bide where the system has the authority of the server.
  ---@return spec.Done? done nil if there are no namespaces
  local function run(env, ...)
    for _, name in ipairs { "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR" } do env[name] = env[name] or false end
    local bide = os.getenv "BIDE" or "build/bide"
    local done = process.run({ "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", WITH_AUTHORITIES,
      workspace.path .. "/system", bide, ... }, { env = env })
    return done.code ~= 99 and not done.stderr:find "unshare: " and done or nil
  end

  for name, rest in pairs { http = { "status=200" }, tls = {} } do
    it("are all that the recipe " .. name .. " trusts", function()
      local words = { name, "https://localhost:" .. server.port, "--max-attempts", "1", "--max-wait", "50s", table.unpack(rest) }
      local done = run({}, table.unpack(words))
      if not done then return pending "there are no namespaces of mounts here" end
      assert.equal(0, done.code, done.stderr)
      local own = workspace.path .. "/ca.pem"
      assert.not_equal(0, run({}, table.unpack(words), "ca=" .. own).code)
      words[#words + 1] = "ca=" .. own
      assert.not_equal(0, run({}, table.unpack(words)).code)
      table.remove(words)
      assert.not_equal(0, run({ SSL_CERT_FILE = own }, table.unpack(words)).code)
      assert.not_equal(0, run({ CURL_CA_BUNDLE = own }, table.unpack(words)).code)
      assert.not_equal(0, run({ SSL_CERT_DIR = workspace.path .. "/own" }, table.unpack(words)).code)
      assert.equal(0, run({ SSL_CERT_DIR = workspace.path .. "/system" }, table.unpack(words)).code)
    end)
  end
end)
