---Finds the processes that a program has started, however deep, by a mark in their environment.
---
---    local mark = processes.mark()
---    exec({ "sh", "-c", "sleep 60 & sleep 60" }, { env = mark.env, timeout = 0.1 })
---    assert.equal(0, mark:count_after(1))

local uv = require "luv"

local M = {}

local Mark = {}
Mark.__index = Mark

local marks = 0

---A mark that no other process has.
function M.mark()
  marks = marks + 1
  local text = ("%d.%d.%d"):format(uv.os_getpid(), uv.hrtime(), marks)
  return setmetatable({ text = "BIDE_SPEC_MARK=" .. text, env = { BIDE_SPEC_MARK = text } }, Mark)
end

local function read(file)
  local handle = io.open(file, "rb")
  local text = handle and handle:read("a")
  if handle then handle:close() end
  return text or ""
end

local function each_process()
  local scan = uv.fs_scandir("/proc")
  return function()
    local name = uv.fs_scandir_next(scan)
    while name and not name:find("^%d+$") do name = uv.fs_scandir_next(scan) end
    return name
  end
end

---How many processes run that have the mark. Zombies have no environment, and do not count.
function Mark:count()
  local count = 0
  for process in each_process() do
    local environment = "\0" .. read("/proc/" .. process .. "/environ") .. "\0"
    if environment:find("\0" .. self.text .. "\0", 1, true) then count = count + 1 end
  end
  return count
end

---The same once there are no more than `few`, or `seconds` are over.
function Mark:count_after(seconds, few)
  local core = require "bide.core"
  local deadline = uv.hrtime() + seconds * 1e9
  local alarm = core.loop.alarm(function() end)
  while self:count() > (few or 0) and uv.hrtime() < deadline do
    alarm:start(core.loop.update() + 5)
    core.loop.turn()
  end
  alarm:stop()
  return self:count()
end

---How many children of this process have ended and were not taken note of.
function M.zombies()
  local count, own = 0, tostring(uv.os_getpid())
  for process in each_process() do
    local state, parent = read("/proc/" .. process .. "/stat"):match("^.*%) (%a) (%d+)")
    if state == "Z" and parent == own then count = count + 1 end
  end
  return count
end

---Kills a program several times, each time after `least` and up to `range` further milliseconds, and asserts that nothing
---that it has started is left.
---@param times integer
---@param begin fun(env: table<string, string>): spec.Process starts it with an environment
function M.assert_gone_when_killed(times, least, range, begin)
  local random = 1
  for _ = 1, times do
    local mark = M.mark()
    local running = begin(mark.env)
    random = random * 48271 % 2147483647
    uv.sleep(least + random % range)
    running:kill "sigkill"
    running:wait()
    local left = mark:count_after(5)
    if left > 0 then error(("%d processes are left"):format(left), 2) end
  end
end

return M
