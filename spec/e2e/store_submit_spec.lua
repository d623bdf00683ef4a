---What `bide submit`, `watch`, `jobs cancel` and `worker` answer where PostgreSQL or the user is at fault: the exit code, a
---sentence, and nothing half-written.

local Cluster = require "spec.support.store_cluster"
local Proxy = require "spec.support.proxy"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"
local uv = require "luv"

local cluster = Cluster.installed()
if not cluster then return end

local recipe = [[
return { Look = {
  input = { name = { type = "string" }, password = { type = "string", secret = true } },
  idempotencyToken = "token",
  call = function() return { state = "waiting" } end,
  waitable = { Seen = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } },
  } } },
} }
]]

describe("a store in PostgreSQL", function()
  local workspace = Workspace.of_each()

  before_each(function()
    cluster:empty()
    workspace:write("look.lua", recipe)
  end)

  ---Runs bide with words, and a store as a role.
  local function bide(line, role, options)
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    words[#words + 1] = "--store=" .. (role:find "/" and role or cluster:url(role))
    return workspace:bide(words, options)
  end

  local function count(rows) return math.tointeger(tonumber(cluster:admin("SELECT count(*) FROM bide." .. rows))) end

  local function assert_empty()
    for _, name in ipairs { "run", "wait", "turn", "staging" } do assert.equal(0, count(name), name) end
  end

  local function assert_refused(code, text, done)
    assert.same({ code, "" }, { done.code, done.stdout })
    assert.matches(text, done.stderr, 1, true)
  end

  local function write_lines(name, number, last)
    local lines = {}
    for position = 1, number do lines[position] = ('{"name":"n%d"}'):format(position) end
    lines[#lines + 1] = last
    workspace:write(name, table.concat(lines, "\n") .. "\n")
  end

  it("spreads the first attempts of a large run over its least delay, 10 s and a tenth of its max wait", function()
    workspace:write("lines", ('{"name":"a"}\n'):rep(1001))
    local function spread(options)
      cluster:empty()
      bide("submit look.lua --each lines --quiet " .. options, "ada"):ends(0)
      return tonumber(cluster:admin("SELECT (max(due) - min(due)) / 1e6 * 1001 / 1000 FROM bide.turn"))
    end
    local function assert_near(seconds, found) assert.is_true(math.abs(found - seconds) < 0.01, found) end
    assert_near(4, spread "--min-delay 4s --max-wait 10m")
    assert_near(10, spread "--min-delay 60s --max-wait 10m")
    assert_near(2, spread "--min-delay 4s --max-wait 20s")
    assert_near(0, spread "--min-delay 4s --max-wait 10m --jobs 1000")
  end)

  it("writes what the options say, and prints what it wrote", function()
    local kept = "SELECT lane, history, coalesce(jobs, 0), need, rule, queue FROM bide.run"
    for line, expected in pairs {
      [""] = "2|1|0|1|stop|1", ["--priority high"] = "1|1|0|1|stop|1", ["--priority low --history none"] = "3|0|0|1|stop|1",
      ["--each two --jobs 1 --keep-going --priority normal"] = "2|1|1|2|go|1",
      ["--each two --any --history some"] = "2|1|0|1|stop|1",
      ["--each two --some 1 --fail-fast"] = "2|1|0|1|stop|1",
    } do
      cluster:empty()
      workspace:write("two", ('{"name":"a"}\n'):rep(2))
      local done = bide("submit look.lua --max-wait 1h --output json " .. line, "ada")
      assert.equal(0, done.code, done.stderr)
      assert.equal(expected, cluster:admin(kept), line)
      assert.equal(expected:match "^%d", cluster:admin("SELECT DISTINCT lane FROM bide.turn"), line)
      assert.same({ run = math.tointeger(cluster:admin("SELECT id FROM bide.run")), waits = line:find "two" and 2 or 1,
        queue = "default", created = true, store = cluster:url "ada" }, json.decode(done.stdout))
    end
  end)

  it("lets a watch of what no worker has ended end a minute after the deadline, as at the deadline", function()
    local run = bide("submit look.lua --max-wait 1h", "ada").stdout:match "%d+"
    cluster:admin("UPDATE bide.run SET deadline = bide.clock() - 59000000")
    local done = bide("watch " .. run, "ada")
    assert_refused(124, "no worker has ended it: no worker serves the queue default", done)
    assert.equal(1, count "turn") -- it waited for the minute, and wrote nothing
    assert.equal("t", cluster:admin("SELECT bide.clock() - deadline >= 60000000 FROM bide.run"))
  end)

  it("says after some seconds that no worker serves the queue", function()
    local run = bide("submit look.lua --max-wait 1h", "ada").stdout:match "%d+"
    local watch = workspace:start { "watch", run, "--store", cluster:url "ada" }
    watch:wait_for_output "no worker serves the queue default: `bide worker %-%-store postgres://%S+` begins one"
    watch:kill "sigterm"
    watch:wait()
    assert.equal(143, watch.code)
    assert.equal(2, select(2, watch.stderr:gsub("bide [%l ]+" .. run, "")), watch.stderr) -- how to watch and to cancel it
    assert.equal(1, count "turn")
  end)

  it("takes a list as it is read, in the memory of one line", function()
    write_lines("long.jsonl", 30000)
    local done = workspace:bide { "submit", "look.lua", "--each", "long.jsonl", "--max-wait", "1h", "--store", cluster:url "ada",
      "--output=json" }
    done:prints(0, '"waits":30000')
    assert.same({ 30000, 30000, 0 }, { count "wait", count "turn", count "staging" })
    assert.equal("line 30000 (name=n30000)", cluster:admin("SELECT branch FROM bide.wait WHERE position = 30000"))
  end)

  it("keeps nothing of a list that ends with a mistake", function()
    write_lines("broken.jsonl", 20000, '{"nme":"c"}')
    assert_refused(2, "broken.jsonl:20001: ", bide("submit look.lua --each broken.jsonl --max-wait 1h", "ada"))
    write_lines("secret.jsonl", 20000, '{"password":"hunter2"}')
    local done = bide("submit look.lua --each secret.jsonl --max-wait 1h", "ada")
    assert_refused(2, "line 20001: input: password: a store keeps no secrets", done)
    assert.not_matches("hunter2", done.stderr, 1, true)
    write_lines("large.jsonl", 20000, ('{"name":"%s"}'):format(("x"):rep(300000)))
    assert_refused(2, "and a store takes at most", bide("submit look.lua --each large.jsonl --max-wait 1h", "ada"))
    write_lines("short.jsonl", 20000)
    assert_refused(2, "the max wait is too short", bide("submit look.lua --each short.jsonl --max-wait 1s", "ada"))
    assert_refused(2, "--some: expected at most 20000",
      bide("submit look.lua --each short.jsonl --max-wait 1h --some 20001", "ada"))
    assert_empty()
  end)

  it("says of a submit token that it belongs to another request", function()
    local line = "submit look.lua name=%s --max-wait 1h --submit-token T"
    local first = bide(line:format "a", "ada")
    assert.equal(0, first.code)
    assert.equal(first.stdout, bide(line:format "a", "ada").stdout)
    assert_refused(2, "IdempotentParameterMismatch", bide(line:format "b", "ada"))
    assert.equal(1, count "run")
  end)

  it("refuses where there is no schema, queue or right", function()
    local line = "submit look.lua --max-wait 1h"
    assert_refused(2, "bide store init", bide(line, cluster:url("ada", "template1")))
    assert_refused(2, "bide store grant", bide(line, "nobody"))
    assert_refused(2, "may not submit to the queue nowhere", bide(line .. " --queue nowhere", "ada"))
    assert_empty()
  end)

  it("shows and cancels the runs of their owner alone", function()
    local run = bide("submit look.lua --max-wait 1h", "ada").stdout:match "%d+"
    assert_refused(2, "expected the number of a run of the store", bide("watch " .. run, "bob"))
    assert.equal(2, bide("jobs cancel " .. run, "bob").code)
    assert.equal(2, bide("jobs show " .. run, "bob").code)
    assert.equal(1, count "turn")
    assert.equal(0, bide("jobs cancel " .. run, "ada").code)
    assert.equal(1, bide("jobs cancel " .. run, "ada").code)
  end)

  it("may be read-only, or without a free connection: nothing is submitted", function()
    cluster:admin("ALTER ROLE ada SET default_transaction_read_only = on")
    local done = bide("submit look.lua --max-wait 1h", "ada")
    cluster:admin("ALTER ROLE ada RESET default_transaction_read_only")
    assert.equal(2, done.code, done.stderr)
    cluster:admin("ALTER ROLE ada CONNECTION LIMIT 0")
    done = bide("submit look.lua --max-wait 1h", "ada")
    cluster:admin("ALTER ROLE ada CONNECTION LIMIT -1")
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    assert_empty()
  end)

  it("may lose the answer of a submit, and the code says that the run may be there", function()
    local proxy, is_sent = Proxy.start(cluster.port), false
    finally(function() proxy:close() end)
    proxy.change = function(bytes, to)
      is_sent = is_sent or to == "server" and bytes:find("COMMIT", 1, true) ~= nil
      if not is_sent or to == "server" then return bytes end
      proxy:reset()
      return ""
    end
    assert_refused(70, "it may have been carried out",
      bide("submit look.lua --max-wait 1h", ("postgres://ada@127.0.0.1:%d/postgres"):format(proxy.port)))
    assert.equal(1, count "run")
  end)

  describe("beside a worker", function()
    local worker, run

    before_each(function()
      worker = process.start({ process.bide, "worker", "--store", cluster:url "wim" }, { longest = 120 })
      worker:hold_loop(false)
      run = bide("submit look.lua --max-wait 1h --interval 200ms", "ada").stdout:match "%d+"
    end)
    after_each(function()
      worker:kill "sigterm"
      worker:wait()
    end)

    local function attempts()
      return tonumber(cluster:admin("SELECT coalesce(max(attempts), 0) FROM bide.turn"))
    end

    local function await_more(than)
      local deadline = uv.hrtime() + 30e9
      while attempts() <= than do
        assert(uv.hrtime() < deadline, "the worker does not go on")
        assert.is_nil(worker.code, worker.stderr)
        uv.run "nowait"
        uv.sleep(50)
      end
    end

    it("locks that are held, a read-only server and no free connection put waits off, and lose none", function()
      await_more(1)
      local release = cluster:hold "LOCK TABLE bide.turn IN ACCESS EXCLUSIVE MODE"
      uv.sleep(2000)
      release()
      await_more(attempts())
      cluster:admin([[ALTER ROLE wim SET default_transaction_read_only = on; ALTER ROLE wim CONNECTION LIMIT 0;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'wim']])
      uv.sleep(1500)
      cluster:admin("ALTER ROLE wim CONNECTION LIMIT -1")
      uv.sleep(1500)
      local before = attempts()
      cluster:admin([[ALTER ROLE wim RESET default_transaction_read_only;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'wim']])
      await_more(before)
      assert.equal(1, count("turn WHERE strikes = 0"))
      assert.equal(0, bide("jobs cancel " .. run, "ada").code)
    end)

    it("ends a wait whose row is broken, alone", function()
      await_more(1)
      local broken = {}
      for position, change in ipairs { "state = '\\x00ff'", "state = ''", "state = 'x'" } do
        broken[position] = bide("submit look.lua --max-wait 1h --interval 200ms --initial-delay 5s", "ada").stdout:match "%d+"
        cluster:admin(("UPDATE bide.turn SET %s, format = 1 WHERE id = (SELECT id FROM bide.wait WHERE run = %s)")
          :format(change, broken[position]))
      end
      local text = bide("submit look.lua --max-wait 1h --initial-delay 5s", "ada").stdout:match "%d+"
      cluster:admin("UPDATE bide.wait SET input = '{\"name\":' WHERE run = " .. text)
      broken[#broken + 1] = text
      local unread = bide("submit look.lua --max-wait 1h --initial-delay 5s", "ada").stdout:match "%d+"
      cluster:admin(("UPDATE bide.turn SET format = 99 WHERE id = (SELECT id FROM bide.wait WHERE run = %s)")
        :format(unread))
      for _, one in ipairs(broken) do
        local done = bide("watch --for 30s " .. one, "ada")
        assert.equal(5, done.code, ("%s: %s"):format(one, done.stderr))
      end
      assert.equal(1, count("turn WHERE format = 99 AND attempts = 0"))
      await_more(attempts())
    end)
  end)
end)
