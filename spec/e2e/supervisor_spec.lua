---`--sandbox … -- COMMAND`: the process that the user started stays outside of the sandbox, and becomes COMMAND.

local Workspace = require "spec.support.workspace"
local processes = require "spec.support.processes"
local uv = require "luv"

local recipe = [[
  local bide = require "bide"
  local function call(input)
    print "asked"
    bide.sleep(tonumber(input.sleep or 0))
    if input.raise then error { type = input.raise } end
    return {}
  end
  return { Op = { call = call, waitable = { Done = { acceptors = {
    { state = "success", matcher = { success = true } },
    { state = "failure", matcher = { errorType = "Failed" } } } } } } }]]

describe("--sandbox with a COMMAND", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local function words(own, ...)
    local all = { "run", "recipe.lua", "--sandbox", "--max-wait", "20s", table.unpack(own) }
    return table.move({ "--", ... }, 1, 1 + select("#", ...), #all + 1, all)
  end

  local function start(own, ...) return workspace:start(words(own, ...)) end

  ---Starts a wait that does not end by itself, and waits until it has begun.
  local function start_sleeping(env)
    local running = workspace:start(words({ "sleep=60", "--output", "json=outcome.json" }, "echo", "it ran"), { env = env })
    running:wait_for_output "asked"
    return running
  end

  ---The process of bide, the child of the one that was started.
  local function child_of(pid)
    local children = assert(io.open(("/proc/%d/task/%d/children"):format(pid, pid)))
    local child = children:read "n"
    children:close()
    return assert(child)
  end

  local function state_of(pid)
    local status = io.open(("/proc/%d/stat"):format(pid))
    if not status then return nil end
    local state = status:read("a"):match "%) (%a)"
    status:close()
    return state
  end

  local function await(is_met)
    local deadline = uv.hrtime() + 10e9
    while not is_met() do
      assert(uv.hrtime() < deadline, "it did not happen")
      uv.sleep(5)
    end
  end

  it("runs it as the process that was started", function()
    local done = start({}, "sh", "-c", 'echo "pid $$"; exit 42'):wait()
    assert.same({ 42, "pid " .. done.pid .. "\n" }, { done.code, done.stdout }, done.stderr)
    assert.matches("\nDone succeeded[^\n]*\n$", done.stderr)
  end)

  it("finds --sandbox wherever it stands", function()
    local done = workspace:bide { "run", "--sandbox", "recipe.lua", "--max-wait", "50s", "--", "echo", "--sandbox" }
    assert.equal("--sandbox\n", done.stdout)
    done = workspace:bide { "run", "recipe.lua", "--max-wait", "50s", "--", "sh", "-c", "echo $PPID $0", "--sandbox" }
    assert.equal(("%d --sandbox\n"):format(uv.os_getpid()), done.stdout)
  end)

  it("gives it the limits and the signal mask that bide was started with", function()
    local look = "cat /proc/self/limits; grep -E 'Sig(Blk|Ign)' /proc/self/status"
    local function plain(text) return (text:gsub("Max pending signals[^\n]*\n", "")) end
    assert.equal(plain(workspace:shell(look).stdout), plain(start({}, "sh", "-c", look):wait().stdout))
  end)

  it("gives it the standard descriptors and no others", function()
    local look = "for f in /proc/self/fd/*; do echo ${f##*/}; done" -- which opens one to look
    local done = start({ "--events", "events.jsonl" }, "sh", "-c", look):wait()
    assert.equal("0\n1\n2\n3\n", done.stdout)
  end)

  it("does not run it after anything but a success", function()
    for _, case in ipairs {
      { { "raise=Failed" }, 1 }, { { "raise=Other" }, 3 }, { { "--max-attempts", "0" }, 2 }, { { "--events", "/" }, 2 },
    } do
      local done = start(case[1], "echo", "it ran"):wait()
      assert.equal(case[2], done.code, done.stderr)
      assert.not_matches("it ran", done.stdout)
    end
    assert.equal(2, workspace:bide({ "run", "recipe.lua", "--sandbox", "--max-wait", "50s", "--" }).code)
  end)

  it("says with 127 that it cannot be run", function()
    local done = start({}, "/no/such/program"):wait()
    assert.equal(127, done.code)
    assert.matches("bide: /no/such/program: No such file or directory\n$", done.stderr)
  end)

  for _, name in ipairs { "sigterm", "sigint", "sighup", "sigquit" } do
    it("ends on " .. name .. " as bide does without a COMMAND", function()
      local running = start_sleeping()
      local alone = workspace:start { "run", "recipe.lua", "--sandbox", "--max-wait", "20s", "sleep=60" }
      alone:wait_for_output "asked"
      for _, process in ipairs { running, alone } do
        process:kill(name)
        process:wait()
      end
      assert.same({ alone.code, alone.signal }, { running.code, running.signal })
      assert.not_matches("it ran", running.stdout)
    end)
  end

  it("cancels the wait on SIGTERM", function()
    local running = start_sleeping()
    running:kill "sigterm"
    running:wait()
    assert.same({ 143, 0 }, { running.code, running.signal })
    assert.equal("", running.stdout)
    assert.matches('"reason": "cancelled"', workspace:read "outcome.json", 1, true)
  end)

  it("takes a signal to its group for one", function()
    local done = workspace:shell([[
      setsid "$BIDE" run recipe.lua sleep=60 --sandbox --max-wait 20s --output json=group.json -- echo it ran >out 2>&1 &
      until grep -q asked out; do sleep 0.01; done
      kill -TERM -$!; wait $!; echo "code $?"]])
    assert.equal("code 143\n", done.stdout)
    assert.matches('"reason": "cancelled"', workspace:read "group.json", 1, true)
  end)

  it("lets what was ignored be ignored", function()
    local done = workspace:shell([[
      trap '' HUP
      "$BIDE" run recipe.lua sleep=0.5 --sandbox --max-wait 20s -- echo it ran >out 2>&1 &
      until grep -q asked out; do sleep 0.01; done
      kill -HUP $!; wait $!; echo "code $?"]])
    assert.equal("code 0\n", done.stdout)
    assert.matches("it ran", workspace:read "out", 1, true)
  end)

  it("stops and goes on with bide", function()
    local running = start({ "sleep=1" }, "echo", "it ran")
    running:wait_for_output "asked"
    local bide = child_of(running.pid)
    running:kill "sigtstp"
    await(function() return state_of(running.pid) == "T" and state_of(bide) == "T" end)
    running:kill "sigcont"
    running:wait()
    assert.same({ 0, "it ran\n" }, { running.code, running.stdout }, running.stderr)
  end)

  ---Runs bide on a terminal of its own, and types once it has asked.
  local function on_terminal(typed, line)
    return workspace:shell(([[
      (until grep -q asked out; do sleep 0.01; done; printf '%s'; sleep 1) |
      script -qefc "exec $BIDE run recipe.lua %s" out >shown; echo "code $?"]]):format(typed, line))
  end

  it("gets what is typed to end it", function()
    os.remove(workspace.path .. "/out")
    local done = on_terminal("\\003", "sleep=60 --sandbox --max-wait 20s -- echo it ran")
    assert.equal("code 130\n", done.stdout)
    assert.matches("Done was cancelled", workspace:read "out", 1, true)
  end)

  it("lends the terminal to bide, and COMMAND has it then", function()
    os.remove(workspace.path .. "/out")
    local done = on_terminal("typed\\n", "sleep=0.2 --sandbox --max-wait 20s -- sh -c 'read -r word; echo got \\$word'")
    assert.equal("code 0\n", done.stdout)
    assert.matches("got typed", workspace:read "out", 1, true)
  end)

  it("leaves no process where the one that was started is killed", function()
    local mark = processes.mark()
    local running = start_sleeping(mark.env)
    assert.equal(2, mark:count())
    running:kill "sigkill"
    running:wait()
    assert.equal(9, running.signal)
    assert.equal(0, mark:count_after(5))
  end)

  it("ends by the signal that killed bide", function()
    local mark = processes.mark()
    local running = start_sleeping(mark.env)
    uv.kill(child_of(running.pid), "sigkill")
    running:wait()
    assert.equal(9, running.signal)
    assert.not_matches("it ran", running.stdout)
    assert.equal(0, mark:count_after(5))
  end)
end)
