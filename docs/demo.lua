---The demo: a service that creates a thing a few seconds from now, and bide, which waits
---for it by the recipe of the README. `make demo` runs it, as `lua5.4 docs/demo.lua build/bide`.

local uv = require "luv"

local program = arg[1] or "build/bide"

---When the thing is there, and when it is ready, in seconds.
local PENDING, READY = 1.5, 4

local began

---What the service answers now. Its time begins with the first question.
local function answer()
  began = began or uv.hrtime()
  local seconds = (uv.hrtime() - began) / 1e9
  if seconds < PENDING then return "404 Not Found", '{"message": "no such thing"}' end
  return "200 OK", ('{"name": "foo", "status": "%s"}'):format(seconds < READY and "pending" or "success")
end

local function serve(peer)
  local request = ""
  peer:read_start(function(failure, bytes)
    if failure or not bytes then return peer:close() end
    request = request .. bytes
    if not request:find("\r\n\r\n", 1, true) then return end
    request = ""
    local status, body = answer()
    peer:write(("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(status, #body, body))
  end)
end

---Starts the service on a port that is free, and returns that.
local function start_service()
  local listener = uv.new_tcp()
  assert(listener:bind("127.0.0.1", 0))
  assert(listener:listen(16, function()
    local peer = uv.new_tcp()
    listener:accept(peer)
    serve(peer)
  end))
  return listener:getsockname().port
end

---Copies the first recipe of the README to a file of its own.
local function write_recipe()
  local readme = assert(io.open "README.md")
  local recipe = assert(readme:read("a"):match("\n```lua things%.lua\n(.-\n)```\n"), "README.md has no recipe")
  readme:close()
  local directory = assert(uv.fs_mkdtemp("/tmp/bide-demo-XXXXXX"))
  local file = assert(io.open(directory .. "/things.lua", "w"))
  file:write(recipe)
  file:close()
  return directory
end

---Runs bide on the terminal of the demo. A signal for the demo is one for bide, which says how far
---it came before it ends; the demo ends after it.
local function wait_with(arguments)
  local code, signal
  local child = assert(uv.spawn(program, { args = arguments, stdio = { 0, 1, 2 } },
    function(...) code, signal = ... end))
  for _, name in ipairs { "sigint", "sigterm", "sighup" } do
    uv.new_signal():start(name, function() child:kill(name == "sighup" and "sigterm" or name) end)
  end
  while not code do uv.run "once" end
  return signal > 0 and 128 + signal or code
end

local directory = write_recipe()
local arguments = {
  "run", directory .. "/things.lua", "ThingExists", "endpoint=http://127.0.0.1:" .. start_service(), "name=foo",
  "--max-wait", "1m", "--max-delay", "1s", "--", "echo", "foo is there",
}
io.stdout:write("A service will create the thing foo in ", PENDING, " seconds, and have it ready after ", READY, ".\n\n$ ",
  program, " ", table.concat(arguments, " "), "\n")
io.stdout:flush()
local code = wait_with(arguments)
os.remove(directory .. "/things.lua")
os.remove(directory)
os.exit(code)
