---Runs hostile models with the credentials of a user, and looks at what every server receives: whatever a model says, what
---the user has reaches no origin but the one that it was meant for.
---
---    lua5.4 spec/fuzz/models.lua --seconds 60 [--count N] [--build build] [--seed N] [--first N] [--keep-going]
---
---A finding is printed with its seed, and the exit code is 1. What was meant is read here from the words of the user alone,
---by patterns that share nothing with bide's.

package.path = "spec/fuzz/?.lua;" .. package.path

local Directory = require "spec.support.directory"
local Random = require "script.random"
local core = require "bide.core"
local maker = require "models.make"
local process = require "spec.support.process"
local uv = require "luv"

local json = core.json

local options = { seconds = 60, build = "build", first = 1 }
do
  local i = 1
  while arg[i] do
    local name = arg[i]:match "^%-%-(.*)$" or error("unknown argument " .. arg[i])
    if name == "keep-going" then
      options.keep_going, i = true, i + 1
    else
      options[name], i = tonumber(arg[i + 1]) or arg[i + 1], i + 2
    end
  end
end

local LONGEST = 30 -- seconds for one model, on a busy machine

-- ---- the world --------------------------------------------------------------------------------

local directory = Directory.make()
local bide = assert(uv.fs_realpath(options.build .. "/bide"))

local function run_tool(command)
  local done = process.run({ "sh", "-c", command }, { cwd = directory.path, tool = true })
  assert(done.code == 0, done.stderr)
end

local hosts = { "localhost", "own.example", "*.own.example", "evil.example", "*.evil.example", "*.rule.evil.example",
  "*.uri.evil.example", "*.prefix.evil.example", "*.moved.evil.example", "own.example.rule.evil.example" }
