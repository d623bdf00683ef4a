---What brings attempts forward: the watches of operations, of files, of processes and of ports, and a signal.

local uv = require "luv"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"

local SOON = 40 -- seconds, far below the interval

describe("a wait that hears of events", function()
  local workspace = Workspace.of_block()

  ---Starts a wait that polls every minute, and lets it make its first attempts.
  local function start(words)
    local list = { table.unpack(words) }
    table.move({ "--interval", "60s", "--max-wait", "150s", "--output", "json", "--verbose" }, 1, 7, #list + 1, list)
    local running = workspace:start(list)
    running:wait_for_output "attempt 1"
    process.run({ "sleep", "0.3" }, { tool = true })
    return running
  end

  ---Waits for the end, which has to come soon.
  local function expect_success(running)
    local began = uv.hrtime()
    running:wait()
    assert.equal(0, running.code, running.stderr)
    assert.is_true((uv.hrtime() - began) / 1e9 < SOON)
    local outcome = require("bide").json.decode(running.stdout)
    assert.is_true(outcome.history[#outcome.history].woken)
    return outcome
  end

  describe("of files", function()
    it("sees one whose folders do not exist yet", function()
      local running = start { "file", "a/b/c/file" }
      workspace:shell "mkdir -p a/b && sleep 0.1 && mkdir a/b/c && : >a/b/c/file"
      expect_success(running)
    end)

    it("sees what is written to one, by its absolute path too", function()
      workspace:write("log", "starting")
      local running = start { "file", workspace.path .. "/log", "expect=ready" }
      workspace:shell "echo ready >>log"
      expect_success(running)
    end)

    it("sees that one goes, and where its folder is moved away", function()
      workspace:shell "mkdir -p gone/x && : >gone/x/file"
      local running = start { "file", "FileGone", "gone/x/file" }
      workspace:shell "mv gone other"
      expect_success(running)
    end)

    it("sees the link of a folder led elsewhere", function()
      workspace:shell "mkdir v1 v2 && : >v2/file && ln -s v1 current"
      local running = start { "file", "current/file" }
      workspace:shell "ln -s v2 next && mv -T next current"
      expect_success(running)
    end)

    it("sees a folder that was replaced by another of its name", function()
      workspace:shell "mkdir replaced"
      local running = start { "file", "replaced/file" }
      workspace:shell "rmdir replaced && mkdir replaced && sleep 0.1 && : >replaced/file"
      expect_success(running)
    end)

    it("sees what fits a pattern, in folders that come later", function()
      local running = start { "file", "FilesCounted", "in-*/[ab].csv", "count=2" }
      workspace:shell "mkdir in-1 && : >in-1/a.csv && sleep 0.1 && : >in-1/c.csv && : >in-1/b.csv"
      expect_success(running)
    end)

    it("looks no more often because of other files", function()
      workspace:shell "mkdir busy"
      local running = start { "file", "busy/file" }
      workspace:shell "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >busy/other-$i; done; sleep 0.2; : >busy/file"
      assert.is_true(expect_success(running).attempts <= 4)
    end)

    it("polls only with --no-watch", function()
      local outcome, done = workspace:outcome { "file", "none", "--interval", "0.1s", "--max-wait", "0.5s", "--no-watch" }
      assert.equal(124, done.code)
      for _, entry in ipairs(outcome.history) do assert.is_nil(entry.woken) end
    end)
  end)

  describe("of processes", function()
    it("sees that one ends", function()
      local other = process.start({ "sleep", "300" }, { tool = true })
      local running = start { "process", "ProcessGone", "pid=" .. other.pid }
      other:kill "sigkill"
      expect_success(running)
      other:wait()
    end)

    it("sees that the last one of several ends, and the file that names one go", function()
      workspace:shell "ln -sf /bin/sleep bide-spec-nap"
      local words = { workspace.path .. "/bide-spec-nap", "300" }
      local first, second = process.start(words, { tool = true }), process.start(words, { tool = true })
      local running = start { "process", "ProcessGone", "bide-spec-nap" }
      first:kill "sigkill"
      first:wait()
      second:kill "sigkill"
      expect_success(running)
      second:wait()
    end)

    it("sees the file that names it written", function()
      local running = start { "process", "pid_file=app.pid" }
      workspace:write("app.pid", ("%d"):format(uv.os_getpid()))
      expect_success(running)
    end)
  end)

  describe("of ports of this machine that have refused it", function()
    local has_sockets = require("bide.core").network.listens("127.0.0.1", 1) ~= nil

    ---@param serve? fun(peer: userdata) by default it answers that it is healthy
    local function listen(address, number, serve)
      local listener = uv.new_tcp()
      assert(listener:bind(address, number))
      local server = { listener = listener, count = 0 }
      assert(listener:listen(16, function()
        local peer = uv.new_tcp()
        listener:accept(peer)
        server.count = server.count + 1
        if serve then return serve(peer) end
        peer:read_start(function(_, bytes)
          if not bytes then return peer:close() end
          peer:write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        end)
      end))
      return server
    end

    local function with_sockets(name, body)
      it(name, function()
        if not has_sockets then return pending "the system does not say who listens" end
        body()
      end)
    end

    local function finds(name, words, address, serve)
      with_sockets(name, function()
        local number = port.free()
        local list = {}
        for position, word in ipairs(words) do list[position] = word:gsub("PORT", number) end
        local running = start(list)
        local server = listen(address, number, serve)
        local outcome = expect_success(running)
        server.listener:close()
        assert.equal("ConnectionRefused", outcome.history[#outcome.history - 1].error.type)
        if not serve then assert.equal(1, server.count) end -- to look is not to connect
      end)
    end

    finds("sees one opened", { "tcp", "127.0.0.1:PORT" }, "127.0.0.1")
    finds("sees it by the name localhost", { "http", "localhost:PORT" }, "127.0.0.1")
    finds("sees it opened for all addresses", { "http", "http://127.0.0.1:PORT/x" }, "0.0.0.0")
    finds("sees it opened for both families", { "http", "127.0.0.1:PORT" }, "::")
    finds("sees it at ::1", { "tcp", "localhost:PORT" }, "::1")
    finds("sees that of a service", { "redis", "localhost:PORT" }, "127.0.0.1", function(peer)
      peer:read_start(function(_, bytes)
        if not bytes then return peer:close() end
        peer:write(bytes:find "PING" and "+PONG\r\n" or ":0\r\n")
      end)
    end)

    with_sockets("asks once, and polls on, where the page is not there yet", function()
      local number, status = port.free(), "503 Service Unavailable"
      local running = workspace:start { "http", "localhost:" .. number, "--interval", "1s", "--max-wait", "50s", "--output",
        "json", "--verbose" }
      running:wait_for_output "attempt 1"
      local server = listen("127.0.0.1", number, function(peer)
        peer:read_start(function(_, bytes)
          if not bytes then return peer:close() end
          peer:write(("HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"):format(status))
        end)
      end)
      running:wait_for_output "attempt 4"
      status = "200 OK"
      running:wait()
      server.listener:close()
      local outcome, woken = require("bide").json.decode(running.stdout), 0
      for _, entry in ipairs(outcome.history) do woken = woken + (entry.woken and 1 or 0) end
      assert.same({ 0, 1, nil }, { running.code, woken, outcome.history[#outcome.history].woken })
    end)

    with_sockets("hears nothing with --no-watch, nor of a port at another address", function()
      local number = port.free()
      local running = workspace:start { "tcp", "127.0.0.1:" .. number, "--interval", "1s", "--max-wait", "2500ms", "--output",
        "json", "--verbose" }
      running:wait_for_output "attempt 1"
      local server = listen("127.0.0.2", number)
      running:wait()
      server.listener:close()
      assert.equal(124, running.code)
      for _, entry in ipairs(require("bide").json.decode(running.stdout).history) do assert.is_nil(entry.woken) end
      running = workspace:start { "tcp", "127.0.0.1:" .. number, "--interval", "1s", "--max-wait", "20s", "--output", "json",
        "--verbose", "--no-watch" }
      running:wait_for_output "attempt 1"
      server = listen("127.0.0.1", number)
      running:wait()
      server.listener:close()
      assert.equal(0, running.code)
      for _, entry in ipairs(require("bide").json.decode(running.stdout).history) do assert.is_nil(entry.woken) end
    end)

    with_sockets("asks no more often than events may where a port comes and goes", function()
      local number = port.free()
      local running = workspace:start { "http", "127.0.0.1:" .. number, "--interval", "1s", "--max-wait", "3s", "--output",
        "json", "--verbose" }
      running:wait_for_output "attempt 1"
      while not running.code do
        local server = listen("127.0.0.1", number, function(peer) peer:close() end)
        for _ = 1, 3 do
          uv.run "nowait"
          uv.sleep(10)
        end
        server.listener:close()
        for _ = 1, 3 do
          uv.run "nowait"
          uv.sleep(10)
        end
      end
      assert.equal(124, running.code)
      assert.is_true(require("bide").json.decode(running.stdout).attempts <= 60) -- 50 ms apart
    end)

    with_sockets("hears of none on the virtual clock", function()
      local number = port.free()
      local server = listen("127.0.0.1", number)
      workspace:write("port.wait.lua", ([[
        return { recipe = "tcp", { name = "polls", waiter = "PortOpen", input = { host = "127.0.0.1:%d" },
          answers = { { error = { type = "ConnectionRefused", address = "127.0.0.1:%d" } }, { output = {} } },
          expect = { state = "success", delays = { 0.05 } } } }]]):format(number, number))
      local done = workspace:bide { "test", "port.wait.lua" }
      server.listener:close()
      assert.equal(0, done.code, done.stdout .. done.stderr)
    end)
  end)

  describe("by a signal", function()
    it("asks at once with --wake-on", function()
      workspace:shell "rm -f flag"
      local running = start { "command", "test -e flag", "--wake-on", "USR1" }
      workspace:write("flag", "")
      running:kill "sigusr1"
      expect_success(running)
    end)

    it("does not count such attempts towards --max-attempts", function()
      local running = start { "command", "false", "--wake-on", "SIGUSR2", "--max-attempts", "2" }
      for _ = 1, 3 do
        running:kill "sigusr2"
        process.run({ "sleep", "0.2" }, { tool = true })
      end
      assert.is_nil(running.code)
      assert.matches("attempt 4", running.stderr)
      running:kill "sigterm"
      running:wait()
    end)

    it("hands the signal to COMMAND as it is by default", function()
      workspace:shell([["$BIDE" command true --max-wait 50s --wake-on USR1 -q -- sh -c 'kill -USR1 $$; sleep 9']]):ends(128 + 10)
    end)

    it("refuses other signals", function()
      local done = workspace:bide { "command", "true", "--max-wait", "5s", "--wake-on", "TERM" }
      done:says(2, '--wake-on: expected USR1 or USR2, found "TERM"')
    end)
  end)

  describe("in a replay", function()
    local function replay(lines, ...)
      workspace:write("thing.lua", [[
        local acceptor = require "bide.acceptor"
        return { Get = {
          call = error, watch = function() error "no watch runs in a replay" end,
          waitable = { ThingDone = { minDelay = 10, maxDelay = 10, acceptors = { acceptor.output("success", "done") } } },
        } }]])
      workspace:write("answers.jsonl", lines)
      return workspace:outcome { "replay", "thing.lua", "ThingDone", "answers.jsonl", "--max-wait", "1m", ... }
    end

    it("comes that many seconds after the attempt", function()
      local outcome = replay('{"output":{},"duration":1,"wake":2.5}\n{"output":{}}\n{"output":{"done":true}}')
      assert.same({ 0, 3.5, 11 }, { outcome.history[1].at, outcome.history[2].at, outcome.history[3].at })
      assert.same({ nil, true, nil }, { outcome.history[1].woken, outcome.history[2].woken, outcome.history[3].woken })
    end)

    it("comes not before a Retry-After", function()
      local outcome = replay('{"output":{},"retryAfter":12,"wake":1}\n{"output":{"done":true}}')
      assert.is_true(outcome.history[2].at >= 10)
      assert.is_nil(outcome.history[2].woken)
    end)

    it("is a number of seconds", function()
      workspace:write("bad.jsonl", '{"output":{},"wake":"soon"}')
      local done = workspace:bide { "replay", "thing.lua", "ThingDone", "bad.jsonl", "--max-wait", "1m" }
      done:says(2, "bad.jsonl:1: wake: expected a number of seconds")
    end)
  end)

  it("keeps in a journal which attempts were woken, and begins the watch anew", function()
    workspace:write("journaled.lua", [[
      local bide = require "bide"
      local acceptor = require "bide.acceptor"
      local calls = 0
      return { Get = {
        call = function()
          local file = io.open "go"
          if file then file:close() end
          return { done = file ~= nil }
        end,
        watch = function(_, wake)
          wake.healthy()
          while true do
            bide.sleep(0.2)
            wake.healthy()
            wake()
          end
        end,
        waitable = { ThingDone = { minDelay = 1, maxDelay = 1, acceptors = { acceptor.output("success", "done") } } },
      } }]])
    local words = { "run", "journaled.lua", "--max-wait", "50s", "--journal", "j.db", "--resume", "--verbose" }
    local running = workspace:start(words)
    running:wait_for_output "attempt 4"
    running:kill "sigkill"
    running:wait()
    workspace:write("go", "")
    local outcome = workspace:outcome(words)
    assert.equal("success", outcome.state)
    assert.is_true(outcome.history[3].woken)
    assert.is_true(outcome.attempts >= 4)
  end)
end)
