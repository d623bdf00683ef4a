---Two machines that ran `bide store init`, or `grant` of one role, at the same time failed by a duplicate key, as where each of
---several replicas prepares the store at its start. And where the server refused to make a partition for attempts, such as by
---an event trigger, no worker could enter, and nothing was maintained.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.of_block()
if not cluster then return end

describe("a store that is prepared by several at once", function()
  local workspace = Workspace.of_block()

  setup(function() cluster:admin("CREATE ROLE ada LOGIN; CREATE ROLE wim LOGIN") end)

  local url = "--store=" .. cluster:url "postgres"

  local function all_succeed(lines)
    local running = {}
    for position, words in ipairs(lines) do
      table.insert(words, url)
      running[position] = workspace:start(words)
    end
    for _, one in ipairs(running) do
      one:wait()
      assert.same({ 0, "" }, { one.code, one.stderr })
    end
  end

  it("is made once, and has all rights", function()
    all_succeed { { "store", "init" }, { "store", "init" }, { "store", "init" } }
    local lines = {}
    for number = 1, 6 do lines[number] = { "store", "grant", "ada", "--submit", "--work", "--queue", "q" .. number } end
    all_succeed(lines)
    assert.equal("6", cluster:admin("SELECT count(*) FROM bide.queue_grant"))
  end)

  it("serves workers where no partition can be made", function()
    assert.equal(0, workspace:bide({ "store", "grant", "wim", "--work", url }).code)
    cluster:admin([[
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'tables are made by us'; END $$;
DO $$ DECLARE t regclass; BEGIN
  FOR t IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'bide.attempt'::regclass LOOP EXECUTE 'DROP TABLE ' || t; END LOOP;
END $$;
CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()]])
    local enter = "SELECT id FROM bide.enter('w', 'trusted', '1', 'h', 1, '{default}', 10, '{0,1}')"
    assert.matches("^%d+$", cluster:sql("wim", enter))
    assert.equal("0|f", cluster:sql("wim", "SELECT * FROM bide.maintain(false)"))
    assert.matches("the partition for the attempts of today + 0 d is missing: no worker has entered for a week, or the log of "
      .. "the server says why it was not made\n", workspace:bide({ "store", "check", url }).stdout, 1, true)
    cluster:admin("DROP EVENT TRIGGER refuse")
    cluster:sql("wim", enter)
    assert.equal("8", cluster:admin("SELECT count(*) FROM pg_inherits WHERE inhparent = 'bide.attempt'::regclass"))
  end)
end)
