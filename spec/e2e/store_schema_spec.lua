---The functions of the store in PostgreSQL, called by psql.

local Cluster = require "spec.support.store_cluster"
local process = require "spec.support.process"
local uv = require "luv"

local cluster = Cluster.installed()
if not cluster then return end

---The last day's partition, and others, exist from the installation on.
local DAY = 86400000000

describe("the schema of the store", function()
  before_each(function() cluster:empty() end)

  local function wim(text, ...) return cluster:sql("wim", text:format(...)) end

  ---Writes one attempt of a turn.
  local function settle(me, id, attempt, options)
    options = options or {}
    return cluster:sql(options.role or "wim", ([[SELECT id FROM bide.settle(%s, %s, '{%d}', '{%d}', '{%d}', '{1}',
      ARRAY['\x01'::bytea], ARRAY[%s]::text[], ARRAY[%s]::text[], ARRAY[%s]::text[])]]):format(me,
      tostring(options.keep or false), id, attempt, options.due or 0, options.output or "NULL", options.error or "NULL",
      options.entry or "NULL"))
  end

  local function finish(me, ids, attempt, succeeded, role)
    local ns, outcomes, states, entries = {}, {}, {}, {}
    for place in ipairs(ids) do
      ns[place], outcomes[place], states[place], entries[place] = attempt or 1, '"{}"', tostring(succeeded ~= false), '"{}"'
    end
    return cluster:sql(role or "wim", ("SELECT id FROM bide.finish(%s, '{%s}', '{%s}', '{%s}', '{%s}', '{%s}') ORDER BY id")
      :format(me, table.concat(ids, ","), table.concat(ns, ","), table.concat(outcomes, ","), table.concat(states, ","),
      table.concat(entries, ",")))
  end

  local function turn(id, columns) return cluster:admin("SELECT %s FROM bide.turn WHERE id = %d", columns, id) end
  local function run_of(id, columns) return cluster:admin("SELECT %s FROM bide.run WHERE id = %s", columns, id) end

  describe("one attempt", function()
    local me, id

    before_each(function()
      cluster:submit()
      me = cluster:enter()
      id = cluster:claim(me)[1]
    end)

    it("is claimed once, settled and claimed again", function()
      assert.equal(me, turn(id, "worker"))
      assert.same({}, cluster:claim(me))
      assert.equal(tostring(id), settle(me, id, 1, { due = 5, output = [['{"a":1}']], error = [['{"type":"T"}']],
        entry = [['{"attempt":1}']] }))
      assert.equal("5||1|1|\\x01", turn(id, "due, worker, attempts, format, state"))
      assert.equal('{"a":1}|{"type":"T"}', cluster:admin("SELECT output, error FROM bide.wait WHERE id = %d", id))
      assert.equal('1|{"attempt":1}', cluster:admin("SELECT attempt, entry FROM bide.attempt WHERE wait = %d", id))
      assert.same({ id }, cluster:claim(me))
      settle(me, id, 2, { due = 6, error = "''" })
      assert.equal('{"a":1}|', cluster:admin("SELECT output, error FROM bide.wait WHERE id = %d", id))
    end)

    it("gives the first attempt what it begins with", function()
      settle(me, id, 1)
      cluster:submit { waits = 3 }
      assert.equal('0|0|\\x|{"i":3}|t3|' .. (7 ~ 3) .. "|ada|", wim([[SELECT attempts, format, state, input, token, seed,
        owner, keeps FROM bide.claim(%s, 1, 2::smallint, 9, 0, 9000000) ORDER BY id DESC LIMIT 1]], me))
    end)

    it("is written by its owner alone, and only with the next number", function()
      local other = cluster:enter "pia"
      assert.equal("", settle(other, id, 1, { role = "pia" }))
      assert.equal("", settle(me, id, 2))
      assert.equal("", settle(me, id, 0))
      assert.equal(tostring(id), settle(me, id, 1))
      assert.equal("", settle(me, id, 1))
      assert.equal("", finish(me, { id }, 2))
      assert.equal("0", cluster:admin "SELECT count(*) FROM bide.wait WHERE ended IS NOT NULL")
      assert.same({ id }, cluster:claim(other, 1, { role = "pia" }))
      assert.equal("", finish(me, { id }, 2))
      assert.equal(tostring(id), finish(other, { id }, 2, true, "pia"))
      assert.equal("", finish(other, { id }, 2, true, "pia"))
    end)

    it("is kept: the place in the index stays until a release moves it", function()
      local before = turn(id, "due")
      assert.equal(tostring(id), settle(me, id, 1, { keep = true, due = 77 }))
      assert.equal(("%s|77|%s|1"):format(before, me), turn(id, "due, next, worker, attempts"))
      assert.equal(tostring(id), settle(me, id, 2, { keep = true, due = 78 }))
      wim("SELECT bide.sync(%s, '{}')", me)
      assert.equal("78|||2", turn(id, "due, next, worker, attempts"))
    end)

    it("goes on where no partition is left, and says so", function()
      cluster:admin("DROP TABLE bide.%s", cluster:admin "SELECT bide.partition_of(bide.clock())")
      assert.equal(id .. "|f", wim([[SELECT * FROM bide.settle(%s, false, '{%d}', '{1}', '{1}', '{1}', ARRAY['\x01'::bytea],
        '{NULL}', '{NULL}', '{x}')]], me, id))
      assert.equal("1", turn(id, "attempts"))
      cluster:enter()
      assert.equal("8", cluster:admin "SELECT count(*) FROM pg_inherits WHERE inhparent = 'bide.attempt'::regclass")
    end)

    it("is released by leave, for the others to claim", function()
      assert.equal("1", wim("SELECT bide.leave(%s)", me))
      assert.equal("BD001", (cluster:failure("wim", ("SELECT * FROM bide.beat(%s, 0, 0)"):format(me))))
      assert.same({ id }, cluster:claim(cluster:enter()))
    end)
  end)

  describe("a worker", function()
    it("is expired after its lease, for every verb, and reaped once", function()
      cluster:submit { waits = 3 }
      local me, other = cluster:enter(), cluster:enter "pia"
      local ids = cluster:claim(me, 2)
      cluster:admin("UPDATE bide.worker SET lease = bide.clock() - 1 WHERE id = %s", me)
      for _, call in ipairs { "beat(%s, 0, 0)", "claim(%s, 1, 2::smallint, 1, 0, 0)", "sync(%s, '{}')", "refuse(%s, 1)",
        "set_aside(%s, 1, 2::smallint)", "take_back(%s, 1)", "reserve(%s, 1, 'h', 1, 1, 1)" } do
        assert.equal("BD001", (cluster:failure("wim", "SELECT * FROM bide." .. call:format(me))), call)
      end
      assert.equal("1|2", cluster:sql("pia", "SELECT * FROM bide.reap(false)"))
      assert.equal("0|0", cluster:sql("pia", "SELECT * FROM bide.reap(true)"))
      assert.equal(other, cluster:admin "SELECT id FROM bide.worker")
      assert.equal("BD001", (cluster:failure("wim", ("SELECT * FROM bide.settle(%s, false, '{%d}', '{1}', '{1}', '{1}', "
        .. "ARRAY['x'::bytea], '{NULL}', '{NULL}', '{NULL}')"):format(me, ids[1]))))
      assert.equal(3, #cluster:claim(other, 9, { role = "pia" }))
    end)

    it("may still settle what nobody has taken from it", function()
      cluster:submit()
      local me = cluster:enter()
      local id = cluster:claim(me)[1]
      cluster:admin "UPDATE bide.worker SET lease = 1"
      assert.equal(tostring(id), settle(me, id, 1))
    end)

    it("is not another role's", function()
      local me = cluster:enter()
      for _, call in ipairs { "beat(%s, 0, 0)", "claim(%s, 1, 2::smallint, 1, 0, 0)", "sync(%s, '{}')", "leave(%s)" } do
        assert.equal("BD001", (cluster:failure("pia", "SELECT * FROM bide." .. call:format(me))), call)
      end
    end)

    it("has a random id of 62 bits", function()
      assert.equal("20|t|t", wim [[SELECT count(DISTINCT e.id), min(e.id) > 0, max(e.id) BETWEEN 1::bigint << 53 AND
        (1::bigint << 62) - 1 FROM generate_series(1, 20) i CROSS JOIN LATERAL
        bide.enter('w' || i, 'trusted', '1', 'h', 1, '{default}', 1, '{0}') e]])
    end)

    it("learns by a beat what differs, and by sync what is its own", function()
      cluster:submit { waits = 4 }
      local me = cluster:enter()
      local ids = cluster:claim(me)
      local sum = 0
      for _, id in ipairs(ids) do sum = sum + (id << 20) end
      local function beat(count, of) return wim("SELECT matches FROM bide.beat(%s, %d, %d)", me, count, of) end
      assert.equal("t", beat(4, sum))
      settle(me, ids[1], 1, { keep = true, due = 9 })
      assert.equal("f", beat(4, sum))
      assert.equal("t", beat(4, sum + 1))
      assert.equal("f", beat(3, sum + 1))
      assert.equal(ids[1] .. "|1\n" .. ids[3] .. "|0",
        wim("SELECT * FROM bide.sync(%s, '{%d,%d,999}') ORDER BY id", me, ids[1], ids[3]))
      assert.same({ ids[2], ids[4] }, cluster:claim(cluster:enter()))
    end)

    it("is asked for no claim that it refuses", function()
      cluster:submit()
      cluster:submit { bundle = "2" }
      local me = cluster:enter()
      wim("SELECT bide.refuse(%s, %s)", me, cluster:admin "SELECT bundle FROM bide.definition WHERE id = 1")
      assert.equal(1, #cluster:claim(me))
      cluster:admin "UPDATE bide.turn SET worker = NULL, format = 99"
      assert.equal(0, #cluster:claim(cluster:enter()))
    end)
  end)

  it("gives a worker at most 500 turns at a time", function()
    cluster:submit { waits = 501 }
    assert.equal(500, #cluster:claim(cluster:enter(), 100000))
  end)

  it("keeps no word for a worker that is gone", function()
    for _, ending in ipairs { "SELECT bide.leave(OLD)", "SELECT * FROM bide.strike(ME, OLD, 0, 'x')",
      "SELECT * FROM bide.reap(false)" } do
      local run, old = cluster:submit(), cluster:enter()
      cluster:claim(old)
      cluster:sql("ada", ("SELECT bide.cancel(%s); SELECT bide.clear(%s)"):format(run, run))
      assert.equal("1", cluster:admin "SELECT count(*) FROM bide.told")
      local me = cluster:enter()
      if ending:find "reap" then cluster:admin("UPDATE bide.worker SET lease = 1 WHERE id = %s", old) end
      wim((ending:gsub("OLD", old):gsub("ME", me)))
      assert.equal("0", cluster:admin "SELECT count(*) FROM bide.told", ending)
    end
  end)

  it("reaps no worker whose claim or sync is under way: what that takes would be nobody's", function()
    for _, verb in ipairs { "SELECT count(*) FROM bide.claim(ME, 1, 2::smallint, 9, 0, 9000000000)",
      "SELECT * FROM bide.sync(ME, '{}')" } do
      cluster:empty()
      cluster:submit()
      local me = cluster:enter()
      local release = cluster:hold(verb:gsub("ME", me), "wim")
      cluster:admin "UPDATE bide.worker SET lease = 1"
      assert.equal("0|0", cluster:sql("pia", "SELECT * FROM bide.reap(false)"), verb)
      release()
      assert.equal("1|0", cluster:sql("pia", "SELECT * FROM bide.reap(false)"), verb)
    end
  end)

  it("lets a commit wait for the disk where that cannot be made again, and only there", function()
    local function commits(role, call, setting)
      return cluster:sql(role, ("SET synchronous_commit = '%s'; BEGIN; SELECT FROM bide.%s; SHOW synchronous_commit")
        :format(setting, call)):match "%S+$"
    end
    local run = cluster:submit { waits = 3 }
    local me = cluster:enter()
    local id = cluster:claim(me, 1)[1]
    for _, call in ipairs { "beat(%s, 0, 0)", "claim(%s, 1, 2::smallint, 1, 0, 9000000)", "sync(%s, '{ID}')", "reap(true)",
      "settle(%s, true, '{ID}', '{1}', '{1}', '{1}', ARRAY['x'::bytea], '{NULL}', '{NULL}', '{NULL}')",
      "set_aside(%s, 1, 2::smallint)", "take_back(%s, 1)", "reserve(%s, 1, 'h', 1, 1, 1)", "give_back(%s, 1, 'h', 1, 1, 1)",
      "close_host(%s, 1, 'h', 1)" } do
      assert.equal("off", commits("wim", call:gsub("ID", id):format(me), "on"), call)
    end
    cluster:admin("UPDATE bide.turn SET due = 1, deadline = 1 WHERE worker IS NULL")
    for role, calls in pairs {
      wim = { "finish(%s, '{ID}', '{1}', '{x}', '{true}', '{NULL}')", "expire()", "once(%s, ID, 1, 'i', 't', '1', false, NULL)",
        "once_end(%s, ID, 1, 'i', 't', '1', true, NULL, NULL)" },
      ada = { "cancel(RUN)" },
    } do
      for _, call in ipairs(calls) do
        call = call:gsub("ID", id):gsub("RUN", run):format(me)
        for _, setting in ipairs { "off", "local", "remote_apply" } do
          assert.equal(setting == "remote_apply" and setting or "on", commits(role, call, setting), call)
        end
      end
    end
    local submission = cluster.submission():gsub("COMMIT", "SHOW synchronous_commit; COMMIT")
    assert.matches("\non$", cluster:sql("ada", "SET synchronous_commit = 'off';" .. submission))
    cluster:admin "UPDATE bide.meta SET timeline = '00000099'"
    assert.equal("on", commits("ada", "begin_submit('default')", "off"))
    cluster:sql("ada", "SELECT bide.begin_submit('default')")
  end)

  it("has tables that a million versions an hour do not bloat", function()
    assert.equal("staging||u\nturn|70 off 0 20000 0|p\nworker|50|p", cluster:admin([[SELECT c.relname,
        (SELECT string_agg(o.value, ' ' ORDER BY o.nth) FROM unnest(ARRAY['fillfactor', 'vacuum_truncate',
          'autovacuum_vacuum_scale_factor', 'autovacuum_vacuum_threshold', 'autovacuum_vacuum_cost_delay'])
          WITH ORDINALITY n(name, nth) JOIN LATERAL (SELECT option_value AS value, n.nth FROM pg_options_to_table(c.reloptions)
          WHERE option_name = n.name AND c.relname <> 'staging') o ON true), c.relpersistence
      FROM pg_class c WHERE c.oid IN ('bide.turn'::regclass, 'bide.worker'::regclass, 'bide.staging'::regclass) ORDER BY 1]]))
  end)

  it("finds turns whose worker is in no row", function()
    cluster:submit { waits = 3 }
    local me = cluster:enter()
    cluster:claim(me, 2)
    cluster:admin "DELETE FROM bide.worker"
    cluster:enter "pia"
    assert.equal("0|0", cluster:sql("pia", "SELECT * FROM bide.reap(false)"))
    assert.equal("0|2", cluster:sql("pia", "SELECT * FROM bide.reap(true)"))
  end)

  describe("a run", function()
    it("ends with its last wait, and counts", function()
      local run = cluster:submit { waits = 3, need = 2, rule = "go" }
      local me = cluster:enter()
      local ids = cluster:claim(me)
      finish(me, { ids[2] }, 3 - 2, false)
      assert.equal("2|0|1|0|", run_of(run, "open, succeeded, failed, cancelled, decided"))
      finish(me, { ids[3], ids[1] })
      assert.equal("0|2|1|0|success|t|1", run_of(run, "open, succeeded, failed, cancelled, outcome, ended = decided, attempts"))
      assert.equal("2:1 3:2 1:3",
        cluster:admin "SELECT string_agg(position || ':' || rank, ' ' ORDER BY rank) FROM bide.wait")
      assert.equal("0", cluster:admin "SELECT count(*) FROM bide.turn")
    end)

    it("is decided by enough successes; what is held is told, and its result refused", function()
      local run = cluster:submit { waits = 5, need = 1 }
      local me, other = cluster:enter(), cluster:enter "pia"
      local mine, theirs = cluster:claim(me, 2), cluster:claim(other, 2, { role = "pia" })
      assert.equal(tostring(mine[1]), finish(me, { mine[1] }))
      assert.equal("success||4", run_of(run, "outcome, ended, open"))
      assert.equal("", finish(other, theirs, 1, true, "pia"))
      assert.equal("0", wim("SELECT bide.clear(%s)", run))
      assert.equal("0|1|0|4|t", run_of(run, "open, succeeded, failed, cancelled, ended IS NOT NULL"))
      assert.equal("", wim("SELECT bide.clear(%s)", run))
      assert.equal("", finish(me, { mine[2] }))
      assert.equal(("{%d}"):format(mine[2]), wim("SELECT cancelled FROM bide.beat(%s, 0, 0)", me))
      assert.equal("{}", wim("SELECT cancelled FROM bide.beat(%s, 0, 0)", me))
      assert.equal(("{%d,%d}"):format(theirs[1], theirs[2]), cluster:sql("pia",
        ("SELECT ARRAY(SELECT unnest(cancelled) ORDER BY 1) FROM bide.beat(%s, 0, 0)"):format(other)))
      assert.equal('1,2,3,4,5', cluster:admin "SELECT string_agg(rank::text, ',' ORDER BY rank) FROM bide.wait")
      assert.equal('4', cluster:admin [[SELECT count(*) FROM bide.wait WHERE outcome = '"cancelled"']])
    end)

    it("is decided by a failure, unless it continues", function()
      for rule, decided in pairs { stop = "t", go = "f" } do
        local run = cluster:submit { waits = 3, need = 3, rule = rule }
        local me = cluster:enter()
        finish(me, { cluster:claim(me)[1] }, 1, false)
        assert.equal(decided, run_of(run, "decided IS NOT NULL"))
      end
    end)

    it("opens its waits in turn", function()
      local run = cluster:submit { waits = 5, jobs = 2, rule = "go" }
      local me = cluster:enter()
      local ids = cluster:claim(me)
      assert.equal(2, #ids)
      finish(me, ids)
      assert.equal("4", run_of(run, "opened"))
      ids = cluster:claim(me)
      assert.equal(2, #ids)
      finish(me, { ids[1] }, 1, false)
      finish(me, { ids[2] })
      finish(me, cluster:claim(me))
      assert.equal("0|4|1|5", run_of(run, "open, succeeded, failed, opened"))
    end)

    it("is cancelled by its owner, whatever its size", function()
      local run = cluster:submit { waits = 12001 }
      local me = cluster:enter()
      cluster:claim(me, 3)
      assert.equal("unknown", cluster:sql("bob", ("SELECT bide.cancel(%s)"):format(run)))
      assert.equal("cancelled", cluster:sql("ada", ("SELECT bide.cancel(%s)"):format(run)))
      assert.equal("ended", cluster:sql("ada", ("SELECT bide.cancel(%s)"):format(run)))
      local left = {}
      for _ = 1, 3 do left[#left + 1] = wim "SELECT bide.clear(NULL)" end
      assert.same({ "7001", "2001", "0" }, left)
      assert.equal("0|12001|t|failure", run_of(run, "open, cancelled, ended IS NOT NULL, outcome"))
      assert.equal("0|3", cluster:admin "SELECT (SELECT count(*) FROM bide.turn), (SELECT count(*) FROM bide.told)")
      assert.equal("12001", cluster:admin "SELECT count(*) FROM bide.wait WHERE rank BETWEEN 1 AND 12001 AND ended IS NOT NULL")
    end)

    it("is pruned once it has ended, with all its waits", function()
      local run = cluster:submit { waits = 5001 }
      assert.equal("open", cluster:sql("ada", ("SELECT bide.prune(%s)"):format(run)))
      assert.equal("unknown", cluster:sql("bob", ("SELECT bide.prune(%s)"):format(run)))
      cluster:admin "UPDATE bide.run SET ended = 1"
      assert.equal("more", cluster:sql("ada", ("SELECT bide.prune(%s)"):format(run)))
      assert.equal("pruned", cluster:sql("ada", ("SELECT bide.prune(%s)"):format(run)))
      assert.equal("0|0", cluster:admin "SELECT (SELECT count(*) FROM bide.run), (SELECT count(*) FROM bide.wait)")
    end)

    it("is the same for the same submit token and request", function()
      local run, created = cluster:submit { waits = 2, token = "T", digest = "aa" }
      assert.is_true(created)
      local again, created_again = cluster:submit { waits = 2, token = "T", digest = "aa" }
      assert.same({ run, false }, { again, created_again })
      local state = cluster:failure("ada", cluster.submission { waits = 2, token = "T", digest = "bb" })
      assert.equal("BD004", state)
      assert.not_equal(run, (cluster:submit { role = "bob", token = "T", digest = "bb" }))
      assert.equal("0|2", cluster:admin "SELECT (SELECT count(*) FROM bide.staging), (SELECT count(*) FROM bide.run)")
    end)
  end)

  it("ends waits that are over, aside or not, with their run", function()
    local run, taken = cluster:submit { waits = 2, rule = "go" }, cluster:submit { max_wait = 600000000 }
    assert.equal("0", wim "SELECT bide.expire()")
    cluster:admin([[UPDATE bide.turn SET due = 1, deadline = 1, attempts = 4
      WHERE id IN (SELECT id FROM bide.wait WHERE run = %s)]], run)
    cluster:admin "UPDATE bide.turn SET lane = 6, next = 1 WHERE id = (SELECT min(id) FROM bide.turn)"
    assert.equal("2", wim "SELECT bide.expire()")
    assert.equal("0|2|failure|4", run_of(run, "open, failed, outcome, attempts"))
    assert.equal('"maxWait"|2', cluster:admin("SELECT outcome, count(*) FROM bide.wait WHERE run = %s GROUP BY 1", run))
    assert.equal("1", run_of(taken, "open"))
  end)

  it("ends waits that are over, held or not yet opened", function()
    local run = cluster:submit { waits = 1200, rule = "go", jobs = 1 }
    local me = cluster:enter()
    local id = cluster:claim(me)[1]
    cluster:admin "UPDATE bide.turn SET deadline = 1; UPDATE bide.wait SET deadline = 1; UPDATE bide.run SET deadline = 1"
    local ended = {}
    for _ = 1, 5 do ended[#ended + 1] = wim "SELECT bide.expire()" end
    assert.same({ "1", "500", "500", "199", "0" }, ended)
    assert.equal("0|1200|failure", run_of(run, "open, failed, outcome"))
    assert.equal(("{%d}"):format(id), wim("SELECT cancelled FROM bide.beat(%s, 0, 0)", me))
    assert.equal("", settle(me, id, 1))
  end)

  it("sets aside what a worker refuses, and gives it back to one that takes it", function()
    cluster:submit { waits = 600 }
    local me, other = cluster:enter(), cluster:enter "pia"
    wim("SELECT bide.refuse(%s, %s)", me, cluster:admin "SELECT bundle FROM bide.definition WHERE id = 1")
    local dues = cluster:admin "SELECT min(due), max(due) FROM bide.turn"
    assert.equal("0", wim("SELECT bide.set_aside(%s, 1, 2::smallint)", me)) -- others may be about to take them
    cluster:admin "UPDATE bide.turn SET due = due - 6000000"
    assert.equal("500", wim("SELECT bide.set_aside(%s, 1, 2::smallint)", me))
    assert.equal("100", wim("SELECT bide.set_aside(%s, 1, 2::smallint)", me))
    assert.equal("0", wim("SELECT bide.set_aside(%s, 1, 2::smallint)", me))
    assert.equal("600", cluster:admin "SELECT count(*) FROM bide.turn WHERE lane = 6 AND due = deadline")
    assert.equal("0", wim("SELECT bide.take_back(%s, 1)", me))
    local taken = {}
    for _ = 1, 4 do taken[#taken + 1] = cluster:sql("pia", ("SELECT bide.take_back(%s, 1)"):format(other)) end
    assert.same({ "500", "100", "0", "0" }, taken)
    assert.equal("0", cluster:admin "SELECT count(*) FROM bide.aside")
    assert.equal(dues,
      cluster:admin "SELECT min(due) + 6000000, max(due) + 6000000 FROM bide.turn WHERE lane = 2 AND next IS NULL")
  end)

  it("gives a wait that ends its process a strike, and releases the turns of that worker", function()
    cluster:submit { waits = 3 }
    for strike = 1, 3 do
      local old = cluster:enter()
      local ids = cluster:claim(old)
      local me = cluster:enter()
      assert.equal(strike .. "|1", wim("SELECT strikes, position FROM bide.strike(%s, %s, %d, 'signal %d')", me, old, ids[1],
        strike))
      assert.equal("", turn(ids[1], "worker"))
      assert.equal("", turn(ids[2], "worker"))
      assert.equal("0", cluster:admin("SELECT count(*) FROM bide.worker WHERE id = %s", old))
    end
    assert.equal('["signal 1","signal 2","signal 3"]', cluster:admin "SELECT error FROM bide.wait WHERE error IS NOT NULL")
  end)

  it("releases what others shall take at once as due now, since claims between sweeps look 0.5 s back", function()
    for _, ending in ipairs { "bide.leave(OLD)", "bide.strike(ME, OLD, 0, 'x')" } do
      cluster:empty()
      cluster:submit()
      local old, me = cluster:enter(), cluster:enter()
      cluster:claim(old)
      cluster:admin "UPDATE bide.turn SET due = due - 9000000"
      assert.equal("1", wim((("SELECT FROM %s; SELECT count(*) FROM bide.claim(ME, 1, 2::smallint, 9, 0, 500000)"):format(ending)
        :gsub("OLD", old):gsub("ME", me))):match "%d+$", ending)
    end
  end)

  it("keeps the first 10 attempts of each wait of a run of more than 1,000, unless it keeps all or none", function()
    for _, case in ipairs { { 1000, 1, "" }, { 1001, 1, "10" }, { 1001, 2, "" }, { 1001, 0, "0" }, { 1, 0, "0" } } do
      cluster:empty()
      cluster:sql("ada", (cluster.submission({ waits = case[1] }):gsub("2::smallint, NULL", case[2] .. "::smallint, NULL")))
      local claim = "SELECT keeps FROM bide.claim(%s, 1, 2::smallint, 1, 1000000, 9000000)"
      assert.equal(case[3], wim(claim, cluster:enter()), case[1])
    end
  end)

  it("keeps 1,000 letters of a reason", function()
    cluster:submit()
    local old, me = cluster:enter(), cluster:enter()
    wim("SELECT bide.strike(%s, %s, %d, repeat('x', 5000))", me, old, cluster:claim(old)[1])
    assert.equal("1004", cluster:admin "SELECT length(error) FROM bide.wait")
  end)

  it("forgets strikes with an attempt that ends", function()
    cluster:submit()
    local old, me = cluster:enter(), cluster:enter()
    local id = cluster:claim(old)[1]
    wim("SELECT bide.strike(%s, %s, %d, 'signal 6')", me, old, id)
    cluster:claim(me)
    settle(me, id, 1, { error = "''" })
    assert.equal("0", turn(id, "strikes"))
  end)

  describe("the pace of a host", function()
    local me

    before_each(function() me = cluster:enter() end)

    local function reserve(gap, burst, n)
      return wim("SELECT granted, first - clock, free, gap FROM bide.reserve(%s, 1, 'https://h:443', %d, %d, %d)", me, gap,
        burst, n)
    end

    it("grants a burst, then a request a gap, and at most one second ahead", function()
      local granted, first = reserve(100000, 3, 2):match "^(%d+)|(-?%d+)"
      assert.equal("2", granted)
      assert.is_true(math.tointeger(first) <= 0)
      assert.is_true(math.tointeger(reserve(100000, 3, 100):match "^%d+") <= 14)
      local before = math.tointeger(cluster:admin "SELECT bide.clock()")
      reserve(100000, 3, 100)
      local again = math.tointeger(reserve(100000, 3, 100):match "^%d+")
      assert.is_true(again <= (math.tointeger(cluster:admin "SELECT bide.clock()") - before) // 100000 + 1)
    end)

    it("is that of the slowest worker, for 60 s", function()
      reserve(100000, 1, 1)
      assert.equal("100000", reserve(10, 1, 1):match "%d+$")
      cluster:admin "UPDATE bide.pace SET used = used - 61000000"
      assert.equal("10", reserve(10, 1, 1):match "%d+$")
    end)

    it("takes back what nobody has passed", function()
      local free = reserve(100000, 1, 3):match "|(%d+)|%d+$"
      assert.equal("t", wim("SELECT bide.give_back(%s, 1, 'https://h:443', 2, %s, 100000)", me, free))
      assert.equal("f", wim("SELECT bide.give_back(%s, 1, 'https://h:443', 1, %s, 100000)", me, free))
    end)

    it("is closed for all, for ten minutes at most", function()
      wim("SELECT bide.close_host(%s, 1, 'https://h:443', 86400000000)", me)
      assert.equal("0", reserve(1, 9, 9):match "^%d+")
      assert.equal("https://h:443|t|t", cluster:sql("pia", ([[SELECT host, closed_until - clock > 590000000,
        closed_until - clock <= 600000000 FROM bide.closed_hosts(%s, 1)]]):format(cluster:enter "pia")))
    end)
  end)

  describe("a request that is made once", function()
    local function once(role, me, id, parameters, options)
      options = options or {}
      return cluster:sql(role, ("SELECT answer, parameters, result FROM bide.once(%s, %d, 1, 'i', 't', '%s', %s, %s)")
        :format(me, id, parameters, tostring(options.anew or false), options.known and "'" .. options.known .. "'" or "NULL"))
    end

    local function record(role, me, id, result, done, retain, late)
      return cluster:sql(role, ("SELECT bide.once_end(%s, %d, 1, 'i', 't', %s, %s, %s, %s)"):format(me, id,
        result and "'" .. result .. "'" or "NULL", tostring(done), retain or "NULL", late or "NULL"))
    end

    it("is one attempt's, until that worker is gone", function()
      cluster:submit { waits = 2 }
      local me, other = cluster:enter(), cluster:enter "pia"
      local mine, theirs = cluster:claim(me, 1)[1], cluster:claim(other, 1, { role = "pia" })[1]
      assert.equal("mine||", once("wim", me, mine, "[1]"))
      assert.equal("theirs|[1]|", once("pia", other, theirs, "[1]"))
      cluster:admin("UPDATE bide.worker SET lease = 1 WHERE id = %s", me)
      assert.equal("ask|[1]|", once("pia", other, theirs, "[1 ]"))
      assert.equal("mine||", once("pia", other, theirs, "[1 ]", { known = "[1]" }))
      assert.equal("t", record("pia", other, theirs, '{"id":4}', true, 60000000))
      assert.equal("f", record("pia", other, theirs, '{"id":5}', true))
      assert.equal('made|[1 ]|{"id":4}', once("pia", other, theirs, "[1]"))
      assert.equal("BD001", (cluster:failure("wim",
        ("SELECT * FROM bide.once(%s, %d, 1, 'i', 't', '[1]', false, NULL)"):format(me, mine))))
    end)

    it("leaves a tombstone, is released, and freed", function()
      cluster:submit()
      local me = cluster:enter()
      local id = cluster:claim(me)[1]
      once("wim", me, id, "[1]")
      assert.equal("t", record("wim", me, id, nil, false))
      assert.equal("mine||", once("wim", me, id, "[1]"))
      record("wim", me, id, "{}", true, 1, 60000000)
      assert.equal("late|[1]|", once("wim", me, id, "[2]"))
      assert.equal("mine||", once("wim", me, id, "[2]", { anew = true }))
      assert.equal("t", record("wim", me, id, nil, true))
      assert.equal("0", cluster:admin "SELECT count(*) FROM bide.request")
    end)

    it("is that of the owner of the run alone", function()
      local me = cluster:enter()
      for _, role in ipairs { "ada", "bob" } do
        cluster:submit { role = role }
        local id = cluster:claim(me)[1]
        assert.equal("mine||", once("wim", me, id, "[1]"))
        record("wim", me, id, ('{"for":"%s"}'):format(role), true)
        assert.equal(('made|[1]|{"for":"%s"}'):format(role), once("wim", me, id, "[1]"))
      end
    end)

    it("is recorded by the attempt that made it alone", function()
      cluster:submit { waits = 2 }
      local me = cluster:enter()
      local ids = cluster:claim(me)
      once("wim", me, ids[1], "[1]")
      for _, of in ipairs { ids[1] .. ", 2", ids[2] .. ", 1" } do
        for _, done in ipairs { "'{}', true", "NULL, true", "NULL, false" } do
          assert.equal("f", wim("SELECT bide.once_end(%s, %s, 'i', 't', %s, NULL, NULL)", me, of, done))
        end
      end
      assert.equal("t", record("wim", me, ids[1], "{}", true))
    end)

    it("needs a wait that the worker has claimed", function()
      cluster:submit()
      local me = cluster:enter()
      local id = cluster:admin "SELECT id FROM bide.turn"
      assert.equal("BD006", (cluster:failure("wim",
        ("SELECT * FROM bide.once(%s, %s, 1, 'i', 't', '[1]', false, NULL)"):format(me, id))))
    end)
  end)

  it("refuses what is out of its bounds, and writes nothing", function()
    local bad = {
      { "is below 100 µs for each", { waits = 20, max_wait = 1999 } },
      { "at most 366 days", { max_wait = 366 * DAY + 1 } }, { "above 0", { max_wait = 0 } },
      { "at least 0", { delay = 366 * DAY + 1 } }, { "at least 0", { delay = -1 } },
      { "out of range", { need = 2 } }, { "out of range", { need = 0 } }, { "out of range", { jobs = 0 } },
      { "out of range", { lane = 4 } }, { "out of range", { lane = 0 } },
    }
    for _, case in ipairs(bad) do
      local state, message = cluster:failure("ada", cluster.submission(case[2]))
      assert.equal("BD005", state)
      assert.matches(case[1], message, 1, true)
    end
    for values, state in pairs {
      ["(2, 1, 1000, '{}')"] = "BD005", ["(1, 2, 1000, '{}')"] = "BD005", ["(1, 1, 1000, repeat('x', 262145))"] = "BD005",
      ["(1, 1, 1000, '{}'), (1, 1, 1000, '{}'), (3, 1, 1000, '{}')"] = "23505", [false] = "BD005",
    } do
      local insertion = values and "INSERT INTO bide.staging (position, definition, max_wait, input) VALUES " .. values or ""
      local found = cluster:failure("ada", "BEGIN; " .. insertion .. [[; SELECT bide.submit('default', 2::smallint, 'stop', 1,
        NULL, 7, '{}', 2::smallint, NULL, NULL, ARRAY[bide.put_definition(bide.put_bundle('m', '', NULL), 'W', '{}')]);
        COMMIT;]])
      assert.equal(state, found, tostring(values))
    end
    for _, call in ipairs { "put_bundle('m', repeat('x', 1048577)::bytea, NULL)", "put_bundle(repeat('m', 65537), '', NULL)",
      "put_bundle('m', '', repeat('s', 65537))", "put_definition(bide.put_bundle('m', '', NULL), repeat('W', 1025), '{}')",
      "put_definition(bide.put_bundle('m', '', NULL), 'W', repeat('x', 262145))" } do
      assert.equal("BD005", (cluster:failure("ada", "SELECT bide." .. call)), call)
    end
    for _, change in ipairs { { "'t' || i", "repeat('t', 1025)" }, { "'{}', 2::smallint", "repeat('x', 1048577), 2::smallint" },
      { "2::smallint, NULL", "3::smallint, NULL" }, { "2::smallint, NULL", "2::smallint, repeat('t', 1025)" },
      { "', '{}')])", "', '{}')], 10000001)" } } do
      local text = cluster.submission()
      local first, last = text:find(change[1], text:find "FROM bide.submit" and 1, true)
      assert.is_truthy(first, change[1])
      local state = cluster:failure("ada", text:sub(1, first - 1) .. change[2] .. text:sub(last + 1))
      assert.equal("BD005", state, change[2])
    end
    assert.equal("0|0", cluster:admin "SELECT (SELECT count(*) FROM bide.run), (SELECT count(*) FROM bide.staging)")
  end)

  it("says with the end of a wait whether others of its run are to be cleared", function()
    for waits, rest in pairs { [1] = "f", [2] = "f", [3] = "t" } do
      cluster:empty()
      cluster:submit { waits = waits, need = waits == 2 and 2 or 1 }
      local me = cluster:enter()
      local id = cluster:claim(me)[1]
      assert.equal(rest, wim("SELECT decided FROM bide.finish(%s, '{%d}', '{1}', '{\"{}\"}', '{true}', '{NULL}')", me, id))
    end
  end)

  it("lets no turn be due after its deadline", function()
    cluster:submit { waits = 2 }
    local me = cluster:enter()
    local ids = cluster:claim(me)
    wim([[SELECT bide.settle(%s, false, ARRAY[%d, %d], ARRAY[1, 1], ARRAY[9223372036854775807, -9223372036854775808],
      ARRAY[1, 1]::smallint[], ARRAY['a', 'b']::bytea[], NULL, NULL, NULL)]], me, ids[1], ids[2])
    assert.equal("t|f\nf|t", cluster:admin "SELECT due = deadline, due = 0 FROM bide.turn ORDER BY id")
  end)

  it("takes what a worker says of itself, and of hosts, only as far as others have room for it", function()
    assert.equal("BD005", (cluster:failure("wim",
      "SELECT bide.enter(repeat('x', 1025), 'trusted', '1', 'h', 1, '{default}', 10, '{0,1}')")))
    local me = cluster:enter()
    for _, call in ipairs { "reserve(%s, 1, repeat('h', 1025), 1, 1, 1)", "close_host(%s, 1, repeat('h', 1025), 1)",
      "reserve(%s, 1, 'h', 31622400000001, 1, 1)", "reserve(%s, 1, 'h', NULL, 1, 1)", "reserve(%s, 1, 'h', 1, 1, NULL)" } do
      assert.equal("BD005", (cluster:failure("wim", "SELECT bide." .. call:format(me))), call)
    end
  end)

  it("claims a row without its documents that no reader has room for", function()
    cluster:submit { waits = 5 }
    for position, column in ipairs { "input", "output", "error", "token" } do
      cluster:admin("UPDATE bide.wait SET %s = repeat('x', 5000000) WHERE position = %d", column, position)
    end
    cluster:admin [[UPDATE bide.turn SET state = convert_to(repeat('x', 5000000), 'UTF8')
      WHERE id = (SELECT max(id) FROM bide.turn)]]
    local me, text = cluster:enter(), {}
    for _ = 1, 5 do
      text[#text + 1] = wim([[SELECT octet_length(input), octet_length(state),
        coalesce(octet_length(concat(token, output, error)), 0) FROM bide.claim(%s, 1, 2::smallint, 9, 0, 9000000000)]], me)
    end
    assert.equal(("0|0|0\n"):rep(5), table.concat(text, "\n") .. "\n")
  end)

  describe("maintenance", function()
    it("lets waits end whose broken turns nobody finds, and that have none", function()
      local broken = { "due = 1::bigint << 62", "deadline = 1::bigint << 62, due = 1::bigint << 62", "lane = 0", "lane = 4",
        "lane = -8", "lane = 99", "queue = 99" }
      cluster:submit { waits = #broken, need = #broken, rule = "go" }
      for position, change in ipairs(broken) do
        cluster:admin("UPDATE bide.turn SET %s WHERE id = (SELECT id FROM bide.wait WHERE position = %d)", change, position)
      end
      cluster:submit { waits = 3, need = 3, rule = "go" }
      cluster:admin "DELETE FROM bide.turn t USING bide.wait w, bide.run r WHERE w.id = t.id AND r.id = w.run AND r.waits = 3"
      cluster:submit()
      wim "SELECT * FROM bide.maintain(false)"
      assert.equal("0", wim "SELECT bide.expire()")
      cluster:admin "UPDATE bide.run SET deadline = bide.clock() - 61000000 WHERE waits > 1; UPDATE bide.meta SET maintained = 0"
      wim "SELECT * FROM bide.maintain(false)"
      assert.equal(#broken, math.tointeger(wim "SELECT bide.expire()"))
      wim "SELECT bide.clear(NULL)"
      assert.equal(("1|1|\n3|0|failure\n%d|0|failure"):format(#broken),
        cluster:admin "SELECT waits, open, CASE WHEN ended IS NOT NULL THEN outcome END FROM bide.run ORDER BY waits")
      assert.equal("1", cluster:admin "SELECT count(*) FROM bide.turn")
    end)

    local function maintain(again) return wim("SELECT runs, more FROM bide.maintain(%s)", tostring(again or false)) end

    it("is one worker's in an hour", function()
      cluster:submit()
      assert.equal("0|f", maintain())
      cluster:admin "UPDATE bide.run SET ended = 1"
      assert.equal("0|f", maintain())
      cluster:admin "UPDATE bide.meta SET maintained = maintained - 3600000000"
      assert.equal("1|t", maintain())
      assert.equal("0|f", maintain(true))
      assert.equal("0|0", cluster:admin "SELECT (SELECT count(*) FROM bide.run), (SELECT count(*) FROM bide.wait)")
    end)

    it("keeps runs that have ended within `retain`", function()
      cluster:submit()
      cluster:admin "UPDATE bide.run SET ended = bide.clock() - (SELECT value FROM bide.setting WHERE name = 'retain') + 60000000"
      assert.equal("0|f", maintain())
      assert.equal("1", cluster:admin "SELECT count(*) FROM bide.run")
    end)

    it("deletes rows of staging whose transaction has ended without a run", function()
      cluster:sql("ada", "INSERT INTO bide.staging (position, definition, max_wait, input) VALUES (1, 1, 1000, '{}')")
      assert.equal("1", cluster:admin "SELECT count(*) FROM bide.staging")
      maintain()
      assert.equal("0", cluster:admin "SELECT count(*) FROM bide.staging")
    end)

    it("keeps a bundle that a submission may be about to use", function()
      cluster:sql("ada", "SELECT bide.put_bundle('m', '', NULL)")
      cluster:admin "UPDATE bide.definition SET used = 1"
      maintain()
      assert.equal("1", cluster:admin "SELECT count(*) FROM bide.bundle WHERE manifest = 'm'")
    end)

    it("deletes requests that are retained no longer, and the paces of hosts that are asked no more", function()
      cluster:admin [[INSERT INTO bide.request (owner, identity, token, parameters, began, ended, retain, late) VALUES
          ('ada', 'i', 'gone', '1', 1, 1, 1, 1), ('ada', 'i', 'for ever', '1', 1, 1, NULL, NULL),
          ('ada', 'i', 'late', '1', 1, 1, 1, bide.clock() + 9000000), ('ada', 'i', 'running', '1', 1, NULL, NULL, NULL);
        INSERT INTO bide.pace VALUES (1, 'gone', 1, 1, 1, 1, 1), (1, 'closed', 1, 1, 1, bide.clock() + 9000000, 1),
          (1, 'used', 1, 1, 1, 1, bide.clock())]]
      maintain()
      assert.equal("for ever late running", cluster:admin "SELECT string_agg(token, ' ' ORDER BY token) FROM bide.request")
      assert.equal("closed used", cluster:admin "SELECT string_agg(host, ' ' ORDER BY host) FROM bide.pace")
    end)

    it("drops partitions after `history`, and leaves one that is locked for the next time", function()
      cluster:admin [[CREATE TABLE bide.attempt_100 PARTITION OF bide.attempt
          FOR VALUES FROM (100 * 86400000000) TO (101 * 86400000000);
        ALTER TABLE bide.attempt_100 OWNER TO bide_owner; INSERT INTO bide.attempt VALUES (1, 1, 100 * 86400000000, '{}')]]
      local function exists() return cluster:admin "SELECT to_regclass('bide.attempt_100') IS NOT NULL" end
      local release = cluster:hold "SELECT count(*) FROM bide.attempt_100"
      local before = uv.hrtime()
      maintain()
      assert.is_true(uv.hrtime() - before < 3e9, "it waited for the lock")
      assert.equal("t", exists())
      release()
      cluster:admin "UPDATE bide.meta SET maintained = 0"
      maintain()
      assert.equal("f", exists())
    end)

    it("keeps the partitions of days of which a part is within `history`", function()
      local today = math.tointeger(cluster:admin "SELECT bide.clock() / 86400000000")
      for day = today - 2, today - 1 do
        cluster:admin([[CREATE TABLE bide.attempt_%d PARTITION OF bide.attempt FOR VALUES FROM (%d) TO (%d);
          ALTER TABLE bide.attempt_%d OWNER TO bide_owner]], day, day * DAY, (day + 1) * DAY, day)
      end
      maintain()
      assert.equal("f|t", cluster:admin([[SELECT to_regclass('bide.attempt_%d') IS NOT NULL,
        to_regclass('bide.attempt_%d') IS NOT NULL]], today - 2, today - 1))
      cluster:admin("DROP TABLE bide.attempt_%d", today - 1)
    end)

    it("deletes definitions and bundles of no run", function()
      cluster:submit { bundle = "old" }
      cluster:admin "UPDATE bide.definition SET used = 1; UPDATE bide.bundle SET made = 1"
      maintain()
      assert.equal("1|1", cluster:admin "SELECT (SELECT count(*) FROM bide.definition), (SELECT count(*) FROM bide.bundle)")
      cluster:empty()
      cluster:admin "UPDATE bide.definition SET used = 1"
      maintain()
      assert.equal("0|0", cluster:admin "SELECT (SELECT count(*) FROM bide.definition), (SELECT count(*) FROM bide.bundle)")
    end)
  end)

  it("jumps its sequences after a failover, once", function()
    local before = math.tointeger(cluster:submit())
    cluster:admin "UPDATE bide.meta SET timeline = '00000099'"
    cluster:sql("ada", "SELECT bide.begin_submit('default')")
    cluster:sql("ada", "SELECT bide.begin_submit('default')")
    local after = math.tointeger(cluster:submit())
    assert.is_true(after - before > 1 << 25 and after - before < 1 << 26)
    assert.equal("t", cluster:admin "SELECT max(id) - min(id) > 1 << 25 FROM bide.wait")
  end)

  it("lets turns be claimed for half of a lease ahead at most", function()
    assert.equal("1000000", wim "SELECT ahead FROM bide.about()")
    cluster:admin "UPDATE bide.setting SET value = 1800000 WHERE name = 'lease'"
    assert.equal("900000", wim "SELECT ahead FROM bide.about()")
    cluster:admin "UPDATE bide.setting SET value = 10000000 WHERE name = 'lease'"
  end)

  it("puts the cell into the ids", function()
    cluster:admin "UPDATE bide.meta SET cell = 1023"
    local run = math.tointeger(cluster:submit())
    cluster:admin "UPDATE bide.meta SET cell = 0"
    assert.equal(1023, run >> 43)
    assert.is_true(run < 1 << 53)
  end)

  it("puts the new number into an id, if the cell gets it meanwhile", function()
    local function await_lock(is_granted)
      local found = ("SELECT count(*) FROM pg_locks WHERE relation = 'bide.run'::regclass AND mode = '%s' AND granted = %s")
        :format(is_granted and "ShareLock" or "RowExclusiveLock", tostring(is_granted))
      while cluster:admin(found) == "0" do uv.sleep(10) end
    end
    local setting = process.start(cluster:client "postgres", { tool = true, cwd = "/", keeps_stdin = true })
    setting.pipes[1]:write "BEGIN; LOCK TABLE bide.run IN SHARE MODE; UPDATE bide.meta SET cell = 9;\n"
    await_lock(true)
    local submission = process.start(cluster:client "ada", { tool = true, stdin = Cluster.submission(), cwd = "/" })
    await_lock(false)
    setting.pipes[1]:write "COMMIT;\n"
    setting.pipes[1]:close()
    assert.equal(0, setting:wait().code)
    local run = math.tointeger(tonumber(submission:wait().stdout:match "^%d+"))
    cluster:admin "UPDATE bide.meta SET cell = 0"
    assert.equal(9, run >> 43)
  end)

  it("says how late a queue is", function()
    assert.equal("0", wim "SELECT bide.lag('default')")
    cluster:submit()
    cluster:admin "UPDATE bide.turn SET due = due - 7000000"
    assert.equal("t", wim "SELECT bide.lag('default') BETWEEN 7 AND 60")
  end)

  it("shows each role its own runs, and the workers of its queues", function()
    cluster:submit { waits = 2 }
    local me = cluster:enter()
    settle(me, cluster:claim(me, 1)[1], 1, { due = 5, entry = [['{"attempt":1}']] })
    assert.equal("default|2|Ready|a.lua|1", cluster:sql("ada", "SELECT queue, waits, waiter, recipe, workers FROM bide.runs"))
    assert.equal('1|1|5|t\n2|0||', cluster:sql("ada", [[SELECT position, attempts, CASE WHEN attempts = 1 THEN due END,
      CASE WHEN attempts = 1 THEN worker IS NULL END FROM bide.waits ORDER BY position]]))
    assert.equal('1|{"attempt":1}', cluster:sql("ada", "SELECT position, entry FROM bide.attempts"))
    assert.equal("w|{default}", cluster:sql("ada", "SELECT name, queues FROM bide.workers"))
    assert.equal("default|1|2|2", cluster:sql("ada", "SELECT name, workers, open, due FROM bide.queues"))
    for _, view in ipairs { "runs", "waits", "attempts" } do
      assert.equal("0", cluster:sql("bob", "SELECT count(*) FROM bide." .. view))
    end
  end)
end)
