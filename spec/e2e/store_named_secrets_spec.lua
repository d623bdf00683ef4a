---Secrets by name: `KEY=@secret:NAME`, filled in by workers with --secrets, for the owners, recipes and hosts of a grant.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local luv = require "luv"
local process = require "spec.support.process"
local service = require "spec.support.service"

local cluster = Cluster.installed(nil, "log_statement=all", "log_parameter_max_length=-1")
if not cluster then return end

local SECRET = "pAss/word\"of the api 8231"

---A recipe that sends its secret to `url`, and whatever else a case wants; it takes all errors for a success.
local recipe = [[
local bide = require "bide"
local http, tcp, udp, dns = require "bide.http", require "bide.tcp", require "bide.udp", require "bide.dns"
return { Ask = {
  input = { url = { type = "string", required = true }, key = { type = "string" }, more = { type = "object" } },
  call = function(input)
    local answer = http.get(input.url, { headers = { ["X-Key"] = input.key } })
    local _, said = pcall(function() %s end)
    return { state = "done", key = input.key, told = answer.body, said = tostring(said) }
  end,
  waitable = { Done = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "success", matcher = { success = false } },
  } } },
} }
]]

---Statements that try to reach another place with the secret at hand.
local ways_out = {
  ["another port"] = 'http.get(input.more.other, { headers = { ["X-Key"] = input.key } })',
  ["the same address by another name"] = 'http.get((input.url:gsub("127.0.0.1", "localhost")))',
  ["a redirect"] = 'http.get(input.url .. "/away")',
  ["a proxy"] = "http.get(input.url, { proxy = input.more.other })",
  ["the header Host"] = 'http.get(input.url, { headers = { Host = "other.example" } })',
  ["a kept connection of another host"] = "for _ = 1, 2 do pcall(http.get, input.more.other) end",
  ["a shared request"] = "http.get(input.more.other, { share = true })",
  ["a stream"] = "http.stream { url = input.more.other }",
  ["a connection"] = 'tcp { host = "127.0.0.1", port = math.tointeger(input.more.other:match "%d+$") }',
  ["a name"] = 'dns("pAss-word.example")',
  ["a name server"] = 'dns("pAss-word.example", { server = "127.0.0.1" })',
  ["a datagram"] = 'udp { host = "127.0.0.1", port = 9, send = input.key }',
  ["a task"] = "local one = bide.spawn(function() pcall(http.get, input.more.other) end) one:join()",
  ["a coroutine"] = "coroutine.wrap(function() pcall(http.get, input.more.other) end)()",
}

