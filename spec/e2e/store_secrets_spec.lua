---No secret's bytes are in a store, in the log of its server that logs all statements, or in the list of its activity: not
---the password of a role, nor a value that is redacted, nor the token that a service answers with.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local service = require "spec.support.service"

local cluster = Cluster.installed("host all kim 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
  "log_statement=all", "log_min_duration_statement=0", "log_connections=on", "log_parameter_max_length=-1")
if not cluster then return end

local PASSWORD, ANSWERED, GIVEN = "pencil-of-kim-7713", "answered-token-5521", "given-password-9942"

describe("a store", function()
  local workspace = Workspace.of_each()
  local server = Server.of_each(function()
    return { status = 200, headers = { ["Content-Type"] = "application/json" },
      body = ('{"state":"done","access_token":"%s"}'):format(ANSWERED) }
  end)

  ---Returns all that the store keeps, as a dump has it.
  local function dump()
    local program = assert(service.find("pg_dump", "postgresql-client", "/usr/lib/postgresql/*/bin"))
    local done = process.run({ program, "-h", "127.0.0.1", "-p", tostring(cluster.port), "-U", "postgres", "postgres" },
      { tool = true })
    assert.equal(0, done.code, done.stderr)
    return done.stdout
  end

  it("keeps and logs no secret", function()
    cluster:admin(([[SET log_statement = 'none'; SET log_min_duration_statement = -1;
      CREATE ROLE kim LOGIN PASSWORD '%s'; GRANT bide_submit, bide_watch, bide_worker TO kim;
      INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) VALUES ('kim', 1, true, true)]]):format(PASSWORD))
    local env = { PGPASSWORD = PASSWORD, GIVEN = GIVEN }
    local url = cluster:url "kim"
    workspace:write("ask.lua", [[
local http = require "bide.http"
return { Get = { call = function(input) return http.get(input.url) end, waitable = { Done = { minDelay = 0.02, maxDelay = 0.1,
  acceptors = { { state = "success", matcher = { output = { path = "body.state", comparator = "stringEquals",
    expected = "done" } } }, { state = "success", matcher = { output = { path = "state", comparator = "stringEquals",
    expected = "done" } } } } } } } }
]])
    local function bide(...) return workspace:bide({ ... }, { env = env }) end
    for _, word in ipairs { "password=" .. GIVEN, "password=@env:GIVEN", ("url=http://me:%s@127.0.0.1/"):format(GIVEN) } do
      assert.equal(2, bide("submit", "ask.lua", word, "--max-wait=50s", "--store", url).code, word)
    end
    local submitted = bide("submit", "ask.lua", "url=" .. server.url, "--max-wait=20s", "--store", url)
    assert.equal(0, submitted.code, submitted.stderr)
    local worker = workspace:start({ "worker", "--store", url, "--allow-net", "127.0.0.1" }, { env = env })
    local watched = bide("watch", submitted.stdout:match "%d+", "--store", url, "--quiet")
    local activity = cluster:admin("SELECT string_agg(a::text, ' ') FROM pg_stat_activity a WHERE usename = 'kim'")
    worker:kill "sigterm"
    worker:wait()
    assert.equal(0, watched.code, watched.stderr .. worker.stderr)
    assert.equal(1, #server.requests)
    local kept, log = dump(), cluster.server.service.process.stderr
    assert.matches("bide.settle", log, 1, true) -- the log is that of the statements
    assert.matches(server.url, kept, 1, true)
    assert.matches("bide%.%l+", activity) -- of the worker, which is still there
    for name, text in pairs { dump = kept, log = log, activity = activity } do
      for _, secret in ipairs { PASSWORD, ANSWERED, GIVEN } do
        assert.is_nil(text:find(secret, 1, true), ("%s in the %s"):format(secret, name))
      end
    end
  end)
end)
