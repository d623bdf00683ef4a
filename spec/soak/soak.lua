---Runs attempts that are cut at random for a long time, and fails unless the process holds at the end what it held at the
---start: descriptors, threads, and memory but for a little.
---
---    lua5.4 spec/soak/soak.lua --minutes 20 --build build [--seed N]

local Directory = require "spec.support.directory"
local DatagramServer = require "spec.support.datagram_server"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local certificates = require "spec.support.certificates"
local core = require "bide.core"
local process = require "spec.support.process"
local uv = require "luv"

local options = { minutes = 20, build = "build", seed = 1 }
for i = 1, #arg, 2 do options[arg[i]:match "^%-%-(%a+)$"] = tonumber(arg[i + 1]) or arg[i + 1] end

local is_sanitized = options.build:find "asan" ~= nil
local MOST_GROWTH = 4096 -- kB of memory, for what the allocator does not give back

-- ---- the services -----------------------------------------------------------------------------

local directory = Directory.make()
certificates(directory)
directory:write("big", ("line of a file\n"):rep(20000))

local function reset_soon(peer)
  peer:write "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"
  peer:later(0.005, function() peer:reset() end)
end

local http = Server.start(function(request)
  if request.path == "/slow" then return { body = "{}", delay = 0.02 } end
  if request.path == "/redirect" then return { status = 302, headers = { Location = "/slow" } } end
  return { body = '{"a":[1,2,3]}', chunked = request.path == "/half", close = request.path == "/half" }
end)
local broken = Server.start(nil, { raw = reset_soon })

local serve = http.handler
http.handler = function(request)
  http.requests = {}
  if request.path ~= "/reset" then return serve(request) end
  return { status = 307, headers = { Location = broken.url } }
end

local redis = Server.start(nil, { raw = function(peer)
  if math.random(3) == 1 then return peer:write "+PO" end
  peer:write "+PONG\r\n"
end })

local dns = DatagramServer.start(function(bytes, reply, count)
  if count % 100 == 0 then collectgarbage() end
  if #bytes < 17 or bytes:find("silent", 1, true) then return end
  local question = bytes:sub(13)
  reply(bytes:sub(1, 2) .. "\x81\x80\0\1\0\1\0\0\0\0" .. question:match "^.-\0...." .. "\xC0\x0C\0\1\0\1\0\0\0\1\0\4\127\0\0\1")
end)

local https = Nginx.start(directory, [[
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    location / { return 200 '{"status":"pending"}'; }
  }
]])

-- ---- the soak ---------------------------------------------------------------------------------

local command = { options.build .. "/bide", "exec", "--quiet", "spec/soak/attempts.lua",
  ("%d"):format(options.minutes * 60), tostring(options.seed), http.url, "https://localhost:" .. https.port,
  directory.path .. "/ca.pem", tostring(dns.port), tostring(redis.port), directory.path }
local running = process.start(command, { longest = options.minutes * 60 + 600, env = {
  ASAN_OPTIONS = "detect_leaks=1:exitcode=99:intercept_tls_get_addr=0",
  UBSAN_OPTIONS = "print_stacktrace=1:halt_on_error=1:exitcode=99",
  LSAN_OPTIONS = "suppressions=" .. uv.cwd() .. "/.ci/leaks" } })

local printed = 0
local reporter = uv.new_timer()
reporter:start(1000, 1000, function()
  dns.received = {}
  redis.requests = {}
  io.write(running.stdout:sub(printed + 1))
  io.flush()
  printed = #running.stdout
end)
local done = running:wait()
reporter:close()
io.write(done.stdout:sub(printed + 1))
https:stop()
for _, server in ipairs { http, broken, redis, dns } do server:close() end
directory:remove()

local samples = {}
for line in done.stdout:gmatch "[^\n]+" do
  local sample = core.json.decode(line)
  if sample then samples[sample.what] = sample end
end

local findings = {}
local function expect(is_so, text, ...)
  if not is_so then findings[#findings + 1] = text:format(...) end
end

expect(done.code == 0 and done.signal == 0, "it ended with %d, signal %d:\n%s", done.code, done.signal, done.stderr:sub(-6000))
local first, last = samples.start, samples["end"]
expect(first and last, "it did not come to its end")
if first and last then
  for _, name in ipairs { "descriptors", "threads" } do
    expect(last[name] == first[name], "%s: %d at the start, %d at the end", name, first[name], last[name])
  end
  local growth = last.resident_kB - first.resident_kB
  expect(is_sanitized or growth <= MOST_GROWTH, "memory grew by %d kB", growth)
end
for _, finding in ipairs(findings) do print("soak: " .. finding) end
print(("soak: %d attempts, %d findings"):format(last and last.attempts or 0, #findings))
os.exit(#findings == 0)
