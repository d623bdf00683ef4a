---bide on machines that lack what others have: a kernel of 2019, and a root without /proc, /etc and /dev/shm, in which
---nothing can be written, as a user without a name.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local process = require "spec.support.process"
local uv = require "luv"

if process.is_sanitized then return end -- the tools that make the machine would be preloaded as well

local SCRIPT = 'print(1 + 6)'

describe("on a kernel of 2019", function()
  local directory = Directory.of_block()
  local without

  setup(function()
    without = directory.path .. "/without"
    local built = process.run({ "cc", "-w", "-o", without, "spec/support/walls/without.c", "-lseccomp" }, { tool = true })
    assert(built.code == 0, built.stderr)
  end)

  local function run(words, options)
    return process.run(table.move(words, 1, #words, 4, { without, "new", uv.fs_realpath(process.bide) }), options)
  end

  it("--sandbox warns of each wall, and --sandbox=strict refuses to run", function()
    local done = run({ "exec", "--sandbox", "-" }, { stdin = SCRIPT })
    assert.equal(0, done.code, done.stderr)
    assert.matches("warning: this kernel lacks Landlock, .- %(Function not implemented%)\n", done.stderr)
    assert.matches("warning: this kernel lacks seccomp, .- %(Function not implemented%)\n", done.stderr)
    done = run({ "exec", "--sandbox=strict", "-" }, { stdin = SCRIPT })
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    assert.matches("--sandbox=strict: this kernel lacks Landlock, .-; seccomp, ", done.stderr)
  end)

  it("waits start programs, watch them, and end with them", function()
    local done = run { "command", "true", "--max-wait", "20s", "--quiet", "--start", "sleep 50", "--", "echo", "it", "ran" }
    assert.same({ 0, "it ran\n" }, { done.code, done.stdout }, done.stderr)
    local watched = process.start({ "sleep", "0.3" }, { tool = true })
    done = run { "file", "/nowhere", "--max-wait", "20s", "--quiet", "--while-pid", tostring(watched.pid) }
    watched:wait()
    done:says(1, "has ended")
    assert.equal(1, run({ "command", "true", "--max-wait", "20s", "-q", "--start", "false", "--start-log", "/dev/null",
      "--until", "nothing", "--", "true" }).code)
  end)

  it("waits ask by HTTP, and watch files", function()
    local server = Server.start(function() return { body = '{"state":"done"}' } end)
    assert.equal(0, run({ "http", server.url, "--until", "state=done", "--max-wait", "20s" }).code)
    server:close()
    assert.equal(0, run({ "file", directory:write("ready", ""), "--max-wait", "20s" }).code)
  end)
end)

describe("in a root with nothing", function()
  local lack
  local words = { "unshare", "--mount", "sh", "-c",
    "for place in /proc /etc /dev/shm /tmp /root; do mount -t tmpfs -o ro none $place || exit 99; done\n"
      .. 'exec setpriv --reuid=54321 --regid=54321 --clear-groups env -i "$@"', "sh", uv.fs_realpath(process.bide) }

  local function run(arguments, options)
    options = options or {}
    options.tool = true
    return process.run(table.move(arguments, 1, #arguments, #words + 1, table.move(words, 1, #words, 1, {})), options)
  end

  setup(function()
    if uv.getuid() ~= 0 then
      lack = "only root makes such a root, and is another user in it"
      return
    end
    local done = run { "--version" }
    if done.code ~= 0 then lack = "such a root cannot be made, or bide not be reached in it: " .. done.stderr end
  end)

  local function there(name, check)
    it(name, function()
      if lack then return pending(lack) end
      check()
    end)
  end

  there("scripts run, behind the walls too", function()
    local done = run({ "exec", "-" }, { stdin = SCRIPT })
    assert.equal("7\n", done.stdout, done.stderr)
    done = run({ "exec", "--sandbox=strict", "-" }, { stdin = SCRIPT })
    if done.stderr:find("this kernel lacks", 1, true) then return pending(done.stderr) end
    assert.equal("7\n", done.stdout, done.stderr)
    assert.equal("", done.stderr)
  end)

  there("waits ask this machine by its name, and COMMAND runs", function()
    local server = Server.start(function() return { body = "{}" } end)
    local address = server.url:gsub("127%.0%.0%.1", "localhost")
    local done = run { "http", address, "--max-wait", "20s", "-q", "--", "/bin/echo", "it ran" }
    server:close()
    assert.same({ 0, "it ran\n" }, { done.code, done.stdout }, done.stderr)
  end)

  there("what cannot be written is said, with exit code 2, before anything is asked", function()
    local files = { ["--journal"] = "/tmp/waits.db", ["--output"] = "json=/tmp/outcome.json", ["--record"] = "/tmp/answers" }
    for option, file in pairs(files) do
      local done = run { "command", "/bin/true", "--max-wait", "5s", option, file }
      assert.equal(2, done.code, option)
      assert.matches(file:match "/.*", done.stderr, 1, true)
      assert.matches("read%-only file system", done.stderr:lower())
    end
  end)

  there("doctor says what is not there", function()
    local done = run { "doctor" }
    for _, part in ipairs { "/etc/resolv.conf: no such file or directory", "/proc is not there", "/tmp cannot be used" } do
      assert.matches(part, done.stdout, 1, true)
    end
  end)
end)

describe("two releases in one PATH", function()
  local directory = Directory.of_each()

  it("have modules and recipes of their own", function()
    for _, name in ipairs { "one", "another" } do
      local line = ('mkdir -p %s && cp -RL build/bide build/lib build/lua build/scripts build/docs %s'):format(name, name)
      line = line:gsub("%f[%w]build", "$1/build"):gsub("%f[%w]" .. name, directory.path .. "/" .. name)
      local made = process.run({ "sh", "-c", line, "sh", uv.cwd() }, { tool = true })
      assert(made.code == 0, made.stderr)
      directory:write(name .. "/scripts/of_release.lua", ('print("%s") return {}'):format(name))
    end
    local path = ("%s/one:%s/another:%s"):format(directory.path, directory.path, os.getenv "PATH")
    local function list(program)
      return process.run({ "sh", "-c", program .. " list of_release" }, { tool = true, env = { PATH = path } }).stderr
    end
    assert.matches("^one\n", list "bide")
    assert.matches("^another\n", list(directory.path .. "/another/bide"))
  end)
end)
