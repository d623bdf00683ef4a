---The processes of this machine, by /proc and by ps.

local process = require "spec.support.process"
local processes = require "bide.processes"
local uv = require "luv"

---The sanitizers' library is preloaded into ps too, which hangs with it.
local ways = process.is_sanitized and { "/proc" } or { "/proc", "ps" }

---Starts a program that leads a group; nobody takes note of its end before the loop turns.
local function spawn(program, arguments)
  return (uv.spawn(program, { args = arguments, detached = true }, function() end))
end

---Waits, without the loop, until the kernel says that a process is in a state.
local function await_state(pid, state)
  for _ = 1, 1000000 do
    local handle = assert(io.open(("/proc/%d/stat"):format(pid)))
    local found = handle:read("a"):match "%) (%a) "
    handle:close()
    if found == state then return end
  end
  error(("the process %d is not in the state %s"):format(pid, state))
end

for _, way in ipairs(ways) do
  describe("processes, by " .. way, function()
    local stat, stopped = uv.fs_stat, nil

    setup(function()
      stopped = spawn("sleep", { "60" })
      uv.kill(stopped:get_pid(), "sigstop")
      await_state(stopped:get_pid(), "T")
      if way == "ps" then
        rawset(uv, "fs_stat", function(path, ...)
          if path == "/proc/self/stat" then return nil, "ENOENT: no such file or directory" end
          return stat(path, ...)
        end)
      end
    end)

    teardown(function()
      rawset(uv, "fs_stat", stat)
      stopped:kill "sigkill"
      while stopped:is_active() do uv.run "once" end
      stopped:close()
      uv.run "nowait"
    end)

    it("are found by number, name, or both", function()
      local pid = stopped:get_pid()
      local wanted = { pid = pid, name = "sleep", state = "T", group = pid }
      assert.same({ wanted }, processes.find { pid = pid })
      assert.same({ wanted }, processes.find { pid = pid, name = "sleep" })
      assert.same({}, processes.find { pid = pid, name = "slee" })
      local by_name = {}
      for _, one in ipairs(processes.find { name = "sleep" }) do by_name[one.pid] = one end
      assert.same(wanted, by_name[pid])
    end)

    it("do not count where there is none", function()
      assert.same({}, processes.find { pid = 1 << 22 })
    end)

    it("count this one by its number only, which nothing else can have", function()
      local own = processes.find { pid = uv.os_getpid() }
      assert.equal(uv.os_getpid(), own[1].pid)
      for _, one in ipairs(processes.find { name = own[1].name }) do assert.not_equal(own[1].pid, one.pid) end
    end)

    it("do not count once they have ended", function()
      local zombie = spawn("true", {})
      await_state(zombie:get_pid(), "Z")
      assert.same({}, processes.find { pid = zombie:get_pid() })
      while zombie:is_active() do uv.run "once" end
      zombie:close()
    end)
  end)
end
