---Workers beside a server in trouble: a full disk, a lock that is held for long, connections that are used up, a primary that
---became read-only, and one that lies. Waits sleep on, with one warning, and nothing is lost or counted twice.

local Cluster = require "spec.support.store_cluster"
local Proxy = require "spec.support.proxy"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local turns = require "spec.support.turns"
local uv = require "luv"
local message = require "spec.support.postgres_message"

local cluster = Cluster.installed("host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
  "max_connections=14", "superuser_reserved_connections=6", "autovacuum=off")
if not cluster then return end

local recipe = [[
return { Look = {
  call = function(input) return { state = "waiting", name = input.name } end,
  waitable = { Seen = { minDelay = 0.2, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } },
  } } },
} }
]]

local WAITS = 200

describe("a worker", function()
  local workspace = Workspace.of_each()
  local worker, proxy

  before_each(function()
    cluster:empty()
    workspace:write("look.lua", recipe)
    local lines = {}
    for position = 1, WAITS do lines[position] = ('{"name":"n%d"}'):format(position) end
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    proxy = Proxy.start(cluster.port)
  end)
  after_each(function()
    if worker and not worker.code then
      worker:kill "sigkill"
      worker:wait()
    end
    worker = nil
    proxy:close()
  end)

  local function url(role, port)
    return ("postgres://%s@127.0.0.1:%d/postgres"):format(role, port or cluster.port)
  end

  local function submit(...)
    return workspace:bide { "submit", "look.lua", "--each", "lines.jsonl", "--max-wait", "1h", "--store", url "ada", ... }
  end

  local function attempts() return tonumber(cluster:admin "SELECT sum(attempts) FROM bide.turn") end

  ---Waits until each wait has had another attempt, as those of before.
  local function await_more()
    local deadline = uv.hrtime() + 60e9
    cluster:admin "CREATE TABLE IF NOT EXISTS public.before (id bigint, attempts int); TRUNCATE public.before"
    cluster:admin "INSERT INTO public.before SELECT id, attempts FROM bide.turn"
    local late = "SELECT count(*) FROM bide.turn t JOIN public.before b USING (id) WHERE t.attempts <= b.attempts"
    while cluster:admin(late) ~= "0" do
      assert(uv.hrtime() < deadline, "the worker does not go on")
      assert.is_nil(worker.code, worker.stderr)
      uv.run "nowait"
      uv.sleep(50)
    end
  end

  local function work(store)
    worker = process.start({ process.bide, "worker", "--jobs", "400", "--store", store or url "wim" }, { longest = 180 })
    worker:hold_loop(false)
    await_more()
  end

  local function count_of(text)
    return select(2, worker.stderr:gsub("warning: [^\n]*" .. text .. "[^\n]*", ""))
  end

  ---Waits until something has come about.
  local function await(has_come)
    local deadline = uv.hrtime() + 60e9
    while not has_come() do
      assert(uv.hrtime() < deadline, worker.stderr)
      turns.pass(100)
    end
  end

  ---Asserts that each wait is there, and each of its attempts recorded once.
  local function assert_whole()
    assert.equal(WAITS .. "|0", cluster:admin "SELECT count(*), count(*) FILTER (WHERE strikes > 0) FROM bide.turn")
    assert.equal("0",
      cluster:admin "SELECT count(*) FROM (SELECT FROM bide.attempt GROUP BY wait, attempt HAVING count(*) > 1) x")
    assert.equal("0", cluster:admin [[SELECT count(*) FROM bide.turn t WHERE t.attempts <>
      (SELECT count(*) FROM bide.attempt a WHERE a.wait = t.id AND a.attempt <= t.attempts)]])
    assert.equal("0", cluster:admin "SELECT count(*) FROM bide.wait WHERE ended IS NOT NULL")
  end

  it("waits while the server's disk is full", function()
    local folder = workspace.path .. "/small"
    assert(uv.fs_mkdir(folder, 448))
    local mounted = uv.getuid() == 0
      and process.run({ "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder }, { tool = true })
    if not mounted or mounted.code ~= 0 then return pending "this needs the right to mount a file system" end
    local ok, failure = pcall(function()
      uv.fs_chmod(workspace.path, 493)
      uv.fs_chmod(folder, 511)
      assert(process.run({ "chown", "nobody", folder }, { tool = true }).code == 0)
      cluster:admin(("CREATE TABLESPACE small LOCATION '%s'"):format(folder))
      cluster:admin "ALTER TABLE bide.turn SET TABLESPACE small; ALTER TABLE bide.wait SET TABLESPACE small"
      assert.equal(0, submit().code)
      work()
      local fill = io.open(folder .. "/fill", "w")
      repeat until not (fill:write(("x"):rep(4096)) and fill:flush())
      fill:close()
      await(function() return count_of "No space left" + count_of "could not extend" > 0 end)
      local before = attempts()
      local done = submit()
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches("could not extend file", done.stderr, 1, true)
      turns.pass(1500)
      assert.is_true(attempts() < before + 4 * WAITS)
      assert.equal(1, select(2, worker.stderr:gsub("warning:", "")), worker.stderr)
      assert(os.remove(folder .. "/fill"))
      await_more()
      assert_whole()
    end)
    if worker then
      worker:kill "sigkill"
      worker:wait()
    end
    cluster:admin "ALTER TABLE bide.turn SET TABLESPACE pg_default; ALTER TABLE bide.wait SET TABLESPACE pg_default"
    pcall(cluster.admin, cluster, "DROP TABLESPACE small")
    process.run({ "umount", "-l", folder }, { tool = true })
    assert(ok, failure)
  end)

  it("waits while a lock is held for longer than its lease", function()
    assert.equal(0, submit().code)
    work()
    local release = cluster:hold "LOCK TABLE bide.turn IN ACCESS EXCLUSIVE MODE"
    turns.pass(12000)
    release()
    await_more()
    assert_whole()
    assert.is_true(select(2, worker.stderr:gsub("warning:", "")) <= 2, worker.stderr)
  end)

  it("waits while all connections are used up", function()
    assert.equal(0, submit().code)
    work()
    local held = {}
    cluster:admin "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'wim'"
    for position = 1, 12 do
      held[position] = process.start(cluster:client "bob", { tool = true, cwd = "/", stdin = "SELECT pg_sleep(40);" })
      held[position]:hold_loop(false)
    end
    await(function() return count_of "the store cannot be reached" > 0 end)
    local done = submit()
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    turns.pass(4000)
    for _, one in ipairs(held) do
      one:kill "sigkill"
      one:wait()
    end
    cluster:admin "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bob'"
    await_more()
    assert_whole()
    assert.is_true(count_of "the store cannot be reached" >= 1, worker.stderr)
    assert.is_true(select(2, worker.stderr:gsub("warning:", "")) <= 3, worker.stderr)
  end)

  it("waits while the primary is read-only", function()
    assert.equal(0, submit().code)
    work()
    cluster:admin "ALTER SYSTEM SET default_transaction_read_only = on"
    cluster:reload()
    turns.pass(2000)
    local before = attempts()
    local done = submit()
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    turns.pass(3000)
    assert.equal(before, attempts())
    cluster:admin "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only"
    cluster:reload()
    await_more()
    assert_whole()
  end)

  it("ends waits whose rows are broken, each alone, and leaves what others may read", function()
    local function submit_one(number)
      workspace:write("one.lua", recipe .. "-- " .. number)
      local done = workspace:bide { "submit", "one.lua", "--max-wait", "1h", "--store", url "ada" }
      assert.equal(0, done.code, done.stderr)
      return done.stdout:match "%d+"
    end
    assert.equal(0, submit().code)
    local runs = {}
    for position, case in ipairs {
      { "UPDATE bide.turn SET attempts = -5 WHERE id IN %s", 5 }, { "UPDATE bide.turn SET due = -5 WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET definition = 999999 WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET format = 1, state = '\\x01' WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET state = '\\x01' WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET input = '{\"name\":' WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET input = '[]' WHERE id IN %s", 5 }, { "UPDATE bide.wait SET input = '' WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET output = '{' WHERE id IN %s", 5 }, { "UPDATE bide.wait SET error = '{' WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET input = repeat('x', 5000000) WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET output = repeat('x', 5000000) WHERE id IN %s", 5 },
      { "UPDATE bide.wait SET token = repeat('x', 5000000) WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET strikes = 99 WHERE id IN %s", 5 }, { "UPDATE bide.turn SET strikes = -5 WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET format = 1, state = convert_to(repeat('x', 5000000), 'UTF8') WHERE id IN %s", 5 },
      { "UPDATE bide.turn SET deadline = -5 WHERE id IN %s", 5, 124 }, { "UPDATE bide.turn SET format = 99 WHERE id IN %s" },
      { "UPDATE bide.definition SET body = 'x' WHERE id IN (SELECT definition FROM bide.turn WHERE id IN %s)" },
      { "UPDATE bide.definition SET body = '{}' WHERE id IN (SELECT definition FROM bide.turn WHERE id IN %s)" },
      { "UPDATE bide.bundle SET manifest = 'x' WHERE id IN (SELECT bundle FROM bide.turn WHERE id IN %s)" },
      { "UPDATE bide.bundle SET digest = '\\x00' WHERE id IN (SELECT bundle FROM bide.turn WHERE id IN %s)" },
      { "UPDATE bide.bundle SET files = 'error ()' WHERE id IN (SELECT bundle FROM bide.turn WHERE id IN %s)" },
    } do
      local run = submit_one(position)
      runs[position] = { id = run, statement = case[1], code = case[2], other = case[3] }
      cluster:admin(case[1]:format(("(SELECT id FROM bide.wait WHERE run = %s)"):format(run)))
    end
    worker = process.start({ process.bide, "worker", "--jobs", "400", "--store", url "wim" }, { longest = 180 })
    worker:hold_loop(false)
    for _, run in ipairs(runs) do
      if run.code then
        local done = workspace:bide { "watch", run.id, "--for", "60s", "--quiet", "--store", url "ada" }
        local code = done.code == run.other and run.code or done.code -- whichever reads it first
        assert.equal(run.code, code, run.statement .. "\n" .. done.stdout .. done.stderr .. worker.stderr)
      end
    end
    cluster:admin("DELETE FROM bide.turn WHERE id IN (SELECT w.id FROM bide.wait w JOIN bide.run r ON r.id = w.run "
      .. "WHERE r.waits = 1 AND r.ended IS NULL AND NOT EXISTS (SELECT FROM bide.turn t WHERE t.id = w.id AND t.attempts > 0))")
    await_more()
    assert.equal(WAITS .. "|0", cluster:admin "SELECT count(*), count(*) FILTER (WHERE strikes > 0) FROM bide.turn")
    for _, run in ipairs(runs) do
      if not run.code then
        assert.equal("t", cluster:admin("SELECT ended IS NULL FROM bide.run WHERE id = " .. run.id), run.statement)
      end
    end
  end)

  it("leaves a row whose number of attempts is gone, and goes on with the others", function()
    assert.equal(0, submit().code)
    cluster:admin "ALTER TABLE bide.turn ALTER attempts DROP NOT NULL"
    cluster:admin "UPDATE bide.turn SET attempts = NULL WHERE id = (SELECT min(id) FROM bide.turn)"
    worker = process.start({ process.bide, "worker", "--jobs", "400", "--store", url "wim" }, { longest = 180 })
    worker:hold_loop(false)
    await_more()
    assert.equal("1", cluster:admin "SELECT count(*) FROM bide.turn WHERE attempts IS NULL")
    assert.equal(1, count_of "no number of attempts")
    assert.not_matches("the process of this worker ended", worker.stderr, 1, true)
    cluster:admin "UPDATE bide.turn SET attempts = 0 WHERE attempts IS NULL"
    cluster:admin "ALTER TABLE bide.turn ALTER attempts SET NOT NULL"
  end)

  it("is not deceived by a server that begins to lie", function()
    assert.equal(0, submit().code)
    work(url("wim", proxy.port))
    for _, lie in pairs {
      ["wrong lengths"] = function(bytes) return bytes:sub(1, 1) .. "\0\0\0\2" .. bytes:sub(6) end,
      ["endless rows"] = function(bytes) return bytes:sub(1, 5) .. ("D\0\0\0\6\0\0"):rep(200) end,
      garbage = function(bytes) return (bytes:gsub(".", "\255")) end,
      ["an end of the transaction"] = function() return message("C", "SELECT 1\0") .. message("Z", "I") end,
      silence = function() return "" end,
    } do
      local lied = 0
      proxy.change = function(bytes, to)
        if to == "server" then return bytes end
        lied = lied + 1
        return lie(bytes)
      end
      turns.pass(1000)
      await(function() return lied > 0 end)
      proxy.change = nil
      proxy:reset()
      await_more()
    end
    assert_whole()
    assert.matches("warning: [^\n]+; waits sleep on until it can be reached\n", worker.stderr)
  end)

  it("does not begin with a server that proves nothing, or speaks something else", function()
    local function refuse(text, env, ...)
      local said, position = { ... }, 0
      local server = Server.start(nil, { raw = function(peer, bytes)
        position = position + 1
        local what = said[position]
        if type(what) == "function" then what = what(bytes) end
        if what then peer:write(what) end
      end })
      for _, command in ipairs { { "worker" }, { "submit", "look.lua", "--max-wait", "9s" }, { "watch", "1" }, { "jobs" } } do
        position = 0
        command[#command + 1] = "--store=" .. url("locked", server.port)
        local done = workspace:bide(command, { env = env })
        assert.same({ 2, "" }, { done.code, done.stdout }, text .. " " .. command[1] .. ": " .. done.stderr)
        assert.is_nil(done.stderr:find("pencil", 1, true))
      end
      server:close()
    end
    local password = { PGPASSWORD = "pencil-7731" }
    refuse("md5", password, message("R", "\0\0\0\5salt"))
    refuse("in clear", password, message("R", "\0\0\0\3"))
    refuse("no proof", password, message("R", "\0\0\0\0") .. message("Z", "I"))
    refuse("no signature", password, message("R", "\0\0\0\10SCRAM-SHA-256\0\0"), function(bytes)
      return message("R", ("\0\0\0\11r=%sx,s=c2FsdA==,i=4096"):format(bytes:match "r=([^,]+)$"))
    end, message("R", "\0\0\0\0") .. message("Z", "I"))
    refuse("HTTP", nil, "HTTP/1.1 400 Bad Request\r\n\r\n")
    refuse("a wrong length", nil, "R\0\0\0\3")
    refuse("a wrong password", { PGPASSWORD = "pencil-7732" },
      message("E", "SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0"))
  end)
end)
