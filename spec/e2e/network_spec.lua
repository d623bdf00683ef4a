---`--allow-net` and `--deny-net`: no recipe reaches a closed address, by whatever way, and none turns the denial into a
---success.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local http = require "bide.http"
local port_of = require "spec.support.port"
local process = require "spec.support.process"

local network = core.network

---A recipe that catches whatever its statement raises, and takes it for a success.
local catching = [[
local bide = require "bide"
local http, tcp = require "bide.http", require "bide.tcp"
return { Get = {
  call = function(input)
    local function connect() %s end
    local ok, failure = pcall(connect)
    return { state = "done", said = tostring(failure) }
  end,
  waitable = { Done = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { success = true } }, { state = "success", matcher = { success = false } },
  } } },
} }
]]

---Statements of such a recipe, each of which connects to `input.to` or `input.port` of this machine.
local statements = {
  ["http.get"] = "http.get(input.url)",
  ["the same request of two tasks"] =
    "local one = bide.spawn(function() pcall(http.get, input.url) end) pcall(http.get, input.url) bide.join(one)",
  ["xpcall with a handler"] = "xpcall(http.get, function() return 1 end, input.url)",
  ["a coroutine"] = "coroutine.wrap(function() pcall(http.get, input.url) end)() bide.sleep(0.05)",
  ["a <close> variable"] =
    "local held <close> = setmetatable({}, { __close = function() pcall(http.get, input.url) end })",
}

---Answers of getaddrinfo for every name: an address at which no program listens, and one that is closed.
local resolver = [[
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
typedef int (*Real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  Real real = (Real)dlsym(RTLD_NEXT, "getaddrinfo");
  struct addrinfo *second = 0;
  int code;
  if (strcmp(node, "two.example") != 0)
    return real(node, service, hints, result);
  code = real("127.0.0.3", service, hints, result);
  if (code == 0) code = real("127.0.0.1", service, hints, &second);
  if (code == 0) (*result)->ai_next = second;
  return code;
}
]]

---A library in which no socket tells its peer.
local hiding = [[
#include <errno.h>
#include <sys/socket.h>
int getpeername(int descriptor, struct sockaddr *address, socklen_t *length) {
  (void)descriptor, (void)address, (void)length;
  errno = ENOBUFS;
  return -1;
}
]]

