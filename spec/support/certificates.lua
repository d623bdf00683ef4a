---Certificates for a spec, made when they are asked for: an authority, a server
---for localhost, and a client. All are PEM files in the directory.

local process = require "spec.support.process"

local function run(directory, command)
  local done = process.run({ "sh", "-c", command }, { cwd = directory.path, tool = true })
  assert(done.code == 0, done.stderr)
end

local authority = [[
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
  -subj "/CN=bide spec authority" -keyout ca.key -out ca.pem]]

local signed = [[
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=%s" \
  -keyout %s.key -out %s.csr &&
printf "subjectAltName=DNS:localhost,DNS:client.localhost,IP:127.0.0.1\n" > %s.ext &&
openssl x509 -req -in %s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
  -extfile %s.ext -out %s.pem]]

local M = {}

---Makes ca.pem, server.pem, server.key, client.pem and client.key.
---@param directory spec.Directory
local function make(directory)
  run(directory, authority)
  for _, name in ipairs { "server", "client" } do
    run(directory, (signed:gsub("%%s", name)))
  end
end

local configuration = [[
[ca]
default_ca = authority
[authority]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
unique_subject = no
copy_extensions = none
policy = policy
[policy]
commonName = supplied
]]

local dated = [[
touch index.txt; [ -f serial ] || echo 1000 >serial
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=NAME" -keyout NAME.key -out NAME.csr &&
openssl ca -batch -config dated.cnf -cert ca.pem -keyfile ca.key -in NAME.csr -out NAME.pem -notext \
  -startdate FROM -enddate TO -extfile NAME.ext]]

---Makes NAME.pem and NAME.key, signed by the authority of `make`, with what a spec wants to be wrong.
---@param directory spec.Directory
---@param name string
---@param wanted { from: string?, to: string?, extensions: string? } "20200101000000Z"; lines for openssl
function M.sign(directory, name, wanted)
  directory:write("dated.cnf", configuration)
  directory:write(name .. ".ext", wanted.extensions or "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
  local values = { NAME = name, FROM = wanted.from or "20200101000000Z", TO = wanted.to or "20400101000000Z" }
  run(directory, (dated:gsub("%u%u+", values)))
end

---Makes NAME.pem and NAME.key, signed by itself.
---@param directory spec.Directory
---@param name string
function M.sign_itself(directory, name)
  run(directory, (authority:gsub("ca%.", name .. "."):gsub("/CN=[%w ]*", "/CN=" .. name)))
end

return setmetatable(M, { __call = function(_, directory) return make(directory) end })
