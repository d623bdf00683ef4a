---Journals that are no good: a clear error before anything is sent, and the file stays as it is; and
---journals that go bad while a wait goes on.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local sqlite = require "bide.sqlite"
local uv = require "luv"

require "bide"

local recipe = [[
local http = require "bide.http"
return { Get = {
  call = function() return http.get("%s") end,
  waitable = { Done = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

local once = [[
local bide = require "bide"
for count = 1, tonumber((...)) do
  local ok, failure = pcall(bide.once, "T" .. count, { text = ("x"):rep(1000) }, function() io.write "r" return {} end)
  if not ok then print(count > 1, failure.type, failure.message) break end
end
]]

describe("a journal that is no good", function()
  local workspace = Workspace.of_each()
  local server, unready, on_request

  server = Server.of_each(function()
    on_request(#server.requests)
    return { body = #server.requests > unready and '{"state": "done"}' or '{"state": "pending"}' }
  end)

  before_each(function()
    unready, on_request = 0, function() end
    workspace:write("get.lua", recipe:format(server.url))
    workspace:write("once.lua", once)
  end)

  local function path(name) return workspace.path .. "/" .. name end

  local function database(sql)
    return function(name)
      local made = assert(sqlite.open(workspace:write(name, "")))
      assert(made:script(sql))
      made:close()
      assert(uv.fs_chmod(path(name), tonumber("600", 8)))
    end
  end

  local function text(bytes)
    return function(name)
      workspace:write(name, bytes)
      assert(uv.fs_chmod(path(name), tonumber("600", 8)))
    end
  end

  ---Its header and its first page are those of a journal, and what follows is not.
  local function broken(name)
    assert.equal(0, workspace:bide({ "run", "get.lua", "--max-wait", "1s", "--journal", name, "--quiet" }).code)
    assert.equal(0, workspace:bide({ "journal", "list", "--journal", name }).code) -- which puts the log into it
    local bytes = workspace:read(name)
    workspace:write(name, bytes:sub(1, 4096) .. ("\xAA"):rep(#bytes - 4096))
    server.requests = {}
  end

  local own = require "bide.record.journal.schema"
  local rows = {
    { "text", text(("no database\n"):rep(500)), "it is not a journal: it is not an SQLite database" },
    { "a short text", text "hello", "it is not a journal: it is not an SQLite database" },
    { "a database of somebody else", database "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
      "it is not a journal: it is a database of something else" },
    { "a database of another application", database "PRAGMA application_id = 7",
      "it is not a journal: it is a database of something else" },
    { "a database with a log of its own", database "PRAGMA journal_mode = WAL; CREATE TABLE t (a)",
      "it is not a journal: it is a database of something else" },
    { "a journal of a newer bide", database(("PRAGMA application_id = %d; PRAGMA user_version = 99; CREATE TABLE t (a)")
      :format(own.APPLICATION)), "it is of version 99, and this bide reads version 5" },
    { "a journal with a trigger", database(own.create .. "CREATE TRIGGER t AFTER INSERT ON wait BEGIN DELETE FROM run; END"),
      "it has the trigger t, which bide does not make" },
    { "a journal with a view", database(own.create .. "CREATE VIEW v AS SELECT 1"),
      "it has the view v, which bide does not make" },
    { "a journal with a virtual table", database(own.create .. "CREATE VIRTUAL TABLE f USING fts5(x)"),
      "it has the virtual table f, which bide does not make" },
    { "a file that others may read", function(name)
      text ""(name)
      assert(uv.fs_chmod(path(name), tonumber("640", 8)))
    end, "others may read it (its mode is 640); run: chmod 600 waits.db" },
    { "a folder", function(name) uv.fs_mkdir(path(name), tonumber("700", 8)) end, "it is not a file but a directory" },
    { "broken", broken, "malformed" },
  }

  for _, row in ipairs(rows) do
    it("since it is " .. row[1], function()
      row[2] "waits.db"
      local is_file = uv.fs_stat(path "waits.db").type == "file"
      local before = is_file and workspace:read "waits.db"
      local commands = {
        { "run", "get.lua", "--max-wait", "1s", "--journal", "waits.db" },
        { "run", "get.lua", "--max-wait", "1s", "--journal", "waits.db", "--resume" },
        { "journal", "list", "--journal", "waits.db" },
      }
      for _, command in ipairs(commands) do
        local done = workspace:bide(command)
        assert.same({ 2, "", 0 }, { done.code, done.stdout, done.signal })
        assert.matches("bide: the journal waits.db: ", done.stderr, 1, true)
        assert.matches(row[3], done.stderr, 1, true)
      end
      assert.equal(0, #server.requests)
      if is_file then assert.equal(before, workspace:read "waits.db") end
    end)
  end

  it("since it has no place", function()
    for _, name in ipairs { "no/such/folder.db", "/proc/waits.db", "get.lua/waits.db" } do
      local done = workspace:bide { "run", "get.lua", "--max-wait", "1s", "--journal", name }
      assert.same({ 2, 0 }, { done.code, #server.requests })
      assert.matches("^bide: the journal " .. name .. ": [^\n]+\n$", done.stderr)
    end
  end)

  it("since who runs it may not use it", function()
    local is_root = uv.getuid() == 0
    local function shell(line) return workspace:shell(is_root and ("runuser -u nobody -- %s"):format(line) or line) end
    local function bide(...)
      return shell(table.concat({ '"$BIDE" run get.lua --max-wait 1s --quiet --journal waits.db', ... }, " "))
    end
    local function set(name, mode) assert(uv.fs_chmod(name, tonumber(mode, 8))) end
    set(workspace.path, "1777")
    if bide().code ~= 0 then return pending "nobody else may run bide here" end
    assert.equal(0, shell('"$BIDE" journal list --journal waits.db').code) -- which puts the log into it
    local modes = {
      { "waits.db", "000", "it cannot be read" }, { "waits.db", "400", "it cannot be written" },
      { "", "555", "its folder cannot be written, where its log belongs" },
    }
    for _, row in ipairs(modes) do
      set(path(row[1]), row[2])
      local done = bide()
      assert.same({ 2, "bide: the journal waits.db: " .. row[3] .. "\n" }, { done.code, done.stderr })
      set(path(row[1]), row[1] == "" and "1777" or "600")
    end
    assert.is_nil(uv.fs_stat(path "waits.db-shm"))
    assert.same({ 0, 2 }, { bide("--resume").code, #server.requests })
  end)

  it("since another process has it locked, after some patience", function()
    assert.equal(0, workspace:bide({ "run", "get.lua", "--max-wait", "1s", "--journal", "waits.db" }).code)
    local other = assert(sqlite.open(path "waits.db"))
    assert(other:script "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    local done = workspace:bide { "run", "get.lua", "--max-wait", "1s", "--journal", "waits.db" }
    other:close()
    done:says(2, "bide: the journal waits.db: it is locked by another process\n")
    assert.equal(1, #server.requests)
    assert.is_true(done.elapsed > 4.9 and done.elapsed < 8, done.elapsed)
  end)

  ---Files may not grow beyond so many blocks of 512 bytes; who writes beyond is told, and not killed.
  local function limited(blocks, command)
    return workspace:shell(("trap '' XFSZ; ulimit -f %d; exec \"$BIDE\" %s"):format(blocks, command))
  end

  it("since there is no room for it", function()
    for _, blocks in ipairs { 0, 1, 10, 40 } do
      local done = limited(blocks, "run get.lua --max-wait 1s --journal waits.db")
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches("^bide: the journal waits.db: [^\n]+\n$", done.stderr)
    end
    assert.equal(0, #server.requests)
    assert.equal(0, workspace:bide({ "run", "get.lua", "--max-wait", "1s", "--journal", "waits.db", "--resume" }).code)
  end)

  it("does not end a wait that has begun: it is told once", function()
    unready = 60
    local done = limited(150, "run get.lua --max-wait 10s --quiet --journal waits.db")
    assert.equal(0, done.code)
    assert.equal(61, #server.requests)
    local _, warnings = done.stderr:gsub("bide: warning: the journal waits.db: [^\n]+; the wait continues, and cannot be "
      .. "resumed as it is now\n", "")
    assert.equal(1, warnings, done.stderr)
    assert.equal("ok", journal.query(path "waits.db", "PRAGMA integrity_check")[1].integrity_check)
  end)

  it("does end a request that is to be made once", function()
    local done = limited(150, "exec --journal waits.db once.lua 1000")
    assert.equal(0, done.code)
    assert.matches("^r+true\tJournalFailed\t[^\n]*the journal waits.db: ", done.stdout)
    done = limited(2, "exec --journal waits2.db once.lua 1")
    assert.equal(2, done.code)
  end)

  it("holds no wait up while it is locked, and loses nothing of it", function()
    unready = 40
    local other
    on_request = function(count)
      if count == 5 then
        other = assert(sqlite.open(path "waits.db"))
        assert(other:script "BEGIN IMMEDIATE")
      elseif count == 38 then
        other:close()
      end
    end
    local outcome, done = workspace:outcome { "run", "get.lua", "--max-wait", "10s", "--journal", "waits.db" }
    assert.same({ 0, "", 41 }, { done.code, done.stderr, outcome.attempts })
    assert.equal(40, journal.query(path "waits.db", "SELECT count(*) AS count FROM attempt")[1].count)
    local stored = core.json.decode(journal.query(path "waits.db", "SELECT outcome FROM wait")[1].outcome)
    assert.equal(41, stored.attempts)
  end)
end)
