---`bide.store`, and `waiter:wait(input, { store = URL })`: what scripts submit to a store and follow there, in a file and in
---PostgreSQL.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local uv = require "luv"

local recipe = [[
local http = require "bide.http"
local function is(state) return { output = { path = "state", comparator = "stringEquals", expected = state } } end
return { Ask = {
  idempotencyToken = "token",
  input = { url = { type = "string", required = true }, password = { type = "string", secret = true } },
  call = function(input) return http.get(input.url) end,
  waitable = { Asked = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = is "done", name = "Done" }, { state = "failure", matcher = is "broken", name = "Broken" },
  } } },
} }
]]

---What each script begins with.
local beginning = [[
local bide = require "bide"
local url, server = arg[1], arg[2]
local asked = assert(bide.load "ask.lua").Asked
local function prepared(path, maxWait) return asked:prepare({ url = server .. path }, { maxWait = maxWait or 30 }) end
]]

---@param kind string
---@param way { url: (fun(): string), worker: (fun(): string[]), before: fun()? }
local function describe_store(kind, way)
  describe("a script with a store in " .. kind, function()
    local workspace = Workspace.of_each { ["ask.lua"] = recipe }
    local server = Server.of_each(function(request)
      if request.path:find "DescribeStacks" or request.body:find "DescribeStacks" then
        return { headers = { ["Content-Type"] = "text/xml" }, body = "<DescribeStacksResponse><DescribeStacksResult><Stacks>"
          .. "<member><StackName>web</StackName><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks>"
          .. "</DescribeStacksResult></DescribeStacksResponse>" }
      end
      return { body = ('{"state":"%s"}'):format(request.path:sub(2)) }
    end)
    local worker

    before_each(function()
      if way.before then way.before() end
      worker = nil
    end)
    after_each(function()
      if worker then worker:stop() end
    end)

    local function work(...)
      local words = { "worker", "--quiet", table.unpack(way.worker()) }
      worker = workspace:start(table.move({ ... }, 1, select("#", ...), #words + 1, words))
      worker:hold_loop(false)
    end

    ---Runs a script, whose output is then that of `print`.
    local function exec(script, ...)
      workspace:write("script.lua", beginning .. script)
      return workspace:bide { "exec", "script.lua", way.url(), server.url, ... }
    end

    local function runs() return exec "print(#assert(assert(bide.store.open(url)):list()))" end

    it("waits as without one", function()
      work()
      local script = [[
        for _, path in ipairs { "done", "broken" } do
          for _, store in ipairs { false, url } do
            local ended, failure = asked:wait({ url = server .. "/" .. path }, { maxWait = 30, store = store or nil })
            local one = ended or failure
            print(ended ~= nil, one.state, one.reason, one.name, one.output.state, one.attempts, #one.history)
          end
        end]]
      local success, failure = "true\tsuccess\tacceptor\tDone\tdone\t1\t1\n", "false\tfailure\tacceptor\tBroken\tbroken\t1\t1\n"
      local done = exec(script)
      assert.same({ 0, success:rep(2) .. failure:rep(2) }, { done.code, done.stdout }, done.stderr)
    end)

    it("says of an outcome that its run was submitted before", function()
      work()
      local done = exec [[
        for _, path in ipairs { "done", "broken", "done", "broken" } do
          local ended, failure = asked:wait({ url = server .. "/" .. path }, { maxWait = 30, store = url, submitToken = path })
          print((ended or failure).name, (ended or failure).created)
        end]]
      assert.same({ 0, "Done\tnil\nBroken\tnil\nDone\tfalse\nBroken\tfalse\n" }, { done.code, done.stdout }, done.stderr)
    end)

    it("submits several waits, and follows, lists and cancels their run", function()
      local open = exec [[
        local store <close> = assert(bide.store.open(url))
        local run = assert(store:submit { prepared "/no", prepared "/no", queue = "default", priority = "high" })
        local row = assert(store:list { state = "open" })[1]
        print(row.run == run, row.state, row.queue, row.waiter, row.waits, row.open)
        print(store:cancel(run), store:cancel(run), select("#", store:cancel(run + 1)))
        local ended, failure = store:watch(run)
        print(ended, failure.state, failure.outcomes[1].reason, failure.outcomes[2].reason)
        print(select(2, store:watch(run + 1)), select(2, store:cancel(run + 1)))]]
      assert.equal(0, open.code, open.stderr)
      assert.matches("^true\topen\tdefault\tAsked\t2\t2\ntrue\tfalse\t2\nnil\tfailure\tcancelled\tcancelled\n", open.stdout)
      assert.matches("expected the number of a run", open.stdout, 1, true)

      work()
      local done = exec [[
        local store <close> = assert(bide.store.open(url))
        local function follow(request) return store:watch(assert(store:submit(request))) end
        local ended = assert(follow { prepared "/done", prepared "/done" })
        print(ended.state, ended.succeeded, ended.outcomes[2].output.state)
        local _, failure = follow { prepared "/done", prepared "/broken" }
        print(failure.state, failure.failed, failure.outcomes[2].name, failure)
        print(assert(follow { prepared "/broken", prepared "/done", needed = 1, keepGoing = true }).succeeded)
        print(select(2, follow { prepared("/no", 0.5) }).reason)]]
      assert.equal(0, done.code, done.stderr)
      assert.matches("^success\t2\tdone\nfailure\t1\tBroken\t1 of 2 waits succeeded, 1 failed, 0 cancelled; 2 needed; "
        .. "first failure: Asked#2: [^\n]*\n1\nmaxWait\n$", done.stdout)
    end)

    it("lists no runs of a queue that the store does not have", function()
      local done = exec [[
        local store <close> = assert(bide.store.open(url))
        print(#store:list { queue = "default" })
        print(store:list { queue = "nope" })]]
      assert.equal("0\nnil\tthe queue nope: unknown queue, expected one of default\n", done.stdout, done.stderr)
    end)

    it("makes a run once with a token, though each wait draws one of its own", function()
      local done = exec [[
        local store <close> = assert(bide.store.open(url))
        local one, failure, created = store:submit { prepared "/no", submitToken = "T" }
        print(failure, created)
        local again = table.pack(store:submit { prepared "/no", submitToken = "T" })
        print(one == again[1], again[2], again[3])
        print(store:submit { prepared "/done", submitToken = "T" })]]
      assert.equal(0, done.code, done.stderr)
      assert.matches("^nil\ttrue\ntrue\tnil\tfalse\nnil\tIdempotentParameterMismatch", done.stdout)
    end)

    it("raises a mistake before anything is written", function()
      local made = [[bide.waiter { call = print, acceptors = { { state = "success", matcher = { success = true } } } }]]
      for call, text in pairs {
        ['store:submit {}'] = "submit: expected at least one wait, of waiter:prepare(input, options)",
        ['store:submit "x"'] = 'submit: expected prepared waits and options, found "x"',
        ['store:submit { asked }'] = "submit: 1: expected what waiter:prepare(input, options) gives, found",
        ['store:submit { prepared "/no", jobs = print }'] = "submit: jobs: expected a whole number above 0, found",
        ['store:submit { prepared "/no", needed = 2 }'] = "submit: needed: expected a whole number from 1 to 1, found 2",
        ['store:submit { prepared "/no", priority = "top" }'] = "submit: priority: expected",
        ['store:submit { prepared "/no", queue = "a b" }'] = "submit: queue: expected the name of a queue",
        ['store:submit { prepared "/no", maxWait = 3 }'] = 'submit: maxWait: unknown option',
        ["store:submit { " .. made .. ":prepare({}, { maxWait = 1 }) }"] = "is in no file that workers could load",
        ['store:submit { asked:prepare({ url = server, password = "x" }, { maxWait = 1 }) }'] = "a store keeps no secrets",
        ['store:watch "1"'] = 'watch: expected the number of a run, found "1"',
        ['store:close() store:close() store:list()'] = "list: expected an open store, as in store:list(…)",
        ['store.watch(1)'] = "watch: expected an open store, as in store:watch(…)",
        ['store:cancel(0)'] = "cancel: expected the number of a run, found 0",
        ['store:list { state = "x" }'] = "list: state: expected",
        ['asked:wait({ url = server }, { maxWait = print, store = url })'] = "maxWait",
        ['asked:wait({ url = 5 }, { maxWait = 1, store = url })'] = "url: expected",
        ['asked:wait({ url = server }, { maxWait = 1, store = url, queue = 1 })'] = "queue: expected the name of a queue",
        ['asked:wait({ url = server }, { maxWait = 1, store = 5 })'] = "store: expected the URL of a store, or a list of them",
        ['asked:wait({ url = server }, { store = url })'] = "maxWait is missing",
        ['asked:wait({ url = server }, { maxWait = 367 * 86400, store = url })'] = "the max wait: a store takes at most 366 days",
        ['asked:wait({ url = server }, { maxWait = 1, store = url, journal = "j.db" })'] = "journal: unknown option",
        ['asked:wait({ url = server, password = "x" }, { maxWait = 1, store = url })'] = "a store keeps no secrets",
        ['asked:wait({ url = ("x"):rep(300000) }, { maxWait = 1, store = url })'] = "and a store takes at most 262144",
        ['asked:wait({ url = print }, { maxWait = 1, store = url })'] = "url is a function, which JSON cannot represent",
        ['asked:wait({ url = server }, { maxWait = 1, queue = "q" })'] = "queue: for waiter:wait with store = URL alone",
        ['asked:prepare({ url = server }, { maxWait = 1, store = url })'] = "store: for waiter:wait with store = URL alone",
        ['store.close()'] = "close: expected a store, as in store:close()",
        ['store.close {}'] = "close: expected a store, as in store:close()",
        ['bide.store.open()'] = "bide.store.open: expected the URL of a store, or a list of them, found nothing",
      } do
        local done = exec("local store = assert(bide.store.open(url))\n" .. call)
        assert.equal(5, done.code, call .. "\n" .. done.stderr)
        assert.matches(text, done.stderr, 1, true)
        assert.matches("^bide: script%.lua:6: ", done.stderr)
      end
      assert.equal("0\n", runs().stdout)
    end)

    it("says what is no store, and makes no file", function()
      local done = exec [[
        for _, text in ipairs { "ftp://x", "", "  ", "sqlite: ", "none.db\0", "none.db\0.db" } do
          local found = { bide.store.open(text) }
          print(found[1], found[2]:match "^expected sqlite:FILE, a path" ~= nil)
          print(asked:wait({ url = server }, { maxWait = 1, store = text }))
        end
        for name, value in pairs { queue = "a b", priority = "top", submitToken = 5, maxWait = -1, hold = print } do
          local options = { maxWait = 1, store = "none.db" }
          options[name] = value
          print((pcall(asked.wait, asked, { url = server }, options)))
        end
        print((pcall(asked.wait, asked, { url = server, password = "x" }, { maxWait = 1, store = "none.db" })))]]
      assert.equal(0, done.code, done.stderr)
      local refused = done.stdout:gsub("store: [^\n]*", "…")
      assert.equal(("nil\ttrue\nnil\t…\n"):rep(6) .. ("false\n"):rep(6), refused)
      assert.is_nil(uv.fs_stat(workspace.path .. "/none.db"))
    end)

    it("makes a wait that is submitted twice with two tokens, as if it were begun twice", function()
      local done = exec [[
        local store <close> = assert(bide.store.open(url))
        local wait, mine = prepared "/no", asked:prepare({ url = server, token = "mine" }, { maxWait = 30 })
        print((store:submit { wait, wait, mine, mine }))
        print((store:submit { wait, mine }))
        print((store:submit { wait, submitToken = "T" }))
        print((store:submit { wait, submitToken = "T" }))]]
      local first, second, third, again = done.stdout:match "^(%d+)\n(%d+)\n(%d+)\n(%d+)\n$"
      assert.equal(third, again, done.stderr)
      local shown = workspace:bide { "jobs", "show", first, second, third, "--store", way.url() }
      local known, count = {}, 0
      for token in shown.stdout:gmatch '\n      "token": "([^"]+)"' do
        count = count + (known[token] and 0 or 1)
        known[token] = true
      end
      assert.same({ true, 5 }, { known.mine, count }, shown.stdout)
    end)

    it("has what waits for a store that another task closes fail, and nothing succeed", function()
      local done = exec [[
        local store = assert(bide.store.open(url))
        local run = assert(store:submit { prepared "/done" })
        local is_over
        local function task(name, call)
          return bide.waiter { name = name, call = call, acceptors = {
            { state = "success", matcher = { success = true } } } }:prepare({}, { maxWait = 30 })
        end
        assert(bide.all {
          task("Watch", function()
            print(store:watch(run))
            is_over = true
            return {}
          end),
          task("Close", function()
            bide.sleep(0.1)
            store:close()
            print(is_over)
            return {}
          end),
        })
        print(pcall(store.watch, store, run))]]
      assert.equal(0, done.code, done.stderr)
      assert.matches("^nil\nnil\tthe store was closed\nfalse\t", done.stdout)
      assert.not_matches("warning", done.stderr)
      assert.equal("1\n", runs().stdout)
    end)

    it("is not within the attempt of a worker", function()
      workspace:write("inner.lua", [[
        local bide = require "bide"
        return { Ask = { call = function(input) bide.store.open(input.store) end,
          waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
      work()
      local done = exec [[
        local done = assert(bide.load "inner.lua").Done
        local _, failure = done:wait({ store = "inner.db" }, { maxWait = 10, store = url })
        print(failure.reason, failure.message)]]
      assert.matches("^scriptError\t.*", done.stdout)
      assert.is_nil(uv.fs_stat(workspace.path .. "/inner.db"))
    end)

    it("is not for sandboxed scripts, nor are waits that name it", function()
      exec "assert(bide.store.open(url)):close()"
      for _, call in ipairs { "bide.store(url)", "asked:wait({ url = server }, { maxWait = 1, store = url })" } do
        workspace:write("inner.lua", beginning .. call)
        local done = workspace:bide { "exec", "--sandbox", "inner.lua", way.url(), server.url }
        assert.equal(5, done.code, done.stdout)
        assert.matches("not for sandboxed scripts: it opens stores of waits", done.stderr, 1, true)
      end
      assert.equal("0\n", runs().stdout)
    end)

    if way.takes_aws then
      it("has a model's service reached as the script does", function()
        work()
        local done = exec [[
          local as_script = { endpoint = server, region = "eu-west-1", no_sign_request = true }
          local stacks = assert(bide.load("aws:cloudformation", as_script))
          print(assert(stacks.StackCreateComplete:wait({ StackName = "web" }, { maxWait = 20, store = url })).state)]]
        assert.same({ 0, "success\n" }, { done.code, done.stdout }, done.stderr)
        local secret = exec [[
          local model = assert(bide.load("aws:cloudformation", { endpoint = server, region = "eu-west-1", bearer = "x" }))
          model.StackCreateComplete:wait({ StackName = "web" }, { maxWait = 20, store = url })]]
        assert.not_equal(0, secret.code)
      end)
    end
  end)
end

describe_store("a file", {
  url = function() return "waits.db" end,
  worker = function() return { "--store", "waits.db" } end,
  takes_aws = true,
})

local cluster = Cluster.installed()
if not cluster then return end

describe_store("PostgreSQL", {
  url = function() return cluster:url "ada" end,
  worker = function() return { "--store", cluster:url "wim", "--allow-net", "127.0.0.1" } end,
  before = function() cluster:empty() end,
})

describe("a script with a store in PostgreSQL", function()
  local workspace = Workspace.of_each { ["ask.lua"] = recipe }

  it("gives the store the name of a secret, and no value", function()
    cluster:empty()
    workspace:write("script.lua", beginning .. [[
      local input = { url = server, password = { ["$secret"] = "db" } }
      print(pcall(bide.timeout, 0.5, function() return asked:wait(input, { maxWait = 20, store = url }) end))]])
    workspace:bide({ "exec", "script.lua", cluster:url "ada", "http://127.0.0.1:1" }):ends(0)
    assert.matches('"password":{"$secret":"db"}', cluster:admin("SELECT input FROM bide.wait"), 1, true)
  end)

  it("keeps the history that it asks for", function()
    cluster:empty()
    for position, history in ipairs { "none", "some", "all" } do
      workspace:bide({ "submit", "ask.lua", "url=http://127.0.0.1:1", "--max-wait", "1h", "--history", history, "--store",
        cluster:url "ada" }):ends(0)
      assert.equal(tostring(position - 1), cluster:admin("SELECT history FROM bide.run ORDER BY id DESC LIMIT 1"))
    end
  end)
end)