describe("a denied network", function()
  local workspace = Workspace.of_each()
  local server

  before_each(function()
    server = Server.start(function(request)
      if request.path == "/away" then
        return { status = 302, headers = { Location = ("http://127.0.0.2:%d/"):format(server.port) } }
      end
      return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '{"state":"done"}' }
    end)
  end)
  after_each(function()
    network.restrict(false)
    server:close()
  end)

  local function assert_denied(done, what)
    assert.matches("may not connect to", done.stderr, 1, true)
    assert.equal(5, done.code, (what or "") .. done.stderr)
  end

  it("ends a wait of each kind with a script error, also with --invert", function()
    for _, words in ipairs { { "http", server.url }, { "tcp", ("127.0.0.1:%d"):format(server.port) },
      { "http", ("http://localhost:%d/"):format(server.port) }, { "tcp", ("localhost:%d"):format(server.port) },
      { "http", ("http://[::ffff:127.0.0.1]:%d/"):format(server.port) }, { "dns", "a.example", "server=127.0.0.1" },
      { "udp", "127.0.0.1:9", "send=x" }, { "tls", ("127.0.0.1:%d"):format(server.port) }, { "redis", "127.0.0.1" },
      { "postgres", "postgres://127.0.0.1/db" }, { "grpc", "127.0.0.1:9" }, { "tcp", ("0.0.0.0:%d"):format(server.port) },
      { "tcp", ("[::ffff:0.0.0.0]:%d"):format(server.port) }, { "http", ("http://0.0.0.0:%d/"):format(server.port) },
      { "udp", "0.0.0.0:9", "send=x" }, { "tls", ("0.0.0.0:%d"):format(server.port) } } do
      local line = { "run", table.unpack(words) }
      table.move({ "--deny-net", "127.0.0.0/8", "--max-wait", "50s" }, 1, 4, #line + 1, line)
      assert_denied(workspace:bide(line), table.concat(line, " ") .. "\n")
      if words[1] == "http" or words[1] == "tcp" then
        line[#line + 1] = "--invert"
        assert_denied(workspace:bide(line), table.concat(line, " ") .. "\n")
      end
    end
    assert.equal(0, #server.requests)
  end)

  for name, statement in pairs(statements) do
    it("is caught by no recipe: " .. name, function()
      workspace:write("catching.lua", catching:format(statement))
      local done = workspace:bide { "run", "catching.lua", "url=" .. server.url, "--deny-net", "127.0.0.0/8", "--max-wait", "9s" }
      assert_denied(done)
      assert.equal(0, #server.requests)
    end)
  end

  it("is caught by no script", function()
    workspace:write("script.lua", 'local http = require "bide.http"\npcall(http.get, (...))\nos.exit(0)')
    assert_denied(workspace:bide { "exec", "--deny-net", "127.0.0.0/8", "script.lua", server.url })
    assert.equal(0, workspace:bide({ "exec", "--deny-net", "10.0.0.0/8", "script.lua", server.url }).code)
  end)

  it("holds for redirects", function()
    assert_denied(workspace:bide { "run", "http", server.url .. "/away", "follow=true", "--deny-net", "127.0.0.2",
      "--max-wait", "50s" })
    assert.equal(1, #server.requests)
  end)

  it("holds for a connection that is kept", function()
    assert.equal(200, http.get(server.url).status)
    network.restrict(false)
    network.deny "127.0.0.1"
    local ok, failure = pcall(http.get, server.url)
    assert.same({ false, ("may not connect to 127.0.0.1:%d: closed (--deny-net)"):format(server.port) }, { ok, failure.refused })
    assert.equal(1, #server.requests)
  end)

  ---Makes a library of C to preload.
  local function make(text)
    workspace:write("library.c", text)
    local source, library = workspace.path .. "/library.c", workspace.path .. "/library.so"
    process.run({ "cc", "-shared", "-fPIC", "-o", library, source, "-ldl" }, { tool = true }):ends(0)
    return library
  end

  it("holds for a connection whose address cannot be read", function()
    if process.is_sanitized then return end -- which is preloaded itself
    if process.is_static then return pending(process.NO_PRELOAD) end
    local line = { process.bide, "http", server.url, "--max-wait", "50s" }
    local environment = { env = { LD_PRELOAD = make(hiding) } }
    assert.equal(0, process.run(line, environment).code)
    line[6], line[7] = "--deny-net", "10.0.0.0/8"
    assert_denied(process.run(line, environment))
    assert.equal(1, #server.requests)
  end)

  it("holds for each address of a name", function()
    if process.is_sanitized then return end -- which is preloaded itself
    if process.is_static then return pending(process.NO_PRELOAD) end
    local library = make(resolver)
    for _, words in ipairs { { "http", ("http://two.example:%d/"):format(server.port) },
      { "tcp", ("two.example:%d"):format(server.port) } } do
      local line = { process.bide, words[1], words[2], "--max-wait", "50s", "--deny-net" }
      line[7] = "127.0.0.1"
      assert_denied(process.run(line, { env = { LD_PRELOAD = library } }), words[1])
      line[7] = "10.0.0.0/8"
      assert.equal(0, process.run(line, { env = { LD_PRELOAD = library } }).code, words[1])
    end
  end)

  it("uses no proxy of the environment", function()
    local done = process.run({ process.bide, "http", ("http://127.0.0.2:%d/"):format(server.port), "--deny-net", "127.0.0.2",
      "--max-wait", "50s" }, { env = { http_proxy = server.url, no_proxy = false } })
    assert_denied(done)
    assert.equal(0, #server.requests)
    done = process.run({ process.bide, "http", "http://127.0.0.2:1/", "proxy=" .. server.url, "--deny-net", "127.0.0.1",
      "--max-wait", "50s" }, {})
    assert_denied(done)
  end)

  it("opens what a narrower rule allows", function()
    local done = workspace:bide { "run", "http", server.url, "--deny-net", "0.0.0.0/0", "--deny-net", "::/0", "--allow-net",
      ("127.0.0.1:%d"):format(server.port), "--max-wait", "50s" }
    assert.equal(0, done.code, done.stderr)
  end)

  it("is refused where the rules make no sense", function()
    for text, words in pairs {
      ["--deny-net: expected private, a network"] = { "--deny-net", "example.com" },
      ["--allow-net: expected private, a network"] = { "--allow-net", "10.0.0.1/8", "--deny-net", "private" },
      ["--allow-net: nothing is denied"] = { "--allow-net", "10.0.0.0/8" },
      ["--deny-net: not with --store"] = { "--store", "s.db", "--deny-net", "10.0.0.0/8" },
    } do
      local done = workspace:bide { "run", "http", server.url, "--max-wait", "50s", table.unpack(words) }
      assert.matches(text, done.stderr, 1, true)
      assert.equal(2, done.code)
    end
    assert.equal(0, #server.requests)
  end)
end)

local cluster = Cluster.installed()
if not cluster then return end

describe("a sandboxed worker of a database", function()
  local workspace = Workspace.of_each()
  local worker
  local server = Server.of_each(function() return { status = 200, body = "{}" } end)
  before_each(function()
    cluster:empty()
    workspace:write("catching.lua", catching:format "if input.url then http.get(input.url) else tcp.open(input.to) end")
  end)
  after_each(function()
    worker:kill "sigterm"
    worker:wait()
  end)

  local function outcome_of(...)
    local done = workspace:bide { "submit", "--store", cluster:url "ada", "--max-wait=20s", ... }
    assert.equal(0, done.code, done.stderr)
    return workspace:bide { "watch", done.stdout:match "%d+", "--store", cluster:url "ada", "--quiet" }
  end

  it("reaches neither this machine nor its store, unless a rule opens them", function()
    worker = workspace:start { "worker", "--store", cluster:url "wim" }
    for _, word in ipairs { "url=" .. server.url, ("url=http://localhost:%d/"):format(server.port), "url=http://[::1]:9/",
      ("url=http://[::ffff:127.0.0.1]:%d/"):format(server.port), "url=http://169.254.169.254/latest/meta-data/",
      "url=http://10.0.0.1/", ("url=http://127.0.0.1:%d/"):format(cluster.port) } do
      local done = outcome_of("catching.lua", word)
      assert.matches("may not connect to", done.stdout .. done.stderr, 1, true)
      assert.equal(5, done.code, word)
    end
    assert.equal(0, #server.requests)
  end)

  it("reaches what --allow-net opens, and not its store's port with it", function()
    worker = workspace:start { "worker", "--store", cluster:url "wim", "--allow-net", "127.0.0.1" }
    local done = outcome_of("catching.lua", "url=" .. server.url)
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.equal(1, #server.requests)
    done = outcome_of("catching.lua", ("url=http://127.0.0.1:%d/"):format(cluster.port))
    assert.matches("closed (the store)", done.stdout .. done.stderr, 1, true)
    assert.equal(5, done.code)
    done = outcome_of("catching.lua", ("url=http://127.0.0.1:%d/"):format(port_of.free()))
    assert.equal(0, done.code, done.stderr) -- refused by the system, which the recipe may catch
  end)

  it("reaches no other address and no other host of its store", function()
    local other = port_of.free()
    worker = workspace:start { "worker", "--store", ("postgres://wim@localhost:%d,127.0.0.2:%d/postgres"):format(cluster.port,
      other), "--allow-net", "127.0.0.0/8", "--allow-net", "::1" }
    for _, place in ipairs { ("[::1]:%d"):format(cluster.port), ("127.0.0.2:%d"):format(other) } do
      local done = outcome_of("catching.lua", ("url=http://%s/"):format(place))
      assert.matches(("may not connect to %s: closed (the store)"):format(place), done.stdout .. done.stderr, 1, true)
      assert.equal(5, done.code)
    end
  end)
end)