describe("a secret by name", function()
  local workspace = Workspace.of_each()
  local server, other

  before_each(function()
    cluster:empty()
    assert(luv.fs_mkdir(workspace.path .. "/secrets", 448))
    server = Server.start(function(request)
      if request.path == "/away" then return { status = 302, headers = { Location = other.url } } end
      return { status = 200, body = ('{"key":"%s"}'):format(request.headers["x-key"] and "there" or "missing") }
    end)
    other = Server.start(function() return { status = 200, body = "{}" } end)
    workspace:write("ask.lua", recipe:format "")
  end)
  after_each(function()
    server:close()
    other:close()
  end)

  local function place(of) return ("127.0.0.1:%d"):format(of.port) end

  local function write(name, text, mode)
    workspace:write("secrets/" .. name, text)
    assert(luv.fs_chmod(workspace.path .. "/secrets/" .. name, mode or 384))
  end

  local function submit(...)
    local done = workspace:bide { "submit", "--store", cluster:url "ada", "--max-wait=20s", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  local function digest()
    return cluster:admin("SELECT encode(b.digest, 'hex') FROM bide.wait w JOIN bide.definition d "
      .. "ON d.id = w.definition JOIN bide.bundle b ON b.id = d.bundle ORDER BY w.id DESC LIMIT 1")
  end

  local function grant(changes)
    changes = changes or {}
    write("api", changes.text or SECRET .. "\n")
    write("api.grant", ("# who\nowner %s\nrecipe %s # mine\n\nto %s\n"):format(changes.owner or "ada",
      changes.recipe or "sha256:" .. digest(), changes.to or place(server)))
  end

  local function work(...)
    local words = { "worker", "--store", cluster:url "wim", ... }
    if not table.concat(words, " "):find "--trusted" then table.move({ "--allow-net", "127.0.0.1" }, 1, 2, #words + 1, words) end
    return workspace:start(words)
  end

  local function watch(run, ...)
    return workspace:bide { "watch", run, "--store", cluster:url "ada", "--quiet", ... }
  end

  ---Asserts that nobody has written the secret: the store, the log of its server, its activity, and what bide printed.
  local function assert_hidden(...)
    local dump = process.run({ assert(service.find("pg_dump", "postgresql-client", "/usr/lib/postgresql/*/bin")), "-h",
      "127.0.0.1", "-p", tostring(cluster.port), "-U", "postgres", "postgres" }, { tool = true })
    local activity = cluster:admin("SELECT string_agg(a::text, ' ') FROM pg_stat_activity a")
    for position, text in ipairs { dump.stdout, cluster.server.service.process.stderr, activity, ... } do
      for _, part in ipairs { "of the api 8231", "pAss/word", "pAss\\/word" } do
        assert.is_nil(text:find(part, 1, true), ("%s in text %d"):format(part, position))
      end
    end
    assert.matches("bide.finish", cluster.server.service.process.stderr, 1, true) -- the log is that of the statements
  end

  for kind, words in pairs { sandboxed = {}, trusted = { "--trusted", "--trust", "trust" } } do
    it("is filled in by a worker, and kept by nobody: " .. kind, function()
      local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
      workspace:write("trust", "sha256:" .. digest())
      grant()
      local worker = work("--secrets", "secrets", table.unpack(words))
      local done = watch(run, "--output", "json")
      assert.equal(0, done.code, done.stderr)
      assert.equal(SECRET, server.requests[1].headers["x-key"])
      local outcome = core.json.decode(done.stdout)
      assert.same({ "success", "[redacted]" }, { outcome.state, outcome.output.key })
      local shown = workspace:bide { "jobs", "show", run, "--store", cluster:url "ada" }
      assert_hidden(done.stdout, done.stderr, shown.stdout, worker:stop())
      assert.equal(('{"url":"%s","key":{"$secret":"api"}}'):format(server.url),
        (cluster:admin("SELECT input FROM bide.wait"):gsub('^{"key":(.-),"url":(.-)}$', '{"url":%2,"key":%1}')))
    end)
  end

  it("has a prefix, and stands at any depth", function()
    local run = submit("http", "url=" .. server.url, 'headers:={"X-Key":{"$secret":"api","prefix":"Bearer "}}')
    grant { recipe = "shipped:http" }
    local worker = work("--secrets", "secrets")
    local done = watch(run)
    assert.equal(0, done.code, done.stderr)
    assert.equal("Bearer " .. SECRET, server.requests[1].headers["x-key"])
    assert_hidden(done.stdout, done.stderr, worker:stop())
  end)

  for name, statement in pairs(ways_out) do
    it("goes to the hosts of its grant only: " .. name, function()
      workspace:write("ask.lua", recipe:format(statement))
      local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api", ('more:={"other":"%s"}'):format(other.url))
      grant()
      local worker = work("--secrets", "secrets")
      local done = watch(run, "--output", "json")
      done:prints(5, ("the grants of api allow a connection to %s only"):format(place(server)))
      assert.equal(0, #other.requests)
      assert_hidden(done.stdout, done.stderr, worker:stop())
    end)
  end

  it("goes to the hosts of its grant only, with --invert", function()
    local run = submit("http", "url=" .. other.url, 'headers:={"X-Key":{"$secret":"api"}}', "--invert")
    grant { recipe = "shipped:http" }
    local worker = work("--secrets", "secrets")
    watch(run):ends(5)
    assert.equal(0, #other.requests)
    worker:stop()
  end)

  it("goes nowhere else by programs and sockets of a trusted worker", function()
    for name, statement in pairs { exec = 'require("bide.exec") { "true" }', unix = 'require("bide.unix") { path = "/x" }',
      proxy = 'http.get(input.more.other)' } do
      workspace:write("ask.lua", recipe:format(statement))
      local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api", ('more:={"other":"%s"}'):format(other.url))
      grant()
      workspace:write("trust", "sha256:" .. digest())
      local worker = workspace:start({ "worker", "--store", cluster:url "wim", "--secrets", "secrets", "--trusted", "--trust",
        "trust" }, { env = { http_proxy = name == "proxy" and other.url or false } })
      local done = watch(run, "--output", "json")
      assert.equal(5, done.code, name .. done.stdout .. done.stderr)
      assert.equal(0, #other.requests)
      worker:stop()
    end
  end)

  it("is not in what a script error says, nor in requests of bide.once", function()
    for statement, found in pairs {
      ['error("it is " .. input.key)'] = "it is [redacted]",
      ['return require("bide.once")("t", { key = input.key }, function() return 1 end)'] = "",
    } do
      workspace:write("ask.lua", (recipe:format "":gsub("local answer = ", statement:gsub("^return", "local _ =") .. "\n%0")))
      local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
      grant()
      workspace:write("trust", "sha256:" .. digest())
      local worker = work("--secrets", "secrets", "--trusted", "--trust", "trust")
      local done = watch(run, "--output", "json")
      assert.is_true(done.code == 5 or found == "", done.stdout .. done.stderr)
      assert.matches(found, done.stdout, 1, true)
      assert_hidden(done.stdout, done.stderr, worker:stop())
      assert.equal("0", cluster:admin("SELECT count(*) FROM bide.request"))
    end
  end)

  it("ends the wait where a grant lacks something", function()
    submit("ask.lua", "url=" .. server.url, "key=@secret:api")
    local run
    for _, case in ipairs {
      { function() grant { owner = "bob" } end, "api.grant has no line: owner ada" },
      { function() grant { recipe = "shipped:http" } end, "api.grant has no line: recipe sha256:" .. digest() },
      { function() write("apis", SECRET) end, "the secret api: this worker has not both of api and api.grant" },
      { function() write("api", SECRET) end, "the secret api: this worker has not both of api and api.grant" },
    } do
      for entry in luv.fs_scandir_next, assert(luv.fs_scandir(workspace.path .. "/secrets")) do
        luv.fs_unlink(workspace.path .. "/secrets/" .. entry)
      end
      case[1]()
      run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
      local worker = work("--secrets", "secrets")
      local done = watch(run)
      worker:stop()
      done:says(5, case[2])
    end
    run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
    local worker = work()
    local done = watch(run)
    worker:stop()
    done:says(5, "the secret api: this worker has none: it has no --secrets")
    assert.equal(0, #server.requests)
  end)

  it("must be in a file that others do not read, with a sound grant", function()
    local function refuse(text, ...)
      local done = workspace:bide { "worker", "--store", cluster:url "wim", "--secrets", ... }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches(text, done.stderr, 1, true)
      assert.is_nil(done.stderr:find("of the api", 1, true))
    end
    submit("ask.lua", "url=" .. server.url)
    refuse("--secrets: nowhere: no such file or directory", "nowhere")
    refuse("ask.lua: expected a folder", "ask.lua")
    for text, found in pairs {
      [""] = "expected 8 to 65536 bytes, found 0", ["short\n"] = "expected 8 to 65536 bytes, found 5",
      [("x"):rep(65537)] = "expected 8 to 65536 bytes, found more",
      ["with\0of the api"] = "expected a text in UTF-8, without NUL",
      ["\xff\xfeof the api"] = "expected a text in UTF-8, without NUL",
    } do
      grant { text = text }
      refuse(found, "secrets")
    end
    grant { text = ("x"):rep(65536) .. "\r\n" }
    for bits, found in pairs { [4] = "secrets/api: its mode is 604: every user of this machine may use it", [1] = "601" } do
      write("api", SECRET, 384 + bits)
      refuse(found, "secrets")
    end
    grant()
    write("api.grant", "owner ada\n", 384 + 16)
    refuse("secrets/api.grant: its mode is 620: others may write it", "secrets")
    for text, found in pairs {
      ["owner ada\nrecipe shipped:http\n"] = "api.grant: it has no line with to, and needs all three of owner, recipe and to",
      ["owner ada\nto a:1\n"] = "api.grant: it has no line with recipe", [""] = "api.grant: it has no line with owner",
      ["to a:1\nrecipe shipped:http"] = "it has no line with owner",
      ["owner ada\nowners b\n"] = "api.grant:2: expected owner ROLE", ["owner"] = "api.grant:1: expected a role",
      ["recipe shipped:nothing"] = "api.grant:1: expected the name of a bundled recipe",
      ["recipe http"] = "api.grant:1: expected sha256:", ["to a"] = "api.grant:1: expected HOST:PORT",
      ["to 80"] = "api.grant:1: expected HOST:PORT", ["to"] = "api.grant:1: expected", ["to a:99999"] = "api.grant:1: expected",
      ["to http://a:80"] = "api.grant:1: expected",
    } do
      write("api.grant", text)
      refuse(found, "secrets")
    end
    grant()
    luv.fs_unlink(workspace.path .. "/secrets/api")
    refuse("secrets/api: no such file or directory", "secrets")
    assert(luv.fs_mkdir(workspace.path .. "/secrets/api", 448))
    refuse("secrets/api: expected a regular file, found a directory", "secrets")
    luv.fs_rmdir(workspace.path .. "/secrets/api")
    grant()
    assert(luv.fs_chmod(workspace.path .. "/secrets", 511))
    refuse("its mode is 777: every user of this machine may replace its files", "secrets")
  end)

  it("may be a link, as where systemd and Kubernetes put it", function()
    local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
    grant()
    assert(luv.fs_mkdir(workspace.path .. "/secrets/..data", 448))
    for _, name in ipairs { "api", "api.grant" } do
      local path = workspace.path .. "/secrets/"
      assert(luv.fs_rename(path .. name, path .. "..data/" .. name))
      assert(luv.fs_symlink("..data/" .. name, path .. name))
    end
    local worker = work("--secrets", "secrets")
    assert.equal(0, watch(run).code)
    worker:stop()
  end)

  it("goes where all secrets of a wait may go", function()
    local inputs = ('{"key":{"$secret":"api"},"more":{"x":{"$secret":"second"}},"url":"%s"}'):format(server.url)
    local run = submit("ask.lua", "--input", inputs)
    grant { to = place(server) .. "\nto " .. place(other) }
    write("second", "another-secret")
    write("second.grant", ("owner ada\nrecipe sha256:%s\nto %s\n"):format(digest(), place(other)))
    local worker = work("--secrets", "secrets")
    local done = watch(run)
    done:says(5, ("the grants of api, second allow a connection to %s only"):format(place(other)))
    worker:stop()
    run = submit("ask.lua", "--input", inputs)
    grant()
    worker = work("--secrets", "secrets")
    done = watch(run)
    assert.matches("the secrets api, second: their grants have no host in common", done.stderr, 1, true)
    assert.equal(5, done.code)
    worker:stop()
  end)

  it("is a mistake where no worker could fill it in", function()
    local function refuse(text, ...)
      local done = workspace:bide { ... }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches(text, done.stderr, 1, true)
    end
    local s, u = "key=@secret:api", "url=" .. server.url
    refuse("key: a secret by name is for the waits of a store", "run", "ask.lua", u, s, "--max-wait=50s")
    refuse("key=@env:NAME", "run", "ask.lua", u, 'key:={"$secret":"api"}', "--max-wait=50s")
    refuse("key: a secret by name is for a store in a database", "submit", "ask.lua", u, s, "--max-wait=50s", "--store", "s.db")
    cluster:let_work "ada"
    refuse("key: with --work this process has no secrets", "run", "ask.lua", u, s, "--max-wait=50s", "--store", cluster:url "ada",
      "--work")
    refuse("--secrets: a worker of a file runs as you do", "worker", "--store", "s.db", "--secrets", "secrets")
    local store = { "--max-wait=50s", "--store", cluster:url "ada" }
    for _, name in ipairs { "", "../api", "a/b", ".api", "api.grant", ("x"):rep(64), "a b", "-a" } do
      refuse("key: expected the name of a secret", "submit", "ask.lua", u, "key=@secret:" .. name, table.unpack(store))
    end
    for input, text in pairs {
      ['{"$secret":"../x"}'] = "key: expected the name of a secret", ['{"$secret":7}'] = "key: expected the name of a secret",
      ['{"$secret":"api","more":1}'] = "key: more: only prefix may be beside $secret",
      ['{"$secret":"api","prefix":"hunter2"}'] = 'key: prefix: expected a word and a blank, as "Bearer "',
      ['{"$secret":"api","prefix":"Bearer hunter2 "}'] = "key: prefix: expected a word and a blank",
    } do
      refuse(text, "submit", "ask.lua", u, "key:=" .. input, table.unpack(store))
    end
    refuse("more.list.1: a secret by name is a member of an object", "submit", "ask.lua", u,
      'more:={"list":[{"$secret":"api"}]}', table.unpack(store))
    refuse("more.list.1.key: a secret by name is a member of an object, and cannot be in a list", "submit", "ask.lua", u,
      'more:={"list":[{"key":{"$secret":"api"}}]}', table.unpack(store))
    refuse("the input: a secret by name", "submit", "ask.lua", "--input", '{"$secret":"api"}', table.unpack(store))
    refuse('unknown', "submit", "ask.lua", u, "kye=@secret:api", table.unpack(store))
    refuse("port: expected", "submit", "tcp", "host=x", "port=@secret:api", table.unpack(store))
    refuse("input: more: a store keeps no secrets", "submit", "ask.lua", u, s, 'more:={"password":"hunter2"}',
      table.unpack(store))
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.run"))
  end)

  it("is not believed of rows that bide did not write", function()
    submit("ask.lua", "url=" .. server.url, "key=@secret:api")
    grant()
    for input, found in pairs {
      ['{"$secret":"../ask.lua"}'] = "key: expected the name of a secret", ['{"$secret":["api"]}'] = "key: expected the name",
      ['{"$secret":"api","prefix":"x\\ny: "}'] = "key: prefix: expected a word and a blank",
    } do
      local run = submit("ask.lua", "url=" .. server.url, "key=@secret:api")
      cluster:admin(("UPDATE bide.wait SET input = '{\"url\":\"%s\",\"key\":%s}' WHERE run = %s")
        :format(server.url, input, run))
      local worker = work("--secrets", "secrets")
      local done = watch(run)
      worker:stop()
      done:says(5, found)
    end
  end)
end)
