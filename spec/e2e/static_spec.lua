---The program of `make static`, in a root that has nothing but it: no library, no /proc, no /etc, no /dev and no /tmp.
---Each spec is pending where it was not made.

local Server = require "spec.support.server"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

local PROGRAM = "build/static/bide"

---Variables that would name files outside.
local unset = { HOME = false, CURL_CA_BUNDLE = false, SSL_CERT_FILE = false, SSL_CERT_DIR = false }

---The first words of a command line that runs a program in another root.
local function words_of_chroot(root)
  if uv.getuid() == 0 then return { "chroot", root, "/bide" } end
  return { "unshare", "--user", "--map-root-user", "chroot", root, "/bide" }
end

describe("the static program", function()
  local root, lack

  setup(function()
    if not uv.fs_stat(PROGRAM) then
      lack = "make static made no build/static/bide"
      return
    end
    root = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/bide-root-XXXXXX"))
    assert(uv.fs_copyfile(PROGRAM, root .. "/bide"))
    local command = words_of_chroot(root)
    command[#command + 1] = "--version"
    local tried = process.run(command, { tool = true, env = { LD_PRELOAD = false } })
    if tried.code ~= 0 then lack = "no other root can be entered here: " .. tried.stderr end
  end)

  teardown(function()
    if not root then return end
    for _, name in ipairs { "etc/hosts", "etc/resolv.conf", "etc", "m.so", "m.lua", "bide" } do
      local remove = uv.fs_lstat(root .. "/" .. name) or { type = "" }
      if remove.type == "directory" then uv.fs_rmdir(root .. "/" .. name) else uv.fs_unlink(root .. "/" .. name) end
    end
    uv.fs_rmdir(root)
  end)

  ---Defines a spec that gets a function which runs the program in its root.
  local function inside(name, check)
    it(name, function()
      if lack then return pending(lack) end
      check(function(arguments, options)
        local command = table.move(arguments, 1, #arguments, 4, words_of_chroot(root))
        if uv.getuid() ~= 0 then command = table.move(arguments, 1, #arguments, 6, words_of_chroot(root)) end
        options = options or {}
        options.tool, options.env = true, unset
        return process.run(command, options)
      end)
    end)
  end

  local function write(name, text)
    local file <close> = assert(io.open(root .. "/" .. name, "wb"))
    assert(file:write(text))
  end

  inside("has its recipes, its pages and the data of AWS with it", function(run)
    run({ "list" }):prints(0, "\nkubernetes\n")
    assert.matches("^# ", run({ "help", "recipes" }).stdout)
    assert.matches("Amazon Relational Database Service", run({ "aws" }).stdout, 1, true)
    run({ "list", "aws:rds" }):prints(0, "DBInstanceAvailable")
  end)

  inside("waits by HTTP and TCP, and says why not", function(run)
    local server = Server.start(function() return { body = "{}" } end)
    local done = run { "http", server.url, "--max-wait", "5s" }
    assert.equal(0, done.code, done.stderr)
    server:close()
    done = run { "tcp", "127.0.0.1:1", "--max-attempts", "1", "--max-wait", "2s" }
    assert.not_equal(0, done.code)
    assert.matches("connection refused", done.stderr, 1, true)
  end)

  inside("searches documents behind the walls of the strictest sandbox", function(run)
    local done = run({ "query", "--sandbox=strict", "a[1]" }, { stdin = '{"a":[1,"two"]}' })
    if done.stderr:find("this kernel lacks", 1, true) then return pending(done.stderr) end
    assert.equal('"two"\n', done.stdout, done.stderr)
  end)

  inside("says of a C module of others that it could load none", function(run)
    write("m.so", "")
    write("m.lua", "package.cpath = '/?.so'; require 'm.inner'")
    local done = run { "exec", "/m.lua" }
    assert.not_equal(0, done.code)
    assert.matches("this build has no C modules but bide's own, and /m.so is one", done.stderr, 1, true)
  end)

  inside("has authorities where the system has none", function(run)
    local done = run { "doctor", "--output", "json" }
    assert.matches("those within this program", done.stdout, 1, true)
  end)

  inside("knows localhost without a hosts file, and names of a hosts file", function(run)
    local server = Server.start(function() return { body = "{}" } end)
    local port = server.port
    assert.equal(0, run({ "tcp", "localhost:" .. port, "--max-wait", "3s" }).code)
    uv.fs_mkdir(root .. "/etc", tonumber("755", 8))
    write("etc/hosts", "127.0.0.1 known.example\n")
    local done = run { "tcp", "known.example:" .. port, "--max-wait", "3s" }
    server:close()
    assert.equal(0, done.code, done.stderr)
  end)

  -- ---- names, as the machine's files say ------------------------------------------------------

  local dnsmasq, lack_of_dnsmasq = service.find("dnsmasq", "dnsmasq-base")

  ---Starts a name server at the port that resolv.conf means, of an address of this machine that no other server has.
  local function serve_names(address, ...)
    return service.start { dnsmasq, "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--pid-file",
      "--user=", "--bind-interfaces", "--listen-address=" .. address, "--port=53", "--local=/example/", ... }
  end

  ---Defines a spec with a name server, and the port of a server on 127.0.0.1.
  local function with_names(name, records, check)
    inside(name, function(run)
      if not dnsmasq then return pending(lack_of_dnsmasq) end
      if uv.getuid() ~= 0 then return pending "only root may serve names at port 53" end
      local names, server = serve_names("127.0.77.1", table.unpack(records)), Server.start(function() return { body = "{}" } end)
      local empty = serve_names "127.0.77.2"
      uv.fs_mkdir(root .. "/etc", tonumber("755", 8))
      uv.fs_unlink(root .. "/etc/hosts")
      local ok, mistake = pcall(check, run, server.port)
      names:stop()
      empty:stop()
      server:close()
      assert(ok, mistake)
    end)
  end

  with_names("asks the server of resolv.conf, and tries its search domains", { "--host-record=one.inner.example,127.0.0.1" },
    function(run, port)
      write("etc/resolv.conf", "nameserver 127.0.77.1\nsearch inner.example\n")
      assert.equal(0, run({ "tcp", "one:" .. port, "--max-wait", "50s" }).code)
      local done = run { "tcp", "none.example:" .. port, "--max-wait", "300ms" }
      assert.not_equal(0, done.code)
      assert.matches("NameNotResolved", done.stderr, 1, true)
    end)

  local many = {}
  for number = 1, 60 do many[number] = "--host-record=many.example,10.9.0." .. number end

  with_names("gets by TCP what is cut by UDP, of which it takes 48 addresses", many, function(run)
    write("etc/resolv.conf", "nameserver 127.0.77.1\n")
    local found, _
    for _ = 1, 50 do
      _, found = run({ "doctor", "many.example" }).stdout:gsub("10%.9%.0%.%d+", "")
      if found > 0 then break end
      uv.sleep(50)
    end
    assert.equal(48, found)
  end)

  local more = { table.unpack(many) }
  for number = 1, 60 do more[#more + 1] = "--host-record=loops.example,127.0.78." .. number end

  with_names("takes no port for closed, and no address for gone, of a name with more addresses than it gets", more,
    function(run)
      write("etc/resolv.conf", "nameserver 127.0.77.1\n")
      local inputs = {}
      for number = 1, 60 do inputs[number] = ('{"name":"many.example","expect":"10.9.0.%d"}\n'):format(number) end
      local done = run({ "run", "dns", "NameGone", "--each", "-", "--max-wait", "1s", "--quiet" },
        { stdin = table.concat(inputs) })
      assert.matches("0 of 60 waits succeeded", done.stdout .. done.stderr, 1, true)
      done = run { "tcp", "PortClosed", "loops.example:1", "--max-wait", "4s" }
      done:says(124, "names no more than 48 addresses")
    end)

  with_names("tries again where one of two servers knows no such name", { "--host-record=one.example,127.0.0.1" },
    function(run, port)
      write("etc/resolv.conf", "nameserver 127.0.77.2\nnameserver 127.0.77.1\n")
      assert.equal(0, run({ "tcp", "one.example:" .. port, "--max-wait", "50s" }).code)
    end)
end)
