local uv = require "luv"
local Directory = require "spec.support.directory"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe process, with processes", function()
  local directory = Directory.of_each()
  local others, count = nil, 0

  before_each(function() others = {} end)
  after_each(function()
    for _, other in ipairs(others) do
      other:kill "sigkill"
      other:wait()
    end
  end)

  ---A name that no other process has, and more letters behind it.
  local function new_name(length)
    count = count + 1
    return ("w%d%d"):format(count, uv.os_getpid()) .. ("x"):rep(length or 0)
  end

  ---Starts a program under a name.
  local function start_other(name)
    name = name or new_name()
    assert(uv.fs_symlink("/bin/sleep", directory.path .. "/" .. name))
    local other = process.start({ directory.path .. "/" .. name, "60" }, { tool = true })
    table.insert(others, other)
    return other, name
  end

  local function start(...)
    return process.start({ process.bide, "run", "process", "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  local function run(...) return start(...):wait() end

  it("waits until one of that name runs", function()
    local name = new_name()
    local started = start("name=" .. name, "--max-wait", "50s", "--output", "json")
    started:wait_for_output "ProcessNotFound"
    local other = start_other(name)
    started:wait():prints(0, '"waiter": "ProcessRuns"', '"pid": ' .. other.pid)
  end)

  it("knows names that are longer than the kernel keeps", function()
    local _, name = start_other(new_name(20))
    assert.equal(0, run("name=" .. name, "--max-wait", "5s").code)
    assert.equal(124, run("name=" .. name:sub(1, -2), "--max-wait", "300ms").code)
  end)

  it("knows names that look like more than a name", function()
    local _, name = start_other("w) Z 1 (x" .. new_name())
    assert.equal(0, run("name=" .. name, "--max-wait", "50s").code)
  end)

  it("waits until there is none, and does not take a zombie for one", function()
    local other, name = start_other()
    local by_name = start("ProcessGone", "name=" .. name, "--max-wait", "10s")
    local by_number = start("ProcessGone", "pid=" .. other.pid, "--max-wait", "10s")
    by_name:wait_for_output "attempt 1"
    by_number:wait_for_output "attempt 1"
    uv.kill(other.pid, "sigkill")
    assert.equal(0, by_name:wait().code, by_name.stderr)
    assert.equal(0, by_number:wait().code, by_number.stderr)
  end)

  it("does not take its own process for one", function()
    assert.equal(124, run("name=bide", "pid=" .. uv.os_getpid(), "--max-wait", "300ms").code)
    local own = start("name=bide", "expect=x", "--max-wait", "1s")
    assert.equal(2, own:wait().code)
  end)

  it("reads a file with the number", function()
    local path = directory.path .. "/app.pid"
    local started = start("pid_file=" .. path, "--max-wait", "50s")
    started:wait_for_output "NotFound"
    directory:write("app.pid", "")
    started:wait_for_output "InvalidPidFile"
    directory:write("app.pid", start_other().pid .. "\n")
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("takes a number for gone where another process has it by now", function()
    local other, name = start_other()
    directory:write("app.pid", tostring(other.pid))
    local path = "pid_file=" .. directory.path .. "/app.pid"
    assert.equal(0, run(path, "name=" .. name, "--max-wait", "5s").code)
    assert.equal(0, run("ProcessGone", path, "name=another", "--max-wait", "5s").code)
    assert.equal(124, run("ProcessGone", path, "--max-wait", "300ms").code)
  end)

  it("takes a missing file for gone, and says that it is missing, but no number that a process cannot have", function()
    local path = directory.path .. "/none"
    local done = run("ProcessGone", "pid_file=" .. path, "--max-wait", "5s")
    done:prints(0, ("the pid file %s does not exist"):format(path))
    for _, number in ipairs { ("9"):rep(30), "0", "4194305" } do
      directory:write("app.pid", number)
      done = run("ProcessGone", "pid_file=" .. directory.path .. "/app.pid", "--max-wait", "300ms")
      done:writes(124, "found no number of a process")
    end
  end)

  it("takes no file for missing that cannot be read", function()
    directory:write("large.pid", (" "):rep(5000))
    assert(uv.fs_symlink("loop", directory.path .. "/loop"))
    for name, kind in pairs { ["."] = "NotAFile", ["large.pid"] = "ContentTooLarge", loop = "DanglingLink" } do
      run("ProcessGone", ("pid_file=%s/%s"):format(directory.path, name), "--max-wait", "50s"):says(3, kind)
    end
  end)

  it("looks for the name where a file is missing", function()
    local _, name = start_other()
    local path = "pid_file=" .. directory.path .. "/none"
    assert.equal(124, run("ProcessGone", name, path, "--max-wait", "300ms").code)
    run("ProcessGone", new_name(), path, "--max-wait", "5s"):prints(0, "; the pid file " .. directory.path)
  end)

  it("wants one of its inputs, and none that is mistyped", function()
    assert.matches("expected name, pid or pid_file", run("--max-wait", "50s").stderr)
    assert.matches('unknown input "nmae", did you mean "name"%?', run("nmae=x", "--max-wait", "50s").stderr)
  end)
end)
