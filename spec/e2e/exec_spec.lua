local uv = require "luv"
local core = require "bide.core"
local exec = require "bide.exec"
local group = require "bide.exec.group"
local leftovers = require "spec.support.leftovers"
local process = require "spec.support.process"
local processes = require "spec.support.processes"

local function seconds_of(f, ...)
  local began = uv.hrtime()
  f(...)
  return (uv.hrtime() - began) / 1e9
end

---Returns the operation error that a call raises.
local function failure_of(...)
  local ok, failure = pcall(exec, ...)
  assert.is_false(ok)
  assert.is_table(failure, failure)
  return failure
end

---Runs a call as a task that is cut after some milliseconds, or cancelled where `cancel` says so.
local function run_as_task(milliseconds, cancel, ...)
  local given, how = table.pack(...), nil
  core.loop.update()
  local started = core.task.start(function() return exec(table.unpack(given)) end,
    function(_, ended) how = ended end, not cancel and core.loop.now() + milliseconds or nil)
  local alarm = core.loop.alarm(function() started:cancel() end)
  if cancel then alarm:start(core.loop.now() + milliseconds) end
  while not how do core.loop.turn() end
  return how
end

describe("bide.exec", function()
  local mark

  before_each(function() mark = processes.mark() end)

  after_each(function()
    assert.equal(0, mark:count_after(1))
    group.settle()
    assert.is_nil(leftovers.find())
    assert.equal(0, processes.zombies())
  end)

  describe("returns", function()
    it("what a program wrote, and its exit code", function()
      local done = exec { "sh", "-c", "echo out; echo err >&2; exit 3" }
      assert.same({ code = 3, stdout = "out\n", stderr = "err\n" }, { code = done.code, stdout = done.stdout,
        stderr = done.stderr })
      assert.is_nil(done.signal)
    end)

    it("the signal that ended it, and a code that is no success", function()
      local done = exec { "sh", "-c", "kill -KILL $$" }
      assert.equal(9, done.signal)
      assert.equal(137, done.code)
    end)

    it("bytes as they are: NUL, unicode, what is no UTF-8", function()
      local done = exec { "printf", [[a\000b\377\303\244]] }
      assert.equal("a\0b\xff\u{e4}", done.stdout)
    end)

    it("all of a large output", function()
      local done = exec({ "sh", "-c", "head -c 900000 /dev/zero; head -c 900000 /dev/zero >&2" })
      assert.equal(900000, #done.stdout)
      assert.equal(900000, #done.stderr)
    end)

    it("its output as JSON", function()
      assert.same({ a = { 1, 2 } }, exec({ "echo", '{"a":[1,2]}' }):json())
      local ok, failure = pcall(exec({ "echo", "no" }).json, exec { "echo", "no" })
      assert.is_false(ok)
      assert.equal("InvalidOutput", failure.type)
      assert.matches("line 1", failure.message)
    end)
  end)

  describe("runs", function()
    it("arguments as they are, without a shell", function()
      assert.equal("$HOME; * \u{e4} 'x'\n", exec({ "echo", "$HOME; * \u{e4} 'x'" }).stdout)
    end)

    it("a line for the shell where asked to", function()
      assert.equal("2\n", exec("printf 'a\nb\n' | wc -l", { shell = true }).stdout)
      assert.equal("2\n", exec({ "printf 'a\nb\n' | wc -l", shell = true }).stdout)
    end)

    it("with standard input, and with none", function()
      assert.equal("a\0b", exec({ "cat" }, { stdin = "a\0b" }).stdout)
      assert.equal("", exec({ "cat" }).stdout)
      assert.equal("", exec({ "cat" }, { stdin = "" }).stdout)
    end)

    it("with more standard input than a pipe holds, read or not", function()
      assert.equal("3000000\n", exec({ "wc", "-c" }, { stdin = ("x"):rep(3000000) }).stdout)
      assert.equal(0, exec({ "true" }, { stdin = ("x"):rep(3000000) }).code)
    end)

    it("with an environment that is added to", function()
      local done = exec({ "sh", "-c", 'echo "$A-${B-unset}-$C-${PATH:+path}"' },
        { env = { A = "a b", HOME = false, B = false, C = 3 } })
      assert.equal("a b-unset-3-path\n", done.stdout)
      assert.equal("none\n", exec({ "sh", "-c", "echo ${HOME-none}" }, { env = { HOME = false } }).stdout)
    end)

    it("in another folder", function()
      assert.equal("/usr\n", exec({ "pwd" }, { cwd = "/usr" }).stdout)
    end)

    it("what opens its own /dev/stdout and /dev/stderr", function()
      local done = exec({ "sh", "-c", "cat /dev/stdin > /dev/stdout; echo err > /dev/stderr" }, { stdin = "in" })
      assert.same({ "in", "err\n" }, { done.stdout, done.stderr })
    end)

    it("in a group of its own, without a terminal", function()
      local id, own_group = exec({ "sh", "-c", "cut -d' ' -f1,5 /proc/$$/stat" }).stdout:match("(%d+) (%d+)")
      assert.equal(id, own_group)
    end)

    it("many at once, each in its own task", function()
      local ended = {}
      for i = 1, 30 do
        core.task.start(function() return exec { "sh", "-c", "sleep 0.1; echo " .. i } end,
          function(_, how, done) ended[#ended + 1] = how == "returned" and done.stdout == i .. "\n" end)
      end
      local took = seconds_of(function() while #ended < 30 do core.loop.turn() end end)
      for _, right in ipairs(ended) do assert.is_true(right) end
      assert.is_true(took < 2, took)
    end)
  end)

  describe("raises", function()
    it("ProgramNotFound", function()
      local failure = failure_of { "no-such-program", "x" }
      assert.equal("ProgramNotFound", failure.type)
      assert.matches("no%-such%-program", failure.message)
      assert.equal("ProgramNotFound", failure_of({ "ls" }, { env = { PATH = "/nowhere" } }).type)
      assert.equal("ProgramNotFound", failure_of({ "" }).type)
    end)

    it("PermissionDenied", function()
      assert.equal("PermissionDenied", failure_of({ "/etc/passwd" }).type)
    end)

    it("NotFound for a folder", function()
      local failure = failure_of({ "ls" }, { cwd = "/nowhere" })
      assert.equal("NotFound", failure.type)
      assert.matches("/nowhere", failure.message)
    end)

    it("ExecTimeout, in time", function()
      local failure
      local took = seconds_of(function() failure = failure_of({ "sleep", "60" }, { timeout = 0.1, env = mark.env }) end)
      assert.equal("ExecTimeout", failure.type)
      assert.matches("sleep did not end within 0.1 s", failure.message)
      assert.is_true(took < 0.2 or process.is_sanitized, took)
    end)

    it("OutputTooLarge, and takes no more than that", function()
      local before = collectgarbage "count"
      local failure = failure_of({ "yes" }, { env = mark.env })
      assert.equal("OutputTooLarge", failure.type)
      assert.is_true(collectgarbage "count" - before < 4096)
      failure = failure_of({ "sh", "-c", "yes >&2" }, { output_limit = 10, env = mark.env })
      assert.matches("more than 10 bytes to standard error", failure.message)
      assert.equal("0123456789", exec({ "printf", "0123456789" }, { output_limit = 10 }).stdout)
    end)

    it("InvalidCommand for NUL bytes", function()
      assert.equal("InvalidCommand", failure_of({ "echo", "a\0b" }).type)
      assert.equal("InvalidCommand", failure_of({ "echo" }, { env = { A = "a\0b" } }).type)
      assert.equal("InvalidCommand", failure_of({ "echo" }, { cwd = "/\0" }).type)
    end)

    it("ExecFailed with the system's word", function()
      local failure = failure_of { "echo", ("x"):rep(200000) }
      assert.equal("ExecFailed", failure.type)
      assert.matches("too long", failure.message)
    end)
  end)

  describe("leaves nothing behind", function()
    it("when its task is cut", function()
      assert.equal("cut", run_as_task(50, false, { "sleep", "60" }, { env = mark.env }))
      assert.equal(0, mark:count_after(0.3))
    end)

    it("when its task is cancelled", function()
      assert.equal("cancelled", run_as_task(50, true, { "sh", "-c", "sleep 60 & sleep 60" }, { env = mark.env }))
      assert.equal(0, mark:count_after(0.3))
    end)

    it("of a program that ignores TERM, with children that do", function()
      local line = "trap '' TERM; sh -c 'sleep 60; sleep 60' & sleep 60; sleep 60"
      assert.equal("cut", run_as_task(100, false, { "sh", "-c", line }, { env = mark.env }))
      assert.is_true(mark:count() > 0)
      assert.equal(0, mark:count_after(1.5))
    end)

    it("of a program that is stopped", function()
      assert.equal("cut", run_as_task(100, false, { "sh", "-c", "kill -STOP $$" }, { env = mark.env }))
      assert.equal(0, mark:count_after(1.5))
    end)

    it("of a program that ended and left another running, which holds its output open", function()
      local done
      local took = seconds_of(function() done = exec({ "sh", "-c", "sleep 60 & echo out" }, { env = mark.env }) end)
      assert.equal("out\n", done.stdout)
      assert.equal(0, done.code)
      assert.is_true(took < 0.5, took)
      assert.equal(0, mark:count_after(0.3))
    end)

    it("of a program that closed its output and lives on", function()
      local took = seconds_of(function()
        local done = exec({ "sh", "-c", "echo out; exec >&- 2>&-; sleep 0.3; exit 4" }, { env = mark.env })
        assert.same({ 4, "out\n" }, { done.code, done.stdout })
      end)
      assert.is_true(took >= 0.3)
      local failure = failure_of({ "sh", "-c", "exec >&- 2>&-; sleep 60" }, { env = mark.env, timeout = 0.1 })
      assert.equal("ExecTimeout", failure.type)
    end)

    it("many times over, of files and processes", function()
      local before
      for i = 1, 60 do
        run_as_task(i % 12, i % 2 == 0, { "sh", "-c", "cat; sleep 60" }, { env = mark.env, stdin = "x" })
        pcall(exec, { "no-such-program" }, { stdin = "x" })
        if i == 10 then
          group.settle()
          before = leftovers.descriptors()
        end
      end
      group.settle()
      assert.is_nil(leftovers.find())
      assert.is_true(leftovers.descriptors() <= before)
    end)

    it("when the script that runs it ends by an error, in plain lua5.4", function()
      local done = process.run({ "lua5.4", "-e", [[
        local core, exec = require "bide.core", require "bide.exec"
        core.task.start(function() exec({ "sh", "-c", "trap '' TERM; sleep 60; sleep 60" }) end, print)
        local alarm = core.loop.alarm(function() error "a bug" end)
        alarm:start(core.loop.update() + 100)
        while true do core.loop.turn() end
      ]] }, { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath, BIDE_SPEC_MARK = mark.env.BIDE_SPEC_MARK } })
      assert.equal(1, done.code)
      assert.matches("a bug", done.stderr)
      assert.equal(0, mark:count_after(0.3))
    end)
  end)

  describe("refuses", function()
    local function mistake_of(...)
      local given = table.pack(...)
      local ok, mistake = pcall(function() local done = exec(table.unpack(given)) return done end)
      assert.is_false(ok)
      assert.is_string(mistake)
      return mistake
    end

    it("what is no command", function()
      assert.matches("must be a list of strings, and is nil", mistake_of())
      assert.matches("a string is for the option 'shell'", mistake_of("ls -l"))
      assert.matches("the program first", mistake_of {})
      assert.matches("has 3 at %[2%]", mistake_of { "sleep", 3 })
      assert.matches("must be one string", mistake_of { "a", "b", shell = true })
    end)

    it("options it does not know, or of the wrong type, by name", function()
      assert.matches("unknown option 'tiemout' %(did you mean 'timeout'%?%)", mistake_of({ "ls" }, { tiemout = 3 }))
      assert.matches("unknown option 'tiemout'", mistake_of { "ls", tiemout = 3 })
      assert.matches("'timeout' must be a number above 0, and is 0", mistake_of({ "ls" }, { timeout = 0 }))
      assert.matches("'env.A' must be", mistake_of({ "ls" }, { env = { A = {} } }))
      assert.matches("without '='", mistake_of({ "ls" }, { env = { ["A=B"] = "x" } }))
    end)

    it("at the script's own line", function()
      assert.matches("exec_spec.lua:%d+: bide.exec:", mistake_of { 1 })
    end)
  end)
end)
