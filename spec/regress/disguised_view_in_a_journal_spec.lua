---A journal with a view in place of a table ran a query without end. SQLite reads the text of an object alone, so that one
---which calls itself a table may be a view, a trigger or a virtual table.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local endless = "with recursive c(x) as (select 1 union all select x+1 from c) select %s from c where x<0"

---Statements of Python that change the schema; `c` is the connection, `columns` has the columns of the table run.
local changes = {
  ["a view"] = [[
c.execute("alter table run rename to old")
c.execute("create view run as ENDLESS" % columns)]],
  ["a view that is called a table"] = [[
c.execute("pragma writable_schema=on")
c.execute("update sqlite_schema set sql = 'CREATE VIEW run AS ENDLESS', rootpage = 0 where name = 'run'" % columns)]],
  ["a trigger that is called an index"] = [[
c.execute("create trigger t after insert on run begin delete from wait; end")
c.execute("pragma writable_schema=on")
c.execute("update sqlite_schema set type = 'index', rootpage = 0 where name = 't'")]],
  ["a virtual table with another text"] = [[
c.execute("create virtual table v using fts5(x)")
c.execute("pragma writable_schema=on")
c.execute("update sqlite_schema set sql = 'CREATE  VIRTUAL TABLE v USING fts5(x)' where name = 'v'")]],
  ["a view in capitals"] = [[
c.execute("create view other as select 1")
c.execute("pragma writable_schema=on")
c.execute("update sqlite_schema set type = 'TABLE' where name = 'other'")]],
}

describe("a journal with", function()
  local workspace = Workspace.of_each()
  before_each(function()
    workspace:write("one.lua", "print(1)")
    assert.equal(0, workspace:bide({ "exec", "--journal", "j.db", "one.lua" }).code)
  end)

  for name, change in pairs(changes) do
    it(name .. " is refused before it is read", function()
      local script = ([[
import sqlite3
c = sqlite3.connect("j.db")
columns = ",".join("1 as " + r[1] for r in c.execute("pragma table_info(run)"))
%s
c.commit()]]):format((change:gsub("ENDLESS", function() return endless end)))
      local done = process.run({ "python3", "-c", script }, { cwd = workspace.path, tool = true })
      assert.equal(0, done.code, done.stderr)
      for _, words in ipairs { { "journal", "list", "--journal", "j.db" }, { "exec", "--journal", "j.db", "one.lua" } } do
        done = workspace:bide(words)
        assert.equal(2, done.code, done.stdout .. done.stderr)
        local is_refused = done.stderr:find("which bide does not make", 1, true)
          or done.stderr:find("malformed database schema", 1, true) -- by SQLite
        assert.truthy(is_refused, done.stderr)
      end
    end)
  end

  it("an index of the user is read", function()
    local done = process.run({ "python3", "-c", [[
import sqlite3
c = sqlite3.connect("j.db")
c.execute("create index mine on run(waiter)")
c.execute("analyze")
c.commit()]] }, { cwd = workspace.path, tool = true })
    assert.equal(0, done.code, done.stderr)
    done = workspace:bide { "journal", "list", "--journal", "j.db" }
    assert.equal(0, done.code, done.stderr)
  end)
end)
