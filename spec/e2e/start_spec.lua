---`--start LINE`: a program that must live while one waits, COMMAND beside it, and the end of both.

local json = require("bide.core").json
local uv = require "luv"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"
local processes = require "spec.support.processes"

---A server that answers each connection, and one that only opens its port after a moment.
local server = [[
local uv = require "luv"
local listener = uv.new_tcp()
listener:bind("127.0.0.1", tonumber(arg[1]))
print "will listen"
io.stdout:flush()
listener:listen(16, function()
  local client = uv.new_tcp()
  listener:accept(client)
  client:close()
end)
uv.run()]]

describe("--start", function()
  local workspace = Workspace.of_block()
  local free

  setup(function()
    free = port.free()
    workspace:write("server.lua", server)
  end)

  before_each(function()
    for _, name in ipairs { "ready", "ended", "got", "log", "err" } do os.remove(workspace.path .. "/" .. name) end
  end)

  local function text_of(name)
    local file = io.open(workspace.path .. "/" .. name)
    local text = file and file:read "a"
    if file then file:close() end
    return text
  end

  ---Waits until bide's program or COMMAND has made a file.
  local function await(running, name)
    while not text_of(name) do
      assert(not running.code, running.stderr)
      uv.run "nowait"
      uv.sleep(2)
    end
  end

  ---Returns the words that wait for a file that the program makes.
  local function words(line, ...)
    return { "file", "./ready", "--max-wait", "30s", "--quiet", "--start", line, ... }
  end

  local function run(line, ...)
    return workspace:bide(words(line, ...))
  end

  it("waits for a server, runs COMMAND beside it, and ends both", function()
    local mark = processes.mark()
    local done = workspace:bide({ "tcp", "127.0.0.1:" .. free, "--max-wait", "30s", "--start",
      ("sleep 0.2; exec %s server.lua %d"):format(process.lua, free), "--", "sh", "-c", "echo ran; exit 7" }, { env = mark.env })
    assert.same({ 7, "ran\n" }, { done.code, done.stdout }, done.stderr)
    assert.matches("\nwill listen\n", done.stderr)
    assert.matches("PortOpen succeeded", done.stderr)
    assert.equal(0, mark:count())
  end)

  describe("whose port was open before", function()
    local WORDS = "%s was open before the program of --start began: a server of an earlier run may answer"

    local function with_server(body)
      if require("bide.core").network.listens("127.0.0.1", 1) == nil then return pending "the system does not say" end
      local listener, number = uv.new_tcp(), port.free()
      assert(listener:bind("127.0.0.1", number))
      listener:listen(16, function()
        local client = uv.new_tcp()
        listener:accept(client)
        client:close()
      end)
      finally(function() listener:close() end)
      body(number)
    end

    it("warns, says so in the outcome, and changes nothing else", function()
      with_server(function(number)
        local done = workspace:bide { "tcp", "localhost:" .. number, "--max-wait", "30s", "--quiet", "--output",
          "json=outcome.json", "--start", "sleep 9", "--", "sh", "-c", "exit 7" }
        assert.equal(7, done.code, done.stderr)
        local warning = WORDS:format("localhost:" .. number)
        assert.same({ warning }, json.decode(text_of "outcome.json").warnings)
        local _, count = done.stderr:gsub("warning: " .. warning:gsub("%-", "%%-"), "")
        assert.equal(1, count)
      end)
    end)

    it("says so of the wait that it is about, in a failure too", function()
      with_server(function(number)
        local done = workspace:bide { "file", "./missing", "+", "tcp", "127.0.0.1:" .. number, "--max-wait", "0.3s", "--quiet",
          "--output", "json=outcome.json", "--start", "sleep 9", "--", "true" }
        assert.equal(124, done.code, done.stderr)
        local outcomes = json.decode(text_of "outcome.json").outcomes
        assert.is_nil(outcomes[1].warnings)
        assert.same({ WORDS:format("127.0.0.1:" .. number) }, outcomes[2].warnings)
      end)
    end)

    it("says nothing without --start, nor of a port that is not open", function()
      with_server(function(number)
        local done = workspace:bide { "tcp", "localhost:" .. number, "--max-wait", "30s", "--quiet", "--", "true" }
        assert.not_matches("warning", done.stderr)
      end)
      local done = workspace:bide { "tcp", "localhost:" .. port.free(), "--max-wait", "0.2s", "--quiet", "--start", "sleep 9",
        "--", "true" }
      assert.equal(124, done.code)
      assert.not_matches("warning", done.stderr)
    end)
  end)

  describe("whose program dies first", function()
    it("fails at once, with its status and its last lines", function()
      local lines = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i; done; printf '\\033[31mred\\033[0m\\n' >&2; exit 3"
      local done = run(lines, "--output", "json=outcome.json", "--", "touch", "got")
      assert.equal(1, done.code)
      local expected = "the program of %-%-start ended with exit code 3; its last lines: line 22 | line 23 | .* | line 30 | red; "
      assert.matches(expected, done.stderr)
      assert.matches("^line 1\nline 2\n", done.stderr)
      assert.matches('"reason": "ended"', text_of "outcome.json")
      assert.is_nil(text_of "got")
      assert.is_true(done.elapsed < 5)
    end)

    it("names the signal", function()
      assert.matches("was ended by signal 9, without output", run("kill -9 $$", "--", "true").stderr)
    end)

    it("fails although it has forked, and ends what it left", function()
      local mark = processes.mark()
      local done = workspace:bide(words("sleep 50 & exit 0", "--", "true"), { env = mark.env })
      done:says(1, "ended with exit code 0, and has to stay in the foreground")
      assert.equal(0, mark:count())
      assert.is_true(done.elapsed < 5)
    end)

    it("fails although another program holds its output open", function()
      local done = run("setsid sh -c 'touch got; until [ -e over ]; do sleep 0.1; done' & " ..
        "until [ -e got ]; do sleep 0.01; done; echo bye; exit 4", "--start-log", "log", "--", "true")
      workspace:write("over", "")
      done:says(1, "ended with exit code 4; its last lines: bye")
    end)

    it("cannot be found", function()
      local done = run("no-such-program", "--", "true")
      assert.equal(1, done.code)
      assert.matches("ended with exit code 127; its last lines: [^\n]*no%-such%-program[^\n]*not found", done.stderr)
    end)

    it("has long lines, and bytes that are not a text", function()
      local line = "head -c 3000 /dev/zero | tr '\\0' x; echo; printf 'a\\377b\\n'; exit 1"
      run(line, "--output", "json=outcome.json", "--start-log", "log", "--", "true"):ends(1)
      local outcome = assert(json.decode(text_of "outcome.json"))
      assert.matches("its last lines: x+… | a[^|]+b; ", outcome.message)
      assert.is_true(#outcome.message < 600)
    end)
  end)

  it("keeps the output of a program flat in memory", function()
    local size = process.is_sanitized and 100000000 or 1000000000 -- memory means nothing there, and time passes
    local line = ("python3 -c 'import os; [os.write(1, b\"x\" * 65536) for _ in range(%d)]'; touch ready; sleep 50")
      :format(size // 65536 + 1)
    local done = workspace:bide(words(line, "--max-wait", "2m", "--start-log", "/dev/null", "--", "sh", "-c",
      "grep VmHWM /proc/$PPID/status"), { longest = 150 })
    assert.equal(0, done.code, done.stderr)
    if not process.is_sanitized then assert.is_true(tonumber(done.stdout:match "%d+") < 32000, done.stdout) end
  end)

  it("delays no wait if the reader of the output does not read", function()
    workspace:shell [[{ "$BIDE" file ./ready --max-wait 30s --silent --start '(sleep 0.3; touch ready) & exec yes' -- touch got
      echo $? >ended; } 2>&1 | { until [ -e got ] || [ -e ended ]; do sleep 0.01; done; cat >/dev/null; }]]
    assert.equal("0\n", text_of "ended")
  end)

  it("writes the output to --start-log", function()
    local done = run("echo one; echo two >&2; touch ready; sleep 50", "--start-log", "log", "--", "true")
    assert.equal(0, done.code, done.stderr)
    assert.equal("one\ntwo\n", text_of "log")
    assert.is_nil(done.stderr:find("one", 1, true))
  end)

  it("does not continue a line of the program", function()
    local done = workspace:shell [["$BIDE" file ./ready --max-wait 30s --start \
      'printf half; until grep -q half err; do sleep 0.01; done; touch ready; sleep 50' -- true 2>err]]
    assert.equal(0, done.code)
    assert.matches("\nhalf\n", "\n" .. text_of "err")
  end)

  describe("while COMMAND runs", function()
    local ready = "touch ready; sleep 50"

    it("says that the program died, and lets COMMAND go on", function()
      local done = workspace:shell [["$BIDE" file ./ready --max-wait 30s --quiet \
        --start 'touch ready; until [ -e got ]; do sleep 0.01; done; echo oops; exit 5' -- \
        sh -c 'touch got; until grep -q warning err; do sleep 0.01; done; exit 6' 2>err]]
      assert.equal(6, done.code)
      assert.matches("warning: the program of %-%-start ended with exit code 5; its last lines: oops", text_of "err")
    end)

    it("hands on signals, once", function()
      local command = "trap 'echo got; exit 9' TERM; touch got; while :; do sleep 0.05; done"
      local running = workspace:start(words(ready, "--", "sh", "-c", command))
      await(running, "got")
      running:kill "sigterm"
      running:wait()
      assert.same({ 9, 0, "got\n" }, { running.code, running.signal, running.stdout })
    end)

    it("leaves a signal of the terminal to the terminal, which sends it to both", function()
      workspace:write("command.sh", [[
        trap 'echo signalled; came=1' INT
        touch got
        until [ "$came" ]; do sleep 0.05; done
        until grep -q '^State:.S' /proc/$PPID/status; do sleep 0.01; done # bide has handled it too
        exit 4]])
      workspace:write("line.sh", [[exec "$BIDE" file ./ready --max-wait 30s -q --start 'touch ready; sleep 50' -- sh command.sh]])
      local done = workspace:shell [[{ until [ -e got ]; do sleep 0.01; done; printf '\003'
        until [ -e ended ]; do sleep 0.01; done; } | script -qec 'trap : INT; sh line.sh; echo code $?; touch ended' /dev/null]]
      local _, times = done.stdout:gsub("signalled", "")
      assert.equal(1, times, done.stdout)
      assert.matches("code 4", done.stdout)
    end)

    it("ends as COMMAND, though a signal ended that", function()
      assert.equal(128 + 10, run(ready, "--", "sh", "-c", "kill -USR1 $$").code)
      assert.equal(0, run(ready, "--", "true").code)
    end)

    it("says that COMMAND cannot be run", function()
      local mark = processes.mark()
      local done = workspace:bide(words(ready, "--", "./no-such-command"), { env = mark.env })
      done:says(127, "bide: ./no-such-command: no such file")
      assert.equal(0, mark:count())
    end)
  end)

  describe("at the end of bide", function()
    local polite = "trap 'sleep 0.2; echo bye >ended; exit' TERM; touch got; while :; do sleep 0.05; done"

    it("lets the program end by itself: a deadline", function()
      local seconds = 0.25
      repeat -- until it has begun before the deadline
        seconds = 2 * seconds
        assert.equal(124, run(polite, "--max-wait", seconds .. "s", "--", "true").code)
      until text_of "got"
      assert.equal("bye\n", text_of "ended")
    end)

    it("lets the program end by itself: a signal", function()
      local running = workspace:start(words(polite, "--", "true"))
      await(running, "got")
      running:kill "sigint"
      running:wait()
      assert.equal(130, running.code, running.stderr)
      assert.equal("bye\n", text_of "ended")
    end)

    it("lets the program end by itself: bide is killed", function()
      local mark = processes.mark()
      local running = workspace:start(words("exec >/dev/null 2>&1; " .. polite, "--", "true"), { env = mark.env })
      await(running, "got")
      running:kill "sigkill"
      running:wait()
      assert.equal(9, running.signal)
      assert.equal(0, mark:count_after(5))
      assert.equal("bye\n", text_of "ended")
    end)

    it("lets the program end by itself though nothing reads its output, if it ignores that: bide is killed", function()
      local line = "trap '' PIPE; trap 'echo late; echo bye >ended; exit' TERM; touch got; while :; do sleep 0.05; done"
      local mark = processes.mark()
      local running = workspace:start(words(line, "--", "true"), { env = mark.env })
      await(running, "got")
      running:kill "sigkill"
      running:wait()
      assert.equal(0, mark:count_after(5))
      assert.equal("bye\n", text_of "ended")
    end)

    it("lets no program hang that writes without an end: bide is killed", function()
      local mark = processes.mark()
      local running = workspace:start(words("trap '' TERM; touch got; exec yes", "--", "true"), { env = mark.env })
      await(running, "got")
      running:kill "sigkill"
      running:wait()
      assert.equal(0, mark:count_after(30)) -- where nothing ended it, it would write for ever
    end)

    local deaf = "trap '' TERM; touch ready%d; while :; do sleep 0.05; done"

    it("kills a program that ignores TERM after 10 s, and what a program has forked", function()
      local runs = {}
      for position, line in ipairs { deaf, ("(%s) & exec sleep 50"):format(deaf) } do
        local mark = processes.mark()
        runs[position] = { mark = mark, done = workspace:start({ "file", "./ready" .. position, "--max-wait", "30s", "--quiet",
          "--start", line:format(position), "--", "sh", "-c", "exit 3" }, { env = mark.env }) }
      end
      for _, run_of in ipairs(runs) do
        local done = run_of.done:wait()
        assert.equal(3, done.code)
        assert.is_true(done.elapsed > 9.9 and done.elapsed < 15, done.elapsed)
        assert.equal(0, run_of.mark:count())
      end
    end)

    it("kills it at once when a signal comes meanwhile", function()
      local running = workspace:start(words("trap 'touch ended' TERM; touch ready; while :; do sleep 0.05; done", "--", "true"))
      await(running, "ended")
      local began = uv.hrtime()
      running:kill "sigint"
      running:wait()
      assert.equal(0, running.code)
      assert.is_true(uv.hrtime() - began < 5e9)
    end)
  end)

  it("has no program after bide, at whatever moment it is killed", function()
    processes.assert_gone_when_killed(6, 3, 20, function(env)
      return workspace:start(words("sleep 30", "--", "true"), { env = env })
    end)
  end)

  it("refuses mistakes before it starts anything", function()
    local mistakes = {
      { { "--start", "touch got" }, "%-%-start needs a COMMAND after %-%-" },
      { { "--start", "touch got", "--sandbox", "--", "true" }, "%-%-start runs a program, which %-%-sandbox does not allow" },
      { { "--start-log", "log", "--", "true" }, "%-%-start%-log is for the program of %-%-start, which is missing" },
      { { "--start", "touch got", "--start-log", "/no/such/folder/log", "--", "true" }, "%-%-start%-log: /no/such/folder/log" },
      { { "--start", " ", "--", "true" }, "%-%-start: expected LINE, found blanks alone" },
      { { "--start", "touch got", "--until", "a b", "--", "true" }, "%-%-until" },
    }
    for _, row in ipairs(mistakes) do
      local done = workspace:bide { "file", "./ready", "--max-wait", "5s", table.unpack(row[1]) }
      assert.equal(2, done.code)
      assert.matches(row[2], done.stderr)
    end
    assert.is_nil(text_of "got")
  end)
end)
