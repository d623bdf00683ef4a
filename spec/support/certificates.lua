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

---Makes ca.pem, server.pem, server.key, client.pem and client.key.
---@param directory spec.Directory
return function(directory)
  run(directory, authority)
  for _, name in ipairs { "server", "client" } do
    run(directory, (signed:gsub("%%s", name)))
  end
end
