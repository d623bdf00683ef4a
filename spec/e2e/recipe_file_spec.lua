local uv = require "luv"
local Directory = require "spec.support.directory"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe file, with files", function()
  local directory = Directory.of_each()

  local function start(name, ...)
    return process.start({ process.bide, "run", "file", "path=" .. directory.path .. "/" .. name,
      "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  local function run(...) return start(...):wait() end

  it("succeeds where the file is there, and says what it is", function()
    directory:write("thing", "four")
    run("thing", "--max-wait", "50s", "--output", "json"):prints(0, '"waiter": "FileExists"', '"size": 4')
    assert.equal(0, run("", "--max-wait", "50s").code)
  end)

  it("waits until it is there", function()
    local started = start("thing", "--max-wait", "50s")
    started:wait_for_output "NotFound"
    directory:write("thing", "")
    assert.equal(0, started:wait().code)
  end)

  it("waits until a text is in it", function()
    directory:write("log", "starting\n")
    local started = start("log", "expect=ready", "--max-wait", "50s")
    started:wait_for_output 'the text "ready" was not found'
    directory:write("log", "starting\nready\n")
    assert.equal(0, started:wait().code)
  end)

  it("waits until nobody writes to it", function()
    local writer = uv.new_timer()
    writer:start(0, 50, function() directory:write("upload", "one") end)
    local started = start("upload", "stable=0.4", "--max-wait", "50s")
    started:wait_for_output "NotStable: .*/upload: it was written to"
    writer:close()
    directory:write("upload", "two")
    local began = uv.hrtime()
    assert.equal(0, started:wait().code)
    assert.is_true((uv.hrtime() - began) / 1e9 > 0.35)
  end)

  it("waits until it is gone", function()
    local path = directory:write("lock", "")
    local started = process.start({ process.bide, "run", "file", "FileGone", "path=" .. path, "--min-delay", "50ms",
      "--max-delay", "50ms", "--max-wait", "50s" })
    started:wait_for_output "attempt 1"
    os.remove(path)
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches("FileGone succeeded .*NotFound", started.stdout)
  end)

  it("exceeds its max wait where it does not come", function()
    local done = run("thing", "--max-wait", "500ms")
    assert.equal(124, done.code)
    assert.matches("last seen: error NotFound: .*/thing: no such file or directory", done.stderr)
  end)

  it("fails at once where waiting does not help", function()
    run("", "expect=x", "--max-wait", "50s"):says(3, "NotAFile")
  end)

  it("names an input that is mistyped or missing", function()
    local done = process.run({ process.bide, "run", "file", "pth=/x", "--max-wait", "50s" })
    assert.matches('unknown input "pth", did you mean "path"%?', done.stderr)
    done = process.run({ process.bide, "run", "file", "--max-wait", "50s" })
    assert.matches("path: expected .*, found nothing", done.stderr)
  end)
end)
