---Cells: several databases as one store, by --store repeated. Each run is in one of them for life.

local Cluster = require "spec.support.store_cluster"
local Proxy = require "spec.support.proxy"
local Workspace = require "spec.support.workspace"
local cell = require "bide.record.store.cell"
local json = require("bide.core").json
local process = require "spec.support.process"
local uv = require "luv"

local cluster = Cluster.of_block("host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
  "password_encryption=scram-sha-256")
if not cluster then return end

local recipe = [[
return { Look = {
  input = { state = { type = "string" } },
  call = function(input) return { state = input.state or "done" } end,
  waitable = { Seen = { minDelay = 0.05, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

---The numbers of the cells; each is a database of the name.
local NUMBERS = { 0, 3, 1023 }

---A server that is away.
local AWAY = "postgres://ada@127.0.0.1:1/x?cell=7"

local function database_of(number) return "cell" .. number end

local function url(number, role, port)
  return ("postgres://%s@127.0.0.1:%d/%s?cell=%d"):format(role or "ada", port or cluster.port, database_of(number), number)
end

local function sql(number, text)
  local done = process.run(cluster:client("postgres", database_of(number)), { tool = true, stdin = text, cwd = "/" })
  assert.equal(0, done.code, done.stderr)
  return (done.stdout:gsub("\n$", ""))
end

describe("cells", function()
  local workspace = Workspace.of_each { ["look.lua"] = recipe }

  local function split(words)
    local list = {}
    for word in words:gmatch "%S+" do list[#list + 1] = word end
    return list
  end

  local function bide(words, options) return workspace:bide(split(words), options) end

  local function start(words)
    local started = workspace:start(split(words))
    started:hold_loop(false)
    return started
  end

  ---Returns the words `--store URL` of cells, in this order.
  local function stores(...)
    local words = {}
    for position, one in ipairs(select("#", ...) > 0 and { ... } or NUMBERS) do
      words[position] = "--store " .. (math.type(one) and url(one) or one)
    end
    return table.concat(words, " ")
  end

  setup(function()
    cluster:sql("postgres", "CREATE ROLE ada LOGIN; CREATE ROLE wim LOGIN; CREATE ROLE locked LOGIN PASSWORD 'sesame'")
    local administrator = Workspace.make()
    for _, number in ipairs(NUMBERS) do
      cluster:sql("postgres", "CREATE DATABASE " .. database_of(number))
      for _, words in ipairs { "init", "grant ada --submit --work", "grant locked --submit", "grant wim --work" } do
        administrator:bide(split(("store %s --store %s"):format(words, url(number, "postgres")))):ends(0)
      end
    end
    administrator:remove()
  end)
  before_each(function()
    for _, number in ipairs(NUMBERS) do sql(number, "TRUNCATE bide.run, bide.wait, bide.turn, bide.attempt, bide.worker") end
  end)

  ---Submits a run, and returns its number.
  local function submit(words)
    local done = bide("submit look.lua --max-wait 1h " .. words)
    assert.equal(0, done.code, done.stderr)
    return assert(math.tointeger(tonumber(done.stdout))), done
  end

  ---Returns how many runs each cell has.
  local function counts()
    local list = {}
    for position, number in ipairs(NUMBERS) do
      list[position] = tonumber(sql(number, ("SELECT count(*) FROM bide.run WHERE id >> 43 = %d"):format(number)))
    end
    return list
  end

  ---Returns a submit token whose run goes to a cell of some.
  local function token_of(wanted, numbers)
    local list = {}
    for position, number in ipairs(numbers) do list[position] = { cell = number } end
    for count = 1, 1000 do
      if cell.ordered(list, "t" .. count)[1].cell == wanted then return "t" .. count end
    end
  end

  it("each get some of the runs, which are there whole", function()
    workspace:write("script.lua", [[
      local bide = require "bide"
      local seen = assert(bide.load "look.lua").Seen
      local store <close> = assert(bide.store.open { table.unpack(arg) })
      local function new() return seen:prepare({}, { maxWait = 60 }) end
      for _ = 1, 40 do print((assert(store:submit { new(), new() }))) end]])
    local done = workspace:bide { "exec", "script.lua", url(1023), url(0), url(3) }
    assert.equal(0, done.code, done.stderr)
    local found = counts()
    assert.equal(40, found[1] + found[2] + found[3])
    for position, number in ipairs(NUMBERS) do
      assert.is_true(found[position] > 0)
      assert.equal(tostring(2 * found[position]), sql(number, "SELECT count(*) FROM bide.wait WHERE id >> 43 = " .. number))
      for id in sql(number, "SELECT id FROM bide.run"):gmatch "%d+" do assert.matches("\n" .. id .. "\n", "\n" .. done.stdout) end
    end
  end)

  it("have the run of a submit token once, in whatever order they are named", function()
    local used = {}
    for count = 1, 12 do
      local words = ("--submit-token T%d "):format(count)
      local run = submit(words .. stores(0, 3, 1023))
      assert.equal(run, submit(words .. stores(1023, 3, 0)))
      used[cell.of_run(run)] = true
    end
    local found = counts()
    assert.equal(12, found[1] + found[2] + found[3])
    assert.is_true(used[0] and used[3] and used[1023])
    bide("submit look.lua state=x --max-wait 1h --submit-token T1 " .. stores()):says(2, "IdempotentParameterMismatch")
  end)

  it("have the run of a submit token where it was before there were more of them", function()
    for count = 1, 4 do
      local words = ("--submit-token T%d "):format(count)
      local run = submit(words .. stores(3))
      assert.equal(run, submit(words .. stores(0, 3)))
      assert.equal(run, submit(words .. stores()))
    end
    assert.same({ 0, 4, 0 }, counts())
  end)

  it("pass over one that is away, but not with a submit token, whose run it may have", function()
    local last
    for _ = 1, 8 do
      local run, done = submit(stores(AWAY, 3))
      assert.equal(3, cell.of_run(run))
      last = done.stderr ~= "" and done.stderr or last
    end
    assert.matches("^bide: warning: postgres://ada@127.0.0.1:1/x%?cell=7: the store cannot be reached: [^\n]*; another cell "
      .. "is tried\n$", last)
    for _, number in ipairs { 7, 3 } do
      bide(("submit look.lua --max-wait 1h --submit-token %s %s"):format(token_of(number, { 7, 3 }), stores(3, AWAY)))
        :says(2, "every cell is asked whether it has the run of the submit token")
    end
    bide("submit look.lua --max-wait 1h " .. stores(AWAY, "postgres://ada@127.0.0.1:1/y?cell=8")):says(2, "cannot be reached")
    assert.same({ 0, 8, 0 }, counts())
  end)

  it("have their runs watched, shown and ended by their numbers, also beside a cell that is away", function()
    local of = {}
    for position, number in ipairs(NUMBERS) do of[position] = ("%d"):format(submit(stores(number))) end
    local all = stores(AWAY, 1023, 0, 3)
    bide(("jobs cancel %s %s %s %s"):format(of[1], of[3], of[2], all)):ends(0)
    for _, run in ipairs(of) do
      local shown = bide(("jobs show %s %s"):format(run, all))
      assert.equal(math.tointeger(tonumber(run)), assert(json.decode(shown.stdout)).run)
      assert.equal(143, bide(("watch %s %s"):format(run, all)).code)
    end
    bide(("jobs cancel %s %s"):format(of[3], all)):says(1, ("run %s had ended"):format(of[3]))
    for _, words in ipairs { "watch", "jobs show", "jobs cancel", "jobs prune" } do
      local done = bide(("%s %s %s"):format(words, of[2], stores(1023, 0)))
      done:says(2, ("run %s is in cell 3, and the cell of the store is 0 or 1023"):format(of[2]))
    end
    bide(("jobs prune %s %s %s"):format(of[1], of[2], stores(1023, 0))):says(2, "is in cell 3")
    bide(("watch %s --store %s"):format(of[2], url(0))):says(2, "is in cell 3, and the cell of the store is 0")
    bide(("watch %d %s"):format(1 << 53, all)):says(2, "is in cell 1024, and the cell")
    bide(("watch %d %s"):format((3 << 43) + 999, all)):says(2, "expected the number of a run of the store")
    assert.same({ 1, 1, 1 }, counts())
    bide(("jobs prune %s %s %s %s"):format(of[1], of[2], of[3], all)):ends(0)
    assert.same({ 0, 0, 0 }, counts())
  end)

  it("are listed together, and not at all if one is away", function()
    local runs = {}
    for _, number in ipairs { 1023, 0, 3, 0 } do runs[#runs + 1] = submit(stores(number)) end
    table.sort(runs)
    local function listed(words)
      local found = {}
      local done = bide(("jobs list --output json %s %s"):format(words, stores(3, 1023, 0)))
      assert.equal(0, done.code, done.stderr)
      for position, row in ipairs(assert(json.decode(done.stdout)).runs) do found[position] = row.run end
      return found
    end
    assert.same(runs, listed "")
    assert.same({ table.unpack(runs, 1, 3) }, listed "--limit 3")
    assert.same({ runs[3] }, listed("--limit 1 --after " .. runs[2]))
    assert.same({ table.unpack(runs, 3) }, listed("--after " .. runs[2]))
    local text = bide("jobs " .. stores()).stdout
    for line in text:gmatch "[^\n]+" do assert.equal(19, line:find "state" or line:find "open", line) end
    for _, words in ipairs { "jobs list", "workers" } do
      local done = bide(words .. " " .. stores(0, AWAY, 3))
      done:says(2, "postgres://ada@127.0.0.1:1/x?cell=7: the store cannot be reached")
      assert.equal("", done.stdout)
    end
    bide("jobs list --queue nope " .. stores()):says(2, "cell=0: the queue nope: unknown queue")
  end)

  it("have workers of their own, which are listed together", function()
    for _, words in ipairs { "worker", "store check", "store init", "store grant ada --work", "store migrate", "store set" } do
      bide(words .. " " .. stores()):says(2, ("bide %s takes one store, and 3 are given"):format(words:match "%l+"))
    end
    submit(stores(1023))
    local worker = start("worker --quiet --store " .. url(3, "wim"))
    while sql(3, "SELECT count(*) FROM bide.worker") == "0" do end
    local done = bide("workers --output json " .. stores())
    assert.equal(1, done.code)
    assert.matches("no worker serves the queue default of cell 1023, which has 1 wait that is due", done.stderr, 1, true)
    local found = assert(json.decode(done.stdout)).workers
    assert.same({ 1, 3 }, { #found, found[1].cell })
    assert.matches("lease  cell\n", bide("workers " .. stores()).stdout, 1, true)
    worker:stop()
  end)

  it("let a command submit to one, work there and follow its run", function()
    for _ = 1, 3 do
      local done = bide(("run look.lua --max-wait 30s --work --quiet %s -- echo done"):format(stores(AWAY, 1023, 3)))
      assert.equal(0, done.code, done.stderr)
      assert.matches("done\n$", done.stdout)
    end
    local found = counts()
    assert.same({ 0, 3 }, { found[1], found[2] + found[3] })
  end)

  it("are named by BIDE_STORE, with blanks between them", function()
    local with <const> = url(3, "locked:sesame")
    local env = { BIDE_STORE = ("%s\n  %s\n"):format(url(0, "locked:sesame"), with) }
    local done = bide("submit look.lua --max-wait 1h --output json --submit-token " .. token_of(3, { 0, 3 }), { env = env })
    assert.equal(0, done.code, done.stderr)
    local made = assert(json.decode(done.stdout))
    assert.same({ 3, url(3, "locked") }, { cell.of_run(made.run), made.store })
    assert.matches(("%d"):format(made.run), bide("jobs list", { env = env }).stdout, 1, true)
    bide("worker", { env = env }):says(2, "bide worker takes one store, and 2 are given")
    env.BIDE_STORE = env.BIDE_STORE:gsub("[?]cell=3", "")
    bide("jobs list", { env = env }):says(2, "bide: BIDE_STORE: postgres://locked@")
    bide("submit look.lua --max-wait 1h --store " .. with):says(2, "put it into BIDE_STORE")
  end)

  it("refuse a list that is not one of cells", function()
    local plain = url(3):gsub("%?.*", "")
    for words, text in pairs {
      [stores(3, 3)] = "is given twice", [stores(0, plain)] = "each URL has the number of its cell, as in postgres://HOST/",
      [stores(0, (url(3):gsub("cell=3", "cell=0")))] = "have one number: each cell is a database of its own",
      [stores(0, "waits.db")] = "waits.db is a file, and several stores are databases",
      [stores("a.db", "b.db")] = "a.db is a file",
      [stores(0, (url(3):gsub("cell=3", "cell=1024")))] = 'cell: expected a whole number from 0 to 1023, found "1024"',
      [stores(0, (url(3):gsub("cell=3", "cell=x")))] = 'found "x"', [stores(0, url(3) .. "&cell=4")] = "cell: it is given twice",
    } do
      local commands = { "submit look.lua --max-wait 9s", "run look.lua --max-wait 9s", "watch 1", "jobs list", "workers" }
      for _, command in ipairs(commands) do
        local done = bide(command .. " " .. words)
        assert.same({ 2, "" }, { done.code, done.stdout }, command)
        assert.matches("^bide: %-%-store: [^\n]+\n$", done.stderr)
        assert.matches(text, done.stderr, 1, true)
      end
    end
    assert.is_nil(io.open(workspace.path .. "/waits.db"))
  end)

  it("refuse a database that is another cell than its URL says", function()
    local wrong = url(3):gsub("cell=3", "cell=4")
    local text = "the database is cell 3, and its URL says cell=4: correct the URL; or leave the number out, and run bide store "
      .. "set cell 4"
    local commands = { "submit look.lua --max-wait 9s", "jobs list", "workers", ("watch %d"):format((4 << 43) + 1), "worker",
      "run look.lua --max-wait 9s --work" }
    for _, words in ipairs(commands) do
      bide(words .. " --store " .. wrong):says(2, text)
    end
    bide("jobs list " .. stores(0, wrong)):says(2, text)
    bide(("submit look.lua --max-wait 1h --submit-token %s %s"):format(token_of(4, { 0, 4 }), stores(0, wrong))):says(2, text)
    for _, words in ipairs { "init", "check", "set", "migrate", "grant ada --work" } do
      bide(("store %s --store %s"):format(words, wrong)):says(2, text)
    end
    assert.same({ 0, 0, 0 }, counts())
  end)

  it("get another number while they have no runs", function()
    local plain = url(3, "postgres"):gsub("%?.*", "")
    local run = submit(stores(3))
    bide("store set cell 5 --store " .. plain):says(2, "the store has runs, whose numbers say that they are in cell 3")
    assert.matches("cell       3\n", bide("store set cell 3 --store " .. plain).stdout, 1, true)
    bide(("jobs cancel %d %s"):format(run, stores())):ends(0)
    bide(("jobs prune %d %s"):format(run, stores())):ends(0)
    assert.matches("cell       5\n", bide("store set cell 5 --store " .. plain).stdout, 1, true)
    local again = submit("--store " .. url(3):gsub("cell=3", "cell=5"))
    assert.equal(5, cell.of_run(again))
    assert.is_true(again - (5 << 43) > run - (3 << 43))
    sql(3, "TRUNCATE bide.run, bide.wait, bide.turn; UPDATE bide.meta SET cell = 3")
    for _, text in ipairs { "1024", "1.5", "x" } do
      bide(("store set cell %s --store %s"):format(text, plain)):says(2, "cell: expected 0 to 1023")
    end
  end)

  it("are made by an administrator, from what is printed", function()
    cluster:sql("postgres", "CREATE DATABASE printed")
    local printed = bide "store init --print --store postgres://h/d?cell=8"
    assert.equal(0, printed.code)
    local done = process.run(cluster:client("postgres", "printed"), { tool = true, stdin = printed.stdout, cwd = "/" })
    assert.equal(0, done.code, done.stderr)
    local at <const> = ("postgres://postgres@127.0.0.1:%d/printed?cell=8"):format(cluster.port)
    bide("store init --store " .. at):prints(0, "the store is there already")
    bide("store migrate --store " .. at:gsub("8$", "9")):says(2, "the database is cell 8")
    bide("store init --print --store postgres://h/d?cell=1024"):says(2, "--store: cell: expected a whole number from 0 to 1023")
  end)

  it("may lose their server while a run is watched", function()
    local proxy = Proxy.start(cluster.port)
    local port, run = proxy.port, submit(stores(3))
    local words = ("watch %d %s"):format(run, stores(0, url(3, "ada", port)))
    proxy:close()
    local watch = start(words)
    watch:wait_for_output "watching again once it can be reached"
    proxy = Proxy.start(cluster.port, port)
    local looks = 0
    function proxy.change(bytes, to)
      if to == "client" and bytes:find '"fleet"' then looks = looks + 1 end
      return bytes
    end
    while looks < 2 do uv.run "once" end -- the answers of the first look have come
    proxy:close()
    watch:wait_for_output "watching again.*watching again"
    proxy = Proxy.start(cluster.port, port)
    local worker = start("worker --quiet --store " .. url(3, "wim"))
    assert.equal(0, watch:wait().code, watch.stderr)
    proxy:close()
    worker:stop()
    bide(words .. " --for 1s"):says(75, "cannot be reached")
  end)

  it("are made and used as the page says", function()
    cluster:sql("postgres", "CREATE DATABASE db0; CREATE DATABASE db1; CREATE ROLE app LOGIN")
    local function url_of(text)
      return text:gsub("postgres://(%l+)@(db%d)/waits", ("postgres://%%1@127.0.0.1:%d/%%2"):format(cluster.port))
    end
    for _, words in ipairs { "init", "grant app --submit" } do
      bide(("store %s --store %s"):format(words, url_of "postgres://postgres@db0/waits")):ends(0)
    end
    local page <close> = assert(io.open "docs/workers.md")
    local block = page:read "a":match "\n\n(    bide store init [^\n]*cell=1.-)\n\n"
    local done = workspace:shell("set -e\n" .. url_of(block):gsub("%f[%a]bide ", "$BIDE "))
    assert.equal(0, done.code, done.stderr)
    assert.matches("1  open [^\n]* ServiceHealthy", done.stdout)
  end)

  it("are one store of a script", function()
    workspace:write("script.lua", [[
      local bide = require "bide"
      local seen = assert(bide.load "look.lua").Seen
      local store = assert(bide.store.open { arg[1], arg[2] })
      local of, runs = {}, {}
      for count = 1, 12 do
        runs[count] = assert(store:submit { seen:prepare({ state = "no" }, { maxWait = 60 }), submitToken = "T" .. count })
        of[runs[count] >> 43] = true
      end
      assert(of[0] and of[3])
      assert(runs[5] == store:submit { seen:prepare({ state = "no" }, { maxWait = 60 }), submitToken = "T5" })
      table.sort(runs)
      for position, row in ipairs(assert(store:list())) do assert(row.run == runs[position]) end
      assert(#store:list { limit = 5 } == 5 and #store:list { after = runs[2] } == 10)
      for _, run in ipairs(runs) do assert(store:cancel(run) == true) end
      print(select(2, store:watch(runs[1])).reason, select(2, store:watch(runs[12])).reason)
      print(store:watch((9 << 43) + 1))
      print(store:cancel((9 << 43) + 1))
      store:close()
      print(pcall(store.list, store))
      print(bide.store.open { arg[1], arg[1] })
      print(pcall(bide.store.open, {}))
      print(pcall(bide.store.open, { 5 }))
      print(bide.store.open { arg[1], arg[3] }:list())
      print(assert(seen:wait({}, { maxWait = 30, store = { arg[1], arg[2] } })).state)]])
    local workers = { start("worker --quiet --store " .. url(0, "wim")), start("worker --quiet --store " .. url(3, "wim")) }
    local done = workspace:bide { "exec", "script.lua", url(0), url(3), AWAY }
    assert.equal(0, done.code, done.stderr)
    local lines = {}
    for line in done.stdout:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("cancelled\tcancelled", lines[1])
    for position = 2, 3 do
      local text = ("nil\trun %d is in cell 9, and the cell of the store is 0 or 3"):format((9 << 43) + 1)
      assert.matches(text, lines[position], 1, true)
    end
    assert.matches("expected an open store", lines[4])
    assert.matches("is given twice", lines[5])
    assert.matches("expected the URL of a store, or a list of them", lines[6])
    assert.matches("expected the URL of a store, or a list of them", lines[7])
    assert.matches("^nil\tpostgres://ada@127.0.0.1:1/x%?cell=7: the store cannot be reached", lines[8])
    assert.equal("success", lines[9])
    for _, worker in ipairs(workers) do worker:stop() end
  end)
end)
