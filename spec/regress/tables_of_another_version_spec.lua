---A journal whose number is that of one version and whose tables are those of another was refused with SQLite's words
---alone: "duplicate column name: question".

local Workspace = require "spec.support.workspace"
local sqlite = require "bide.sqlite"

describe("a journal with the tables of another version than its own", function()
  local workspace, line
  before_each(function()
    workspace = Workspace.make()
    workspace:write("there", "")
    line = { "run", "file", "path=there", "--max-wait", "5s", "--quiet", "--journal", "waits.db" }
    assert.equal(0, workspace:bide(line).code)
  end)
  after_each(function() workspace:remove() end)

  local changes = {
    { "PRAGMA user_version = 3", "duplicate column name: question" },
    { "PRAGMA user_version = 2", "duplicate column name: branch" },
    { "PRAGMA user_version = 1", "duplicate column name: outcome" },
    { "ALTER TABLE run DROP COLUMN question", "table run has no column named question" },
    { "DROP TABLE durable", "no such table: durable" },
  }

  for _, change in ipairs(changes) do
    it("is refused by a sentence that says so, after " .. change[1], function()
      local database = assert(sqlite.open(workspace.path .. "/waits.db"))
      assert(database:script(change[1]))
      database:close()
      local done = workspace:bide(line)
      assert.same({ 2, "", "bide: the journal waits.db: its tables are not those of its version: " .. change[2] .. "\n" },
        { done.code, done.stdout, done.stderr })
    end)
  end
end)
