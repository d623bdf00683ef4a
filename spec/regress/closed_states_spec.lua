---A program that has bide as a library may close its states at any time, or be killed. Files that were being read then
---stayed open, programs that ran became zombies of the host, and those of a host that was killed lived on.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

---Opens states one after another, each in a thread, and closes each of them while tasks are under way in it. Prints the
---descriptors that are open more than after the first state, and the children of the host.
local STATES = [[
local uv = require "luv"
local work = table.concat({ ... }, " ")

local function descriptors()
  local number, scan = 0, uv.fs_scandir "/proc/self/fd"
  while uv.fs_scandir_next(scan) do number = number + 1 end
  return number
end

local before
for _ = 1, 20 do
  uv.new_thread(function(text)
    local bide = require "bide"
    for _ = 1, 4 do bide.spawn(load(text)) end
    bide.sleep(0.02)
  end, work):join()
  before = before or descriptors()
end
print(descriptors() - before)
local scan = uv.fs_scandir "/proc"
for name in uv.fs_scandir_next, scan do
  local file = name:find "^%d+$" and io.open("/proc/" .. name .. "/stat")
  local command, parent = (file and file:read "a" or ""):match "%((.*)%) %S (%d+)"
  if tonumber(parent) == uv.os_getpid() then print(command) end
end
]]

local FILE = "while true do require('bide').file('large', { content = true }) end"
local PROGRAM = "require('bide').exec { 'sleep', '20' }"

describe("bide as a library", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("large", ("x"):rep(3000000))
    workspace:write("states.lua", STATES)
  end)

  local function start(...)
    local here = uv.cwd()
    return process.start({ process.lua, ... }, { cwd = workspace.path, env = {
      LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(here, here),
      LUA_CPATH = ("%s/%s/lib/?.so;;"):format(here, process.build),
    } })
  end

  it("leaves no file open when a state is closed", function()
    local done = start("states.lua", FILE):wait()
    assert.equal("0\n", done.stdout, done.stderr)
  end)

  it("leaves no program and no zombie when a state is closed", function()
    local done = start("states.lua", PROGRAM):wait()
    assert.equal("0\n", done.stdout, done.stderr)
  end)

  for ending, code in pairs { ["ends by os.exit"] = "os.exit(0)", ["is killed"] = "require('luv').kill(0, 'sigkill')" } do
    it("ends its programs with a host that " .. ending, function()
      workspace:write("host.lua", [[
        local bide = require "bide"
        os.remove "leader"
        bide.spawn(function() bide.exec { "sh", "-c", "echo $$ > new && mv new leader && exec sleep 20" } end)
        repeat bide.sleep(0.01) until io.open "leader"
      ]] .. code:gsub("kill%(0", "kill(require('luv').os_getpid()"))
      start("host.lua"):wait()
      local leader = tonumber(workspace:read "leader")
      for _ = 1, 200 do
        if not uv.kill(leader, 0) then break end
        uv.sleep(10)
      end
      assert.is_nil(uv.kill(leader, 0))
    end)
  end
end)
