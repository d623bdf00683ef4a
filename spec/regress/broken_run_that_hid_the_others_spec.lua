---One broken run made `bide jobs` refuse the whole list without a word of which it was, and in a file it could be neither
---cancelled nor pruned. A recipe or an option of a wait that is NULL ended the wait with a sentence of bide's inside.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local submit = { "submit", "file", "not-there", "--max-wait", "1h", "--store", "w.db" }

describe("a store with a broken run", function()
  local workspace = Workspace.of_each()
  local path

  before_each(function()
    for _ = 1, 3 do assert.equal(0, workspace:bide(submit).code) end
    path = workspace.path .. "/w.db"
  end)

  local function jobs(...)
    return workspace:bide { "jobs", ..., "--store", "w.db" }
  end

  for _, change in ipairs { "need = 'x'", "open = 7", "waits = x'35'", "began = 9e999" } do
    it("lists the others where " .. change, function()
      journal.query(path, "UPDATE store_run SET " .. change .. " WHERE id = 2")
      local listed = jobs()
      assert.equal(change == "open = 7" and 0 or 2, listed.code, listed.stderr)
      if listed.code == 2 then assert.matches("^bide: the store is broken: run 2: %l+: expected [^\n]+\n$", listed.stderr) end
      for _, run in ipairs { 1, 3 } do assert.matches(("\n +%d  open "):format(run), listed.stdout) end
      workspace:write("list.lua", 'return require "bide.store".open "w.db":list()')
      local scripted = workspace:bide { "exec", "list.lua" }
      assert.equal(listed.code == 2 and 5 or 0, scripted.code, scripted.stderr)
      if listed.code == 2 then assert.matches("run 2: ", scripted.stderr) end
    end)

    it("cancels and prunes it where " .. change, function()
      journal.query(path, "UPDATE store_run SET " .. change .. " WHERE id = 2")
      local open = workspace:bide { "jobs", "prune", "1", "2", "--store", "w.db" }
      open:says(2, "run 1 has not ended")
      open = workspace:bide { "jobs", "prune", "2", "--store", "w.db" }
      open:says(2, "run 2 has not ended; bide jobs cancel 2 ends it")
      for _, code in ipairs { 0, 1 } do
        assert.equal(code, workspace:bide({ "jobs", "cancel", "2", "--store", "w.db" }).code)
      end
      assert.same({}, journal.query(path, "SELECT t.id FROM turn t JOIN store_wait w ON w.id = t.id WHERE w.run = 2"))
      assert.equal(2, #journal.query(path, "SELECT id FROM turn"))
      assert.equal(0, workspace:bide({ "jobs", "prune", "2", "--store", "w.db" }).code)
      assert.equal(0, jobs().code)
    end)
  end

  it("prunes none of several if the broken one is open", function()
    journal.query(path, "UPDATE store_run SET need = 'x' WHERE id = 2")
    assert.equal(0, workspace:bide({ "jobs", "cancel", "1", "--store", "w.db" }).code)
    workspace:bide({ "jobs", "prune", "1", "2", "--store", "w.db" }):says(2, "run 2 has not ended")
    assert.equal(3, #journal.query(path, "SELECT id FROM store_run"))
  end)

  for column, table in pairs { body = "definition", manifest = "bundle", digest = "bundle" } do
    it(("ends its wait with a sentence where %s is NULL"):format(column), function()
      journal.query(path, ("CREATE TABLE loose AS SELECT * FROM %s"):format(table))
      journal.query(path, ("UPDATE loose SET %s = NULL"):format(column))
      journal.query(path, "PRAGMA foreign_keys = OFF")
      journal.query(path, ("DROP TABLE %s"):format(table))
      journal.query(path, ("ALTER TABLE loose RENAME TO %s"):format(table))
      local worker = workspace:start { "worker", "--quiet", "--store", "w.db" }
      worker:hold_loop(false)
      local done = workspace:bide { "watch", "1", "--quiet", "--for", "50s", "--store", "w.db" }
      worker:kill "sigterm"
      worker:wait()
      assert.equal(5, done.code, done.stderr .. worker.stderr)
      assert.matches(("the store: definition 1: %s: expected a %%l+, found nothing"):format(column), done.stderr)
    end)
  end
end)
