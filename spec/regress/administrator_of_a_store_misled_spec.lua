---`bide store` called functions by names that a schema of others may have, too: a role that could make a function `format` in the
---schema `public` became a superuser when an administrator granted any right. A search path of the database broke the checks;
---and a schema `bide` of something else, or an encoding in which waits have no place, was found late or under another name.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.of_block(nil, "autovacuum_naptime=15s", "fsync=on")
if not cluster then return end

describe("an administrator of a store", function()
  local workspace, database, count = Workspace.of_each(), nil, 0

  setup(function() cluster:admin("CREATE ROLE mallory LOGIN; CREATE ROLE ada LOGIN") end)

  local function make(options)
    count = count + 1
    database = "d" .. count
    cluster:admin(("CREATE DATABASE %s %s"):format(database, options or ""))
  end

  local function sql(text, role) return cluster:sql_in(database, text, role) end

  local function store(...)
    return workspace:bide { "store", "--store", cluster:url("postgres", database), ... }
  end

  it("calls no functions of others", function()
    make()
    sql("CREATE SCHEMA open; GRANT ALL ON SCHEMA open TO PUBLIC; "
      .. ("ALTER DATABASE %s SET search_path = public, open"):format(database))
    local text = { "SET check_function_bodies = off;" }
    for _, call in ipairs { "format(text,text)", "format(text,text,text)", "format(text,text,name,text)", "format(text,name)",
      "pg_has_role(text,text)", "pg_has_role(name,text)", "to_regclass(varchar)", "to_regnamespace(varchar)",
      "format(text,bigint,bigint)", "generate_series(int,int)", "replace(text,text,name)" } do
      text[#text + 1] = ("CREATE FUNCTION open.%s RETURNS text LANGUAGE plpgsql AS $$ BEGIN "
        .. "IF current_setting('is_superuser') = 'on' THEN ALTER ROLE mallory SUPERUSER; END IF; "
        .. "RETURN 'ALTER ROLE mallory SUPERUSER'; END $$;"):format(call)
    end
    sql(table.concat(text, "\n"), "mallory")
    for _, words in ipairs { { "init" }, { "grant", "ada", "--submit" }, { "set", "lease", "9s" }, { "migrate" }, { "check" } } do
      local done = store(table.unpack(words))
      assert.same({ 0, "" }, { done.code, done.stderr }, done.stdout)
    end
    assert.equal("f", cluster:admin("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"))
  end)

  it("may have any search path", function()
    make()
    sql("CREATE SCHEMA odd; CREATE DOMAIN odd.name AS int; CREATE TYPE odd.text AS (x int); "
      .. "CREATE TABLE odd.pg_roles (rolname int); CREATE TABLE odd.pg_settings (name int); "
      .. ("ALTER DATABASE %s SET search_path = odd, pg_catalog"):format(database))
    for _, words in ipairs { { "init" }, { "grant", "ada", "--submit" }, { "check" } } do
      local done = store(table.unpack(words))
      assert.same({ 0, "" }, { done.code, done.stderr }, done.stdout)
    end
    make()
    sql(("CREATE SCHEMA odd; CREATE DOMAIN odd.name AS int; ALTER DATABASE %s SET search_path = odd, pg_catalog")
      :format(database))
    sql(workspace:bide({ "store", "init", "--print" }).stdout)
    assert.equal(0, store("check").code)
  end)

  it("learns that the schema bide is of something else", function()
    for _, table_name in ipairs { "jobs", "meta" } do
      make()
      sql(("CREATE SCHEMA bide; CREATE TABLE bide.%s (x int)"):format(table_name))
      for _, words in ipairs { { "init" }, { "migrate" }, { "check" }, { "migrate", "--finish" },
        { "grant", "ada", "--work" } } do
        local done = store(table.unpack(words))
        assert.same({ 2, "bide: the database has another schema bide: make the store in a database of its own\n" },
          { done.code, done.stderr })
      end
    end
  end)

  it("learns that the store is not there", function()
    make()
    for _, words in ipairs { { "migrate" }, { "check" }, { "migrate", "--finish" }, { "grant", "ada", "--work" }, { "set" },
      { "set", "lease", "3s" } } do
      store(table.unpack(words)):says(2, "bide store init --store URL")
    end
  end)

  it("needs a database that has room for all characters", function()
    for _, encoding in ipairs { "LATIN1", "SQL_ASCII" } do
      make(("ENCODING '%s' TEMPLATE template0"):format(encoding))
      local done = store "init"
      assert.same({ 2, ("bide: the database has the encoding %s, and a store needs UTF8: createdb --template template0 "
        .. "--encoding UTF8 NAME\n"):format(encoding) }, { done.code, done.stderr })
      assert.equal("f", sql("SELECT to_regnamespace('bide') IS NOT NULL"))
    end
  end)
end)