run_tool(([[
cc -shared -fPIC -O1 -o everywhere.so %s/spec/fuzz/models/everywhere.c -ldl
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=hostile models" \
  -addext "subjectAltName=DNS:%s,IP:127.0.0.1" -keyout server.key -out server.pem 2>/dev/null]])
  :format(uv.cwd(), table.concat(hosts, ",DNS:")))

local server = process.start({ "setpriv", "--pdeathsig", "TERM", "python3", uv.cwd() .. "/spec/fuzz/models/server.py",
  directory.path }, { tool = true, longest = 1e6 })
server:wait_for_output "\n"
server:hold_loop(false)
local ports = json.decode(server.stdout)

---Waits until the server has written down what came from a program that has ended.
local function settle()
  local socket, is_settled = uv.new_tcp(), false
  socket:connect("127.0.0.1", ports.settle, function(failure)
    assert(not failure, failure)
    socket:read_start(function() is_settled = true end)
  end)
  while not is_settled do uv.run "once" end
  socket:close()
end

local preload = os.getenv "LD_PRELOAD"
local secrets = maker.secrets
local environment = {
  HOME = directory.path, LD_PRELOAD = (preload and preload .. ":" or "") .. directory.path .. "/everywhere.so",
  LOOKUPS = directory.path .. "/lookups", PORT_80 = tostring(ports.plain_80), PORT_443 = tostring(ports.tls_443),
  SSL_CERT_FILE = directory.path .. "/server.pem", CURL_CA_BUNDLE = false, SSL_CERT_DIR = false,
  AWS_CA_BUNDLE = false,
  AWS_ACCESS_KEY_ID = secrets.access_key, AWS_SECRET_ACCESS_KEY = secrets.secret_key, AWS_SESSION_TOKEN = secrets.session,
  AWS_EC2_METADATA_DISABLED = "true", AWS_PROFILE = false, AWS_CONFIG_FILE = false, AWS_SHARED_CREDENTIALS_FILE = false,
  AWS_ENDPOINT_URL = false, AWS_ENDPOINT_URL_FOO = false, AWS_REGION = "eu-west-1", BIDE_AWS_MODELS = false, BIDE_PATH = false,
  TOKEN = secrets.token, BASIC = "user:" .. secrets.password, KEY = secrets.key,
  http_proxy = false, https_proxy = false, HTTPS_PROXY = false, ALL_PROXY = false, all_proxy = false, NO_PROXY = false,
  UBSAN_OPTIONS = "print_stacktrace=1:halt_on_error=1:exitcode=99", ASAN_OPTIONS = "detect_leaks=0:exitcode=99",
}

local function lines_of(name)
  local lines, handle = {}, io.open(directory.path .. "/" .. name)
  for line in handle and handle:lines() or function() end do lines[#lines + 1] = line end
  if handle then handle:close() end
  return lines
end

---Returns the names that each address was given for.
local function names_by_address()
  local names = { ["127.0.0.1"] = "127.0.0.1" }
  for _, line in ipairs(lines_of "lookups") do
    local name, address = line:match "^(.*) (%S+)$"
    names[address] = name:lower():gsub("%.$", "")
  end
  return names
end

-- ---- what was meant ---------------------------------------------------------------------------

local function unescaped(text)
  return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

---The beginnings of what basic authentication makes of the user's words.
local basic = "dXNlcjpwYXNzd29yZC1vZi10aGUtdXNlc"

local marks = { basic, "AWS4%-HMAC", "AWS4%-ECDSA", "[Xx]%-[Aa]mz%-[Ss]ignature=" }
for _, secret in pairs(secrets) do marks[#marks + 1] = (secret:gsub("%p", "%%%0")) end

---Returns what a request holds of the user's; nil if it holds nothing.
local function credential_in(request)
  local text = request.line .. request.headers .. request.body
  for _, form in ipairs { text, unescaped(text) } do
    for _, mark in ipairs(marks) do
      -- A model may well name a parameter of the query "X-Amz-Signature", whose value is then its own.
      if form:find(mark) and mark:sub(1, 4) ~= "[Xx]" then return mark end
    end
  end
  return nil
end

---Returns the scheme, host and port of the endpoint that the user gave.
local function origin_of(endpoint)
  local scheme, host, port = endpoint:lower():match "^(https?)://([%w.-]+):?(%d*)"
  host = host == "localhost" and "127.0.0.1" or host
  return scheme, host, tonumber(port) or (scheme == "https" and 443 or 80)
end

local function is_or_is_below(name, host)
  if name == host then return true end
  return not host:find "^[%d.]+$" and name:sub(-#host - 1) == "." .. host and name:sub(1, -#host - 2):find "^[%w_.-]+$" ~= nil
end

---Returns why a request with credentials should not have come here; nil if it was meant to.
local function stray(request, made, names)
  local name = names[request.address] or "an address that nobody asked for"
  if made.endpoint then
    local scheme, host, port = origin_of(made.endpoint)
    if request.tls == (scheme == "https") and request.port == port and is_or_is_below(name, host) then return nil end
    return ("%s:%d got it, and %s was given"):format(name, request.port, made.endpoint)
  end
  if not made.is_trusted then return ("%s:%d got it, and no endpoint was given"):format(name, request.port) end
  if not request.tls then return ("%s:%d got it without TLS"):format(name, request.port) end
  local is_named_elsewhere = false
  for _, part in ipairs { "uri.evil", "prefix.evil", "label.evil", "header.evil", "moved.evil" } do
    is_named_elsewhere = is_named_elsewhere or name:find(part, 1, true) ~= nil
  end
  return is_named_elsewhere and ("%s:%d got it, which no rule names"):format(name, request.port) or nil
end

---Returns why a signature is for another host than the one that it came to.
local function other_host(request, names)
  local host, more = request.headers:lower():match "\n?host:[ \t]*([^\r\n]*)\r?\n(.*)"
  if not host or ("\n" .. more):find "\nhost:" then return "it has not one Host" end
  local found, port = host:match "^(.-):?(%d*)$"
  if found == "localhost" then found = "127.0.0.1" end
  local default = request.tls and 443 or 80
  found = found:gsub("%.$", "")
  if found ~= names[request.address] or (tonumber(port) or default) ~= request.port then
    return ("its Host is %s, and it came to %s:%d"):format(host, names[request.address], request.port)
  end
  return nil
end

-- ---- one model --------------------------------------------------------------------------------

---Returns what is wrong with a run.
local function finding_of(done, made)
  if done.code == 99 or done.signal ~= 0 or done.code > 128 then return "a crash" end
  local text = done.stdout .. done.stderr
  -- Rules that are broken are a bug of the model's, which is told without a traceback.
  if done.code == 70 or text:find("stack traceback", 1, true) then return "a bug of bide" end
  if text:find("AddressSanitizer", 1, true) or text:find("runtime error:", 1, true) then return "a sanitizer" end
  for _, secret in pairs(secrets) do
    if secret ~= secrets.access_key and text:find(secret, 1, true) then return "it shows a secret" end
  end
  local names, credentials = names_by_address(), 0
  for _, line in ipairs(lines_of "requests") do
    local request = json.decode(line)
    local mark = credential_in(request)
    if mark then
      credentials = credentials + 1
      local why = stray(request, made, names) or other_host(request, names)
      if why then return ("%s: %s\n%s"):format(mark, why, line) end
    end
  end
  return nil, credentials
end

local counts = { runs = 0, requests = 0, credentials = 0, refused = 0, findings = 0 }

local function run(seed)
  local made = maker.make(Random.new(seed), ports)
  for _, name in ipairs { "lookups", "requests" } do os.remove(directory.path .. "/" .. name) end
  directory:write("plan.json", json.encode { answers = made.answers })
  directory:write("model.json", json.encode(made.model))
  local env = {}
  for name, value in pairs(environment) do env[name] = value end
  for name, value in pairs(made.environment) do env[name] = value end
  local command = { bide, "run", "model.json" }
  table.move(made.words, 1, #made.words, #command + 1, command)
  for _, word in ipairs { "--max-wait", "500ms", "--quiet" } do command[#command + 1] = word end
  local done = process.run(command, { cwd = directory.path, env = env, longest = LONGEST })
  settle()
  local finding, credentials = finding_of(done, made)
  counts.runs, counts.requests = counts.runs + 1, counts.requests + #lines_of "requests"
  counts.credentials = counts.credentials + (credentials or 0)
  counts.refused = counts.refused + (done.code == 2 and 1 or 0)
  if options.seed or finding then
    print(("seed %d: %s: exit code %d, signal %d"):format(seed, finding or "nothing", done.code, done.signal))
    print(table.concat(command, " ") .. "\n" .. json.encode(made.environment) .. "\n" .. json.encode(made.model))
    print((done.stdout .. done.stderr):sub(-2000))
    print(("again: lua5.4 spec/fuzz/models.lua --build %s --seed %d"):format(options.build, seed))
  end
  counts.findings = counts.findings + (finding and 1 or 0)
  return not finding
end

local began, seed = uv.hrtime(), options.seed or options.first
repeat
  local is_clean = run(seed)
  seed = seed + 1
until not is_clean and not options.keep_going or options.seed or counts.runs == options.count
  or (uv.hrtime() - began) / 1e9 > options.seconds
server:kill "sigterm"
server:wait()
directory:remove()
print(("hostile models: %d runs, %d refused, %d requests, %d of them with credentials, %d findings")
  :format(counts.runs, counts.refused, counts.requests, counts.credentials, counts.findings))
os.exit(counts.findings == 0)
