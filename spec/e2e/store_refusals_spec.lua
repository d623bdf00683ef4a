---What the commands of a store refuse: exit code 2, a sentence that says where and why, and nothing written.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"
local leftovers = require "spec.support.leftovers"

local recipe = [[
return { Look = {
  input = { name = { type = "string" }, password = { type = "string", secret = true } },
  idempotencyToken = "token",
  call = function() return { state = "waiting" } end,
  waitable = { Seen = { acceptors = {
    { state = "success", name = "Yes", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } },
  } } },
} }
]]

describe("a store refuses", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("look.lua", recipe)
    workspace:write("lines.jsonl", '{"name":"a"}\n{"name":"b"}\n{"nme":"c"}\n')
    workspace:write("secret.jsonl", '{"name":"a"}\n{"name":"b","password":"hunter2"}\n')
    workspace:write("large.json", ('{"name":"%s"}'):format(("x"):rep(300000)))
    workspace:write("other.db", ("this is not a database "):rep(100))
  end)
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function bide(line, options)
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    return workspace:bide(words, options)
  end

  local cases = {
    { "run look.lua --max-wait 9s --store s.db --journal j.db", "--journal: not with --store: the store is the journal" },
    { "run look.lua --max-wait 9s --store s.db --resume", "--resume: not with --store: the waits of a store continue" },
    { "run look.lua --max-wait 9s --store s.db --rate 1/s", "--rate: not with --store: the rates of recipes hold" },
    { "run look.lua --max-wait 9s --store s.db --explain", "--explain: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --start true", "--start: not with --store: the waits do not end with" },
    { "run look.lua --max-wait 9s --store s.db --while-pid 1", "--while-pid: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --while look.lua", "--while: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --record r", "--record: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --wake-on USR1", "--wake-on: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --memory 64M", "--memory: not with --store: other processes make" },
    { "run look.lua --max-wait 9s --store s.db --sandbox", "--sandbox: not with --store" },
    { "run look.lua --max-wait 9s --store s.db --env A=state -- true", "--env: not with --store" },
    { "run look.lua --max-wait 9s --work", "--work needs --store URL" },
    { "run look.lua --max-wait 9s --queue q", "--queue needs --store URL" },
    { "submit look.lua --max-wait 9s", "no store: give --store URL, or set BIDE_STORE" },
    { "submit look.lua --store s.db", "--max-wait is missing" },
    { "submit look.lua --max-wait 9s --store s.db -- echo", "found --, but only bide run has a COMMAND after it" },
    { "submit look.lua --max-wait 9s --store s.db --exit-code Yes=3", "--exit-code: the code is that of bide watch RUN" },
    { "submit look.lua --max-wait 9s --store s.db --events e", "--events: the events are those of bide watch RUN --events FILE" },
    { "submit look.lua --max-wait 9s --store s.db --queue a/b", "--queue: expected a name of up to 63 letters" },
    { "submit look.lua --max-wait 9s --store s.db --priority urgent", "--priority: expected" },
    { "submit look.lua --max-wait 9s --store mysql://h/d", '--store: expected sqlite:FILE, a path' },
    { "submit look.lua --max-wait 9s --store postgres://u:hunter2@h/d", "put it into BIDE_STORE, PGPASSWORD or ~/.pgpass" },
    { "jobs --store postgres://u@h/d?p%61ssword=hunter2", "put it into BIDE_STORE, PGPASSWORD or ~/.pgpass" },
    { "watch 1 --store postgres://u@h/d?sslpassword=hunter2", "put it into BIDE_STORE" },
    { "worker --store postgres:///d", "--store: a sandboxed worker reaches no socket of this machine" },
    { "submit look.lua --max-wait 400d --store s.db", "a store takes at most 366 days" },
    { "submit look.lua --max-wait 9s --store s.db --input @large.json", "the input has 300011 bytes, and a store takes at" },
    { "submit look.lua --max-wait 9s --store s.db password=hunter2", "input: password: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db name=@env:NAME", "input: name: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db name=@file:lines.jsonl", "input: name: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db name=http://u:hunter2@h/", "input: name: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db token=@env:NAME", "input: token: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db --token @env:NAME", "--token: expected the token itself, which a shell" },
    { "run look.lua --max-wait 9s --store s.db --submit-token @env:NAME", "--submit-token: expected the token itself" },
    { "submit look.lua --max-wait 9s --store s.db --until password=hunter2", "--until: a store keeps no secrets" },
    { "submit look.lua --max-wait 9s --store s.db --fail=state=http://u:hunter2@h/", "--fail: a store keeps no secrets" },
    { "submit look.lua --each lines.jsonl --max-wait 9s --store s.db", "lines.jsonl:3: " },
    { "submit look.lua --each secret.jsonl --max-wait 9s --store s.db", "line 2 (name=b): input: password: a store keeps" },
    { "submit look.lua --max-wait 9s --store other.db", "the store other.db: it is not a store: it is not an SQLite database" },
    { "submit look.lua --max-wait 9s --store postgres://a@127.0.0.1:1/b", "the store cannot be reached: connection refused by" },
    { "jobs list --store postgres://a@127.0.0.1:1/b", "the store cannot be reached: connection refused by" },
    { "store init --store postgres://a@127.0.0.1:1/b", "the store cannot be reached: connection refused by" },
    { "watch x --store s.db", "RUN: expected the number of a run" },
    { "watch 0x1 --store s.db", 'RUN: expected the number of a run, such as 42, found "0x1"' },
    { "watch 1e3 --store s.db", 'found "1e3"' },
    { "watch -1 --store s.db", "-1" },
    { "watch 99999999999999999999 --store s.db", "RUN: expected the number of a run" },
    { "jobs show 1.0 --store s.db", 'RUN: expected the number of a run, such as 42, found "1.0"' },
    { "jobs cancel 1 01 --store s.db", 'RUN: expected the number of a run, such as 42, found "01"' },
    { "jobs prune 1 0 --store s.db", 'RUN: expected the number of a run, such as 42, found "0"' },
    { "jobs cancel 1 2 1 --store s.db", "run 1 is given twice" },
    { "jobs list --queue a/b --store s.db", "--queue: expected a name of up to 63 letters" },
    { "jobs list --after 1e3 --store s.db", "--after: expected" },
    { "worker --store s.db --queue q=0x1", "--queue: expected Q or Q=WEIGHT" },
    { "watch 7 --store none.db", "the store none.db: no such file" },
    { "jobs show --store s.db", "show needs the number of a run" },
    { "workers --store none.db", "the store none.db: no such file" },
    { "worker --store other.db", "the store other.db: it is not a store" },
    { "worker --store s.db --queue q=0", "--queue: expected Q or Q=WEIGHT" },
    { "worker --store s.db --queue q --queue p --queue q=2", "--queue: q is given twice" },
  }

  for _, case in ipairs(cases) do
    it(case[1], function()
      local done = bide(case[1], { env = { NAME = "hunter2", BIDE_STORE = false } })
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches(case[2], done.stderr, 1, true)
      assert.is_nil(done.stderr:find "hunter2")
      assert.is_nil(journal.bytes(workspace.path .. "/s.db"):find "hunter2")
      local handle = io.open(workspace.path .. "/s.db")
      assert.is_true(not handle or case[1]:find "%-%-each" ~= nil, "a file was made")
      if handle then
        handle:close()
        assert.same({ { count = 0 } }, journal.query(workspace.path .. "/s.db", "SELECT count(*) AS count FROM store_wait"))
      end
    end)
  end

  it("a name of blanks", function()
    for _, line in ipairs { "worker", "jobs list", "watch 1", "submit look.lua --max-wait 9s", "store check" } do
      bide(line, { env = { BIDE_STORE = "  " } }):says(2, 'found "  "')
    end
  end)

  it("a token of another request, and takes it for the same one", function()
    local line = "submit look.lua name=%s --max-wait 50s --store s.db --submit-token T"
    local first = bide(line:format "a")
    assert.same({ 0, "1\n" }, { first.code, first.stdout })
    local again = bide(line:format "a")
    assert.same({ 0, "1\n" }, { again.code, again.stdout })
    assert.same({ 0, "1\n" }, { bide(line:format "a" .. " --priority normal --history some").code, again.stdout })
    bide(line:format "a" .. " --priority high"):says(2, "is another request: priority differs")
    bide(line:format "a" .. " --history all"):says(2, "is another request: the history or the token of a wait differs")
    local other = bide(line:format "b")
    assert.same({ 2, "" }, { other.code, other.stdout })
    assert.matches("IdempotentParameterMismatch: run 1 was submitted with this token, and is another request: input.name differs",
      other.stderr, 1, true)
  end)

  it("a list at its last line, and has kept none of it", function()
    local lines = {}
    for position = 1, 20000 do lines[position] = ('{"name":"n%d"}'):format(position) end
    lines[#lines + 1] = '{"nme":"c"}\n'
    workspace:write("long.jsonl", table.concat(lines, "\n"))
    local done = bide "submit look.lua --each long.jsonl --max-wait 1h --store s.db"
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("long.jsonl:20001: ", done.stderr, 1, true)
    assert.is_nil(io.open(workspace.path .. "/s.db-wal"))
    for _, name in ipairs { "store_run", "store_wait", "turn" } do
      assert.same({ { count = 0 } }, journal.query(workspace.path .. "/s.db", "SELECT count(*) AS count FROM " .. name))
    end
  end)

  it("another list that comes through a pipe with the token of one that did", function()
    local function submit(text)
      return workspace:bide({ "submit", "look.lua", "--each", "-", "--max-wait", "1h", "--store", "s.db", "--submit-token", "T" },
        { stdin = text })
    end
    local first = submit '{"name":"a"}\n{"name":"b"}\n'
    assert.same({ 0, "1\n" }, { first.code, first.stdout })
    local again = submit '{"name":"a"}\n{"name":"b"}\n'
    assert.same({ 0, "1\n" }, { again.code, again.stdout })
    local other = submit '{"name":"a"}\n{"name":"c"}\n'
    assert.same({ 2, "" }, { other.code, other.stdout })
    assert.matches("IdempotentParameterMismatch: run 1 was submitted with this token, and is another request: "
      .. "waits[2].input.name differs", other.stderr, 1, true)
    assert.same({ { count = 2 } }, journal.query(workspace.path .. "/s.db", "SELECT count(*) AS count FROM store_wait"))
  end)

  it("runs that it does not have, and says of those that have ended", function()
    assert.equal(0, bide("submit look.lua --max-wait 50s --store s.db").code)
    assert.equal(2, bide("watch 7 --store s.db").code)
    assert.equal(2, bide("jobs show 7 --store s.db").code)
    assert.equal(2, bide("jobs cancel 7 --store s.db").code)
    assert.equal(2, bide("jobs prune 1 --store s.db").code)
    assert.equal(0, bide("jobs cancel 1 --store s.db").code)
    assert.equal(1, bide("jobs cancel 1 --store s.db").code)
    assert.equal(143, bide("watch 1 --store s.db --quiet").code)
    assert.equal(0, bide("jobs prune 1 --store s.db").code)
    assert.same({ 0, "" }, { bide("jobs --store s.db").code, bide("jobs --store s.db").stdout })
  end)

  it("several runs whole, if it lacks one of them or cannot forget one", function()
    for _ = 1, 3 do assert.equal(0, bide("submit look.lua --max-wait 1h --store s.db").code) end
    local function states()
      return (bide("jobs list --store s.db --output json").stdout:gsub('.-"state": "(%l+)"[^}]*', "%1 "):gsub("[%]}%s]*$", ""))
    end
    bide("jobs cancel 1 7 --store s.db"):says(2, 'expected the number of a run of the store, found "7"')
    assert.equal("open open open", states())
    assert.equal(0, bide("jobs cancel 1 2 --store s.db").code)
    bide("jobs prune 1 3 --store s.db"):says(2, "run 3 has not ended; bide jobs cancel 3 ends it")
    bide("jobs prune 2 9 --store s.db"):says(2, 'found "9"')
    assert.equal("failure failure open", states())
    assert.equal(0, bide("jobs prune 2 1 --store s.db").code)
    assert.equal("open", states())
  end)

  it("the waits of a store to --resume, and those of a journal to workers", function()
    assert.equal(0, bide("submit look.lua name=a --max-wait 9s --store s.db").code)
    local done = bide "run look.lua name=a --max-wait 200ms --journal s.db --resume"
    done:says(124, "the journal has no such wait; a new one begins")
    assert.same({ { count = 1 } }, journal.query(workspace.path .. "/s.db", "SELECT count(*) AS count FROM turn"))
  end)

  it("to list the runs of a queue that it does not have, which are not none", function()
    assert.equal(0, bide("submit look.lua --max-wait 9s --store s.db --queue mail").code)
    bide("jobs list --store s.db --queue mial"):says(2, 'the queue mial: unknown queue, did you mean "mail"?')
    for _, queue in ipairs { "default", "mail" } do
      assert.same({ 0, "" }, { bide("jobs list --state ended --store s.db --queue " .. queue).code,
        bide("jobs list --state ended --store s.db --queue " .. queue).stdout })
    end
  end)

  it("to say that all is well where a queue has no worker", function()
    assert.equal(0, bide("submit look.lua --max-wait 50s --store s.db --queue q").code)
    bide("workers --store s.db"):says(1, "no worker serves the queue q, which has 1 wait that is due")
  end)
end)
