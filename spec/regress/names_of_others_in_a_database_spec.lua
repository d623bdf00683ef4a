---Where a role searched another schema, a function or an operator that somebody had made there took the place of the system's in
---what a worker, or a submission, asked. With version 14 and older, everybody may make some in the schema public.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("names that others make in a database", function()
  it("are not used", function()
    cluster:let_work "ada"
    cluster:admin([[
CREATE SCHEMA trap;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
CREATE FUNCTION trap.array_agg(bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$ BEGIN RAISE 'array_agg of the trap'; END $$;
CREATE FUNCTION trap.equal(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE '= of the trap'; END $$;
CREATE OPERATOR trap.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = trap.equal);
CREATE FUNCTION trap.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN RAISE 'set_config of the trap'; END $$;
ALTER ROLE ada SET search_path = trap, pg_catalog;]])
    local workspace = Workspace.make()
    workspace:write("look.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } }
      return { Look = { call = function() return { state = "x" } end, waitable = { Seen = { acceptors = { seen } } } } }]])
    local function bide(words)
      words[#words + 1] = "--store=" .. cluster:url "ada"
      return workspace:bide(words)
    end
    for _, words in ipairs { { "run", "look.lua", "--max-wait=20s", "--work", "--quiet" }, { "jobs", "list" },
      { "jobs", "show", "1" }, { "workers" }, { "watch", "1" }, { "jobs", "prune", "1" } } do
      local done = bide(words)
      assert.same({ 0, "" }, { done.code, done.stderr }, table.concat(words, " "))
    end
    workspace:remove()
  end)
end)
