local uv = require "luv"
local Directory = require "spec.support.directory"
local sqlite = require "bide.sqlite"

describe("SQLite", function()
  local directory = Directory.of_each()
  local database

  before_each(function() database = assert(sqlite.open(directory:write("data", ""))) end)
  after_each(function() database:close() end)

  it("gives back every value as it was given", function()
    local values = { "", "text", "a\0b", "\xFF\xFE", ("x"):rep(100000), 0, -1, math.maxinteger, math.mininteger, 1.5, 2.0, 1e300 }
    assert(database:script "CREATE TABLE t (a)")
    for _, value in ipairs(values) do
      assert.same({}, database:query("INSERT INTO t VALUES (?)", value))
      local found = database:query("SELECT a FROM t WHERE rowid = ?", database:last_row())[1].a
      assert.same({ math.type(value) or type(value), value }, { math.type(found) or type(found), found })
    end
    assert.equal(#values, #database:query "SELECT a FROM t")
    assert.same({ { a = 1, c = "x" } }, database:query("SELECT ? AS a, ? AS b, ? AS c", true, nil, "x"))
    assert.same({ { a = nil } }, database:query "SELECT ? AS a")
    database:query "DELETE FROM t WHERE typeof(a) = 'real'"
    assert.equal(3, database:changes())
  end)

  it("tells what failed, and goes on", function()
    local rows, failure = database:query "SELEC 1"
    assert.is_nil(rows)
    assert.same({ "statement", 'near "SELEC": syntax error' }, { failure.kind, failure.message })
    assert(database:script "CREATE TABLE t (a UNIQUE)")
    assert(database:query("INSERT INTO t VALUES (?)", 1))
    assert.is_nil((database:query("INSERT INTO t VALUES (?)", 1)))
    assert(database:query("INSERT INTO t VALUES (?)", 2))
    assert.is_nil((database:script "nonsense"))
    assert.has_error(function() database:query("SELECT 1", 2) end, "more values than the statement has parameters")
    assert.has_error(function() database:query("INSERT INTO t VALUES (?)", {}) end)
    assert(database:query("INSERT INTO t VALUES (?)", 3))
    assert.is_nil((database:query ""))
  end)

  it("does not wait for what another has locked", function()
    local other = assert(sqlite.open(directory.path .. "/data"))
    assert(other:script "CREATE TABLE t (a); BEGIN IMMEDIATE")
    local rows, failure = database:query "INSERT INTO t VALUES (1)"
    assert.same({ nil, "busy" }, { rows, failure.kind })
    assert(other:script "COMMIT")
    assert(database:query "INSERT INTO t VALUES (1)")
    other:close()
  end)

  it("undoes a transaction that does not come to its end", function()
    assert(database:script "CREATE TABLE t (a UNIQUE)")
    local function insert(value, f)
      return function()
        assert(database:query("INSERT INTO t VALUES (?)", value))
        return f()
      end
    end
    local kept = {}
    assert.equal("done", database:transact(insert(1, function() return "done" end)))
    local ok, raised = pcall(database.transact, database, insert(2, function() error(kept) end))
    assert.same({ false, true }, { ok, raised == kept })
    ok, raised = pcall(database.transact, database, insert(3, coroutine.yield))
    assert.same({ false, "attempt to yield from outside a coroutine" }, { ok, raised })
    local result, failure = database:transact(insert(4, function() return (database:transact(print)) end))
    assert.same({ nil, nil }, { result, failure })
    assert.same({ { a = 1 }, { a = 4 } }, database:query "SELECT a FROM t")
    local other = assert(sqlite.open(directory.path .. "/data"))
    assert(other:script "BEGIN IMMEDIATE")
    result, failure = database:transact(print)
    assert.same({ nil, "busy" }, { result, failure.kind })
    other:close()
  end)

  it("may be closed twice, and used no more", function()
    database:query "SELECT 1"
    database:close()
    database:close()
    assert.has_error(function() database:query "SELECT 1" end, "the database is closed")
  end)

  it("says what is no database", function()
    local other = assert(sqlite.open(directory:write("text", ("no database\n"):rep(100))))
    local rows, failure = other:query "SELECT * FROM sqlite_schema"
    assert.same({ nil, "foreign" }, { rows, failure.kind })
    other:close()
    assert.is_nil((sqlite.open(directory.path .. "/none")))
  end)

  it("locks numbers against every other open of the file, until it is closed", function()
    local file = directory.path .. "/locks"
    local mine, other = assert(sqlite.locks(file)), assert(sqlite.locks(file))
    assert.is_true(mine:take(5))
    assert.is_true(mine:take(math.maxinteger - 1))
    assert.same({ false, true, false }, { other:take(5), other:is_taken(5), other:is_taken(6) })
    assert.is_false(mine:is_taken(5))
    mine:close()
    mine:close()
    assert.is_true(other:take(5))
    assert.has_error(function() other:take(-1) end)
    other:close()
    local locks, failure = sqlite.locks(directory.path .. "/none/locks")
    assert.same({ nil, "No such file or directory" }, { locks, failure.message })
  end)

  it("keeps a short text in the file of the locks, whatever is locked in it", function()
    local file = directory.path .. "/locks"
    local mine, other = assert(sqlite.locks(file)), assert(sqlite.locks(file))
    assert.equal("", mine:read())
    assert.is_true(mine:take(0))
    assert.is_true(other:write "a text\n")
    assert.equal("a text\n", mine:read())
    assert.is_true(other:write(("x"):rep(100)))
    assert.equal(("x"):rep(64), mine:read())
    mine:close()
    other:close()
    assert.same({ "", false }, { mine:read(), mine:write "more" })
  end)

  it("opens no database and no locks by a link, and names the user", function()
    local real = directory:write("real", "")
    assert(uv.fs_symlink(real, directory.path .. "/link"))
    assert.is_nil((sqlite.open(directory.path .. "/link")))
    local locks, failure = sqlite.locks(directory.path .. "/link")
    assert.same({ nil, "it is a link" }, { locks, failure.message })
    assert.equal(uv.getuid(), sqlite.user())
  end)
end)
