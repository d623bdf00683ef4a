local uv = require "luv"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"

describe("the recipe file, following a log", function()
  local workspace = Workspace.of_each()
  local path

  before_each(function() path = workspace.path .. "/log" end)

  local function append(text, name)
    local log = assert(io.open(name or path, "ab"))
    assert(log:write(text))
    log:close()
  end

  ---Starts bide, and waits until it has begun, and has opened the log if there is one, of which nothing else tells.
  local function start(...)
    local words = { "run", "file", "LineFound", "log", "--output", "json", "--events", "events", ... }
    if not table.concat(words, " "):find("--max-wait", 1, true) then words[#words + 1] = "--max-wait=20s" end
    local started = workspace:start(words)
    local own = ("/proc/%d/fd"):format(started.pid)
    local function is_open()
      local scan = uv.fs_scandir(own)
      for name in function() return scan and uv.fs_scandir_next(scan) end do
        if uv.fs_readlink(own .. "/" .. name) == path then return true end
      end
    end
    local function has_begun() return (uv.fs_stat(workspace.path .. "/events") or { size = 0 }).size > 0 end
    while not started.code and not (has_begun() and (is_open() or not uv.fs_stat(path))) do uv.run "nowait" end
    uv.sleep(150) -- it has looked where the log ends
    return started
  end

  local function line_of(started)
    local done = started:wait()
    assert.equal(0, done.code, done.stdout .. done.stderr)
    return json.decode(done.stdout).output.line
  end

  it("finds a line that comes after it began, and none from before", function()
    append "ready 1\nstarting\n"
    local started = start("^ready \\d+$", "from=end")
    append "read"
    append "y 2"
    uv.sleep(150)
    assert.is_nil(started.code)
    append "\nready 3\n"
    assert.equal("ready 2", line_of(started))
  end)

  it("finds a line from before where it begins at the start", function()
    append "starting\r\nready 1\r\n"
    assert.equal("ready 1", line_of(start("^ready (\\d+)$", "from=start")))
  end)

  it("awaits a log that does not exist, and reads all of it", function()
    local started = start "ready"
    append "now ready\n"
    assert.equal("now ready", line_of(started))
  end)

  it("reads the rest of a log that was rotated, then the next", function()
    append "old\n"
    local started = start "ready"
    os.rename(path, path .. ".1")
    append("last words\nready in the old", path .. ".1")
    append "ready in the new\n"
    assert.equal("ready in the old", line_of(started))
  end)

  it("follows it over a rotation with a gap, as often as it is", function()
    append "old\n"
    local started = start "ready"
    for number = 1, 3 do
      os.rename(path, path .. "." .. number)
      uv.sleep(150)
      append "new\n"
      uv.sleep(150)
    end
    append "ready\n"
    assert.equal("ready", line_of(started))
  end)

  it("reads a log that was truncated from its beginning", function()
    append(("old\n"):rep(1000))
    local started = start "ready"
    workspace:write("log", "ready again\n")
    assert.equal("ready again", line_of(started))
  end)

  it("does not read again what it has read", function()
    append "old\n"
    local started = start("^never$", "from=end", "--max-wait", "1s")
    append(("x"):rep(1000) .. "\n")
    local outcome = json.decode(started:wait().stdout)
    started:prints(124, "1001 bytes read, no line matches")
    assert.equal("maxWait", outcome.reason)
  end)

  it("fails with a line that means failure", function()
    append ""
    local started = start("ready", "failed=panic,fatal")
    append "a fatal mistake\nready\n"
    started:wait():prints(1, "FailedLine: a fatal mistake")
  end)

  it("looks at a line without an end in pieces, and at bytes of any kind", function()
    append ""
    local started = start "ready\0\xFF"
    append(("\xFE"):rep(3 * 1024 * 1024))
    append "\nready\0\xFF\n"
    assert.matches("^ready", line_of(started))
  end)

  it("keeps its deadline with a log that grows for ever, and with a pattern that backtracks", function()
    append ""
    local endless = process.start({ "sh", "-c", "while :; do echo yes; done >>log" }, { tool = true, cwd = workspace.path })
    local done = start("ready", "--max-wait", "700ms"):wait()
    endless:kill "sigkill"
    endless:wait()
    assert.equal(124, done.code, done.stderr)
    workspace:write("log", ("a"):rep(60000) .. "\n")
    done = start("(a*)*[bc]", "from=start", "--max-wait", "300ms"):wait()
    done:prints(124, '"reason": "maxWait"')
  end)

  it("puts the groups of matches into the output, and takes a Lua pattern as well", function()
    append "listening on 127.0.0.1:80\n"
    local outcome = workspace:outcome { "file", "LineFound", "log", "(\\d+\\.\\S+):(\\d+)( |$)", "matches_lua=%d:%d%d$",
      "from=start", "--max-wait", "50s" }
    assert.same({ "127.0.0.1", "80", "" }, outcome.output.captures)
    local done = workspace:bide { "file", "LineFound", "log", "--max-wait", "50s" }
    assert.matches("matches: expected a regular expression, found nothing", done.stderr, 1, true)
  end)

  it("fails where an expression takes too long for two lines in a row", function()
    append(("%s\nready\n%s\n"):format(("a"):rep(50), ("a"):rep(60)))
    local outcome = workspace:outcome { "file", "LineFound", "log", "(a+)+[bc]|^ready", "from=start", "--max-wait", "9s" }
    assert.equal("ready", outcome.output.line)
    assert.equal("a line for which matches takes too long did not match", outcome.history[1].note)
    local _, done = workspace:outcome { "file", "LineFound", "log", "(a+)+[bc]|^steady|^r..dy$(?!)", "from=start",
      "--max-wait", "300ms" }
    assert.equal(124, done.code)
    append(("a"):rep(60) .. "\n")
    outcome, done = workspace:outcome { "file", "LineFound", "log", "(a+)+[bc]", "from=start", "--max-wait", "9s" }
    assert.equal(1, done.code)
    assert.matches("takes too long for two lines in a row$", outcome.message)
  end)

  it("fails at once where there is nothing to follow", function()
    assert.equal(0, os.execute("mkfifo " .. path) and 0)
    local done = workspace:bide { "run", "file", "LineFound", "log", "x", "--max-wait", "50s" }
    done:says(3, "NotAFile: log: a fifo cannot be followed")
    done = workspace:bide { "run", "file", "LineFound", "log", "(", "--max-wait", "50s" }
    done:says(2, 'matches: expected a regular expression, found "("')
  end)
end)
