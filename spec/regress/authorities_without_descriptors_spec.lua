---Where no file descriptor was left for the files of authorities, a good certificate was refused; and a dialogue that began TLS
---failed with ConnectionFailed, as if the server could not be reached.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local process = require "spec.support.process"
local uv = require "luv"

local bide = assert(uv.fs_realpath(process.bide))

local script = [[
local bide, tls = require "bide", require "bide.tls"
local where, spare = arg[1], tonumber(arg[2])
pcall(tls.connect, "127.0.0.1:1") -- loads what it needs
tls.connect(where, { verify = false }):close()
bide.sleep(0.1)
local held = {}
repeat
  local file = io.open "/dev/null"
  held[#held + 1] = file
until not file
for _ = 1, spare do table.remove(held):close() end
bide.spawn(function()
  bide.sleep(0.3)
  for _, file in ipairs(held) do file:close() end
end)
if arg[3] == "start" then
  local ok, failure = pcall(bide.tcp, { host = "localhost", port = where:match "%d+", talk = tls.start })
  return print(ok or failure.type)
end
local connection <close> = tls.connect(where)
print(connection:peer().subject)
]]

describe("a certificate of an authority in a folder", function()
  local workspace = Workspace.of_each()

  it("is verified, however few descriptors are left", function()
    certificates(workspace)
    assert(process.run({ "sh", "-c", "mkdir folder && cp ca.pem folder && openssl rehash folder" },
      { cwd = workspace.path, tool = true }).code == 0)
    workspace:write("script.lua", script)
    local server = TlsServer.start(workspace, { "-cert", "server.pem", "-key", "server.key" })
    finally(function() server:close() end)
    local function run(variable, value, spare, how)
      local env = { SSL_CERT_DIR = false, SSL_CERT_FILE = false, CURL_CA_BUNDLE = false }
      env[variable] = workspace.path .. value
      local done = process.run({ "sh", "-c", 'ulimit -n 40; exec "$@"', "sh", bide, "exec", "script.lua",
        "localhost:" .. server.port, tostring(spare), how }, { cwd = workspace.path, env = env })
      assert.same({ "", 0 }, { done.stderr, done.code }, "with " .. spare .. " left")
      return done.stdout
    end
    for variable, value in pairs { SSL_CERT_DIR = "/folder", CURL_CA_BUNDLE = "/ca.pem" } do
      for spare = 0, 3 do assert.equal("CN=server\n", run(variable, value, spare)) end
      for spare = 0, 3 do assert.equal("true\n", run(variable, value, spare, "start")) end
    end
  end)
end)
