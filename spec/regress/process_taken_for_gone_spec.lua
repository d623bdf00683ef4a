---ProcessGone succeeded while the process ran: after its first thread had ended, for a path or a command line as its name,
---and where /proc hid it from the user.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

describe("a process counts as running", function()
  local workspace = Workspace.of_each()
  local started

  after_each(function()
    if started then
      started:kill "sigkill"
      started:wait()
    end
    started = nil
  end)

  local function gone(...)
    return process.run { process.bide, "process", "ProcessGone", "--max-wait", "30s", "--max-attempts", "1", ... }
  end

  it("while any of its threads runs", function()
    workspace:write("leaderless.py", [[
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
print("up", flush=True)
ctypes.CDLL(None).pthread_exit(None)
]])
    local name = ("l%d"):format(uv.os_getpid())
    assert(uv.fs_symlink("/usr/bin/python3", workspace.path .. "/" .. name))
    started = process.start({ workspace.path .. "/" .. name, workspace.path .. "/leaderless.py" }, { tool = true })
    started:wait_for_output "up"
    local state
    repeat
      local handle = assert(io.open(("/proc/%d/stat"):format(started.pid)))
      state = handle:read("a"):match "%) (%a) "
      handle:close()
    until state == "Z"
    assert.equal(4, gone("pid=" .. started.pid).code)
    assert.equal(4, gone(name).code)
    assert.equal(0, process.run({ process.bide, "process", name, "--max-wait", "30s" }).code)
    started:kill "sigkill"
    started:wait()
    assert.equal(0, gone("pid=" .. started.pid).code)
  end)

  it("by the beginning of its command line, with or without its folder", function()
    local name = ("s%d"):format(uv.os_getpid())
    assert(uv.fs_symlink("/bin/sleep", workspace.path .. "/" .. name))
    started = process.start({ workspace.path .. "/" .. name, "60.5", "0" }, { tool = true })
    for _, words in ipairs { name, name .. " 60.5", name .. " 60.5 0" } do assert.equal(4, gone(words).code, words) end
    for _, words in ipairs { name .. " 60", name .. " 60.5 0 0", name:sub(1, -2) .. " 60.5" } do
      local done = gone(words)
      assert.equal(0, done.code, words)
      assert.matches(('no process is called "%s"'):format(words), done.stdout, 1, true)
    end
  end)

  for path, bare in pairs { ["/usr/bin/sleep"] = "sleep", ["./app"] = "app", ["bin/python3 a/b.py"] = "python3 a/b.py" } do
    it("never by a path, which is a mistake: " .. path, function()
      local done = gone(path)
      assert.same({ 2, "" }, { done.code, done.stdout })
      local mistake = ('name: expected a name without its folder, such as "%s", found "%s"'):format(bare, path)
      assert.matches(mistake, done.stderr, 1, true)
    end)
  end

  for _, option in ipairs { "hidepid=1", "hidepid=2", "hidepid=invisible" } do
    it("perhaps where /proc hides it: " .. option, function()
      if process.is_sanitized then return pending "another user cannot run a program that looks for leaks" end
      local path = workspace.path
      local script = ([[mount -t proc -o %s proc /proc || exit 99
        tar -cf - %s build/lib build/lua build/scripts scripts | tar -xf - -C %s && chmod -R a+rX %s && cd %s || exit 98
        sleep 61.25 & pid=$!
        once="--max-wait 30s --max-attempts 1" as="setpriv --reuid 12345 --regid 12345 --clear-groups"
        for words in pid=$pid sleep nothing; do $as %s process ProcessGone $words $once; echo "code $?"; done
        $as %s process nothing $once; echo "code $?"
        %s process ProcessGone nothing $once; echo "code $?"
        kill $pid]]):format(option, process.bide, path, path, path, process.bide, process.bide, process.bide)
      local done = process.run { "unshare", "-mpf", "sh", "-c", script }
      if done.code == 99 or done.stderr:find "unshare: " then return pending "/proc cannot be mounted here" end
      local codes = {}
      for code in done.stdout:gmatch "code (%d+)" do codes[#codes + 1] = code end
      assert.same({ "1", "1", "1", "4", "0" }, codes, done.stdout .. done.stderr)
      assert.matches("those of other users are hidden from this one", done.stdout .. done.stderr, 1, true)
    end)
  end
end)
