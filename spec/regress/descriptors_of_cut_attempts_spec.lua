---An attempt that its deadline cut might leave its descriptor open for ever: between the call that opens it and the
---variable that closes it there was an instruction of Lua, at which the deadline stops the task; or the deadline stopped
---the code that closes it. Here a deadline comes at every instruction of each probe in turn.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local script = [[
local bide, uv = require "bide", require "luv"
local port = %d
local probes = {
  tcp = function() bide.tcp { host = "127.0.0.1", port = port, send = "x", expect = "never" } end,
  dns = function() bide.dns("ok.example", { server = "127.0.0.1", port = 9, type = "A" }) end,
  udp = function() bide.udp { host = "127.0.0.1", port = 9, send = "x" } end,
  file = function() bide.file("script.lua", { content = true }) end,
  exec = function() bide.exec { "true" } end,
  tls = function() require("bide.tls").connect({ host = "127.0.0.1", port = port }, { ca = "ca.pem" }) end,
}
local probe = probes[ (...) ]
local function descriptors()
  local count, scan = 0, uv.fs_scandir "/proc/self/fd"
  for _ in uv.fs_scandir_next, scan do count = count + 1 end
  return count
end

---Lets the deadline come at the given instruction; returns whether there was one.
local function cut_at(instruction)
  local was_there = false
  pcall(bide.timeout, 0.001, function()
    local began = uv.hrtime()
    debug.sethook(function()
      debug.sethook()
      was_there = true
      while uv.hrtime() - began < 2.5e6 do end
    end, "", instruction)
    probe()
  end)
  return was_there
end

pcall(bide.timeout, 0.3, probe)
bide.sleep((...) == "exec" and 0.6 or 0.1)
collectgarbage()
local before, instruction = descriptors(), 1
while cut_at(instruction) and instruction < 4000 do instruction = instruction + 1 end
bide.sleep((...) == "exec" and 0.6 or 0.1)
collectgarbage()
collectgarbage()
bide.sleep(0.05)
print(descriptors() - before)
]]

describe("an attempt that is cut at any instruction leaves no descriptor open:", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(nil, { raw = function() end })
  setup(function() workspace:write("ca.pem", "") end)

  for _, name in ipairs { "tcp", "dns", "udp", "file", "exec", "tls" } do
    it(name, function()
      workspace:write("script.lua", script:format(server.port))
      local done = workspace:bide { "exec", "--quiet", "script.lua", name }
      assert.same({ 0, "0\n" }, { done.code, done.stdout }, done.stderr)
    end)
  end
end)
