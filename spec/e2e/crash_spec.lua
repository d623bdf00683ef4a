---Kills with SIGKILL at every step of a wait, and of a request that is to be made once, and at random moments:
---afterwards the journal opens, the service has created each thing once, nothing recorded is lost, and what is
---resumed ends as the uninterrupted one does. BIDE_KILLS says how many times; 200 and more are for patient people.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local process = require "spec.support.process"
local uv = require "luv"

require "bide"

local KILLS = math.tointeger(tonumber(os.getenv "BIDE_KILLS" or 66))

---A step is a file that names it and says how often it is still to be passed. Whoever passes it the last time dies.
local stepping = [[
local function step(name)
  local file = io.open("step")
  local wanted, left = (file and file:read "a" or ""):match "^(%a+) (%d+)$"
  if file then file:close() end
  if wanted ~= name then return end
  if left == "1" then os.remove "step" os.execute "kill -9 $PPID" end
  file = assert(io.open("step", "w"))
  file:write(wanted, " ", left - 1)
  file:close()
end
local http = require "bide.http"
local function create(name, token)
  step "before"
  local response = http.post("ENDPOINT", { json = { name = name, token = token } })
  step "after"
  return response
end
]]

local recipe = stepping .. [[
return { Create = {
  idempotencyToken = "ClientToken",
  call = function(input) return create(input.name, input.ClientToken) end,
  waitable = { Created = { minDelay = 0.003, maxDelay = 0.02, acceptors = {
    { state = "failure", matcher = { lua = function() step "decided" end } },
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "created" } } },
  } } },
} }
]]

local once = stepping .. [[
local name = ...
local thing = require("bide").once(name, { name = name }, function(parameters, token)
  return create(parameters.name, token)
end)
io.write(thing.name, " ", thing.number, "\n")
]]

---What strace does to the n-th call of a kind upon files of the workspace.
local function traced(call, ...)
  local files = { ... }
  return function(workspace, count)
    local command = { "strace", "-f", "-qq", "-o", "/dev/null" }
    for _, file in ipairs(files) do table.move({ "-P", workspace.path .. "/" .. file }, 1, 2, #command + 1, command) end
    return table.move({ "-e", ("inject=%s:signal=KILL:when=%d"):format(call, count) }, 1, 2, #command + 1, command)
  end
end

local function stepped(name)
  return function(workspace, count) workspace:write("step", ("%s %d"):format(name, count)) end
end

---The steps, each with how to die at its n-th time; and how many times there may be.
local steps = {
  { "before the request", stepped "before", 4 },
  { "in the request", function() end, 4, in_request = true },
  { "after the answer", stepped "after", 4 },
  { "before the record", stepped "decided", 4, only_wait = true },
  { "in the transaction", traced("pwrite64", "waits.db", "waits.db-wal"), 30, is_traced = true },
  { "as the disk is waited for", traced("fdatasync", "waits.db", "waits.db-wal"), 4, is_traced = true },
  { "after the transaction", traced("write,writev", "events.jsonl"), 4, is_traced = true, only_wait = true },
  { "as that it was reported is recorded", traced("ftruncate,pwrite64", "waits.db-wal"), 40, is_traced = true, only_wait = true },
  { "at any moment", function() end, 60, is_random = true },
}

local can_trace = not process.is_sanitized
  and process.run({ "sh", "-c", "strace -qq -e trace=none true" }, { tool = true }).code == 0

describe("a process that is killed", function()
  local workspace = Workspace.of_block()
  local things, requests, lives, kills, victim
  local windows = 0 -- how often a process died between its outcome and the record that it was reported

  local server = Server.of_block(function(request)
    local input = core.json.decode(request.body)
    local thing = things[input.token]
    if not thing then
      thing = { name = input.name, number = #things + 1 }
      table.insert(things, thing)
      things[input.token] = thing
    end
    requests[input.name] = (requests[input.name] or 0) + 1
    if victim and victim.kill_in == requests[input.name] then
      victim.process:kill "sigkill"
      return { silent = true }
    end
    local state = requests[input.name] > 3 and "created" or "pending"
    return { body = core.json.encode { state = state, name = thing.name, number = thing.number } }
  end)

  setup(function()
    lives = 0
    things, requests, kills = {}, {}, {}
    workspace:write("create.lua", (recipe:gsub("ENDPOINT", server.url)))
    workspace:write("once.lua", (once:gsub("ENDPOINT", server.url)))
  end)

  ---Runs a command until it ends, or dies at the n-th time of a step.
  local function run(command, step, count)
    local before = step and step[2](workspace, count) or {}
    local whole = table.move(before, 1, #before, 1, {})
    table.move(command, 1, #command, #whole + 1, whole)
    victim = { kill_in = step and step.in_request and count or nil }
    victim.process = process.start(whole, {
      cwd = workspace.path, tool = #before > 0, signal = "sigkill", signal_after = step and step.is_random and count / 1000,
    })
    local done = victim.process:wait()
    victim = nil
    os.remove(workspace.path .. "/step")
    return done, done.signal == 9 or done.code == 137
  end

  local binary = assert(uv.fs_realpath(process.bide))

  local function wait_command(name)
    return { binary, "run", "create.lua", "name=" .. name, "--max-wait", "20s", "--seed", "7", "--journal", "waits.db",
      "--resume", "--events", "events.jsonl", "--output", "json", "--quiet" }
  end

  ---The attempts of the wait that are recorded, by number.
  local function recorded(name)
    local rows = journal.query(workspace.path .. "/waits.db",
      "SELECT entry FROM attempt JOIN wait ON wait.id = attempt.wait WHERE input LIKE ?", ('%%"%s"%%'):format(name))
    local entries = {}
    for position, row in ipairs(rows) do entries[position] = core.json.decode(row.entry) end
    return entries
  end

  ---Whether the outcome of the last wait was recorded, and whether it was recorded as reported, after which the wait
  ---is not found any more.
  local function state_of_last()
    local rows = journal.query(workspace.path .. "/waits.db",
      "SELECT outcome IS NOT NULL AS ended, (SELECT reported FROM run WHERE id = run) AS reported FROM wait ORDER BY id DESC")
    return rows[1].ended == 1, rows[1].reported ~= nil
  end

  local function tokens_of(name)
    local count = 0
    for _, thing in ipairs(things) do
      if thing.name == name then count = count + 1 end
    end
    return count
  end

  ---The delays of the wait where nobody kills it; more attempts than any of those has that are killed.
  local delays

  local function live_as_a_wait(step, round)
    lives = lives + 1
    local name = "wait" .. lives
    local done, died = run(wait_command(name), step, 1 + (round * 7 + lives) % step[3])
    if died then
      kills[step[1]] = (kills[step[1]] or 0) + 1
      local before = round % 2 == 0 and uv.fs_stat(workspace.path .. "/waits.db-lock") and recorded(name) or {}
      local printed, asked = done.stdout, requests[name]
      local has_ended, was_reported
      if printed ~= "" then has_ended, was_reported = state_of_last() end
      if not was_reported then
        done, died = run(wait_command(name))
        assert.same({ false, 0 }, { died, done.code }, done.stderr)
        if has_ended then assert.same({ asked, printed }, { requests[name], done.stdout }) end
        windows = windows + (has_ended and 1 or 0)
      end
      local outcome = core.json.decode(done.stdout)
      for position, entry in ipairs(before) do assert.same(entry, outcome.history[position]) end
    end
    local outcome = core.json.decode(done.stdout)
    assert.same({ "success", "acceptor", 2, "created", 1 },
      { outcome.state, outcome.reason, outcome.acceptor, outcome.output.state, tokens_of(name) })
    assert.equal(outcome.attempts, #outcome.history)
    for position, attempt in ipairs(outcome.history) do
      assert.equal(position, attempt.attempt)
      assert.equal(position < #outcome.history and delays[position] or nil, attempt.delay)
    end
  end

  local function live_as_a_request(step, round)
    lives = lives + 1
    local name = "once" .. lives
    requests[name] = 3
    local command = { binary, "exec", "--journal", "waits.db", "once.lua", name }
    local count = step.is_random and 1 + (round * 7 + lives) % 25 or step.is_traced and 1 + round % 12
      or step.in_request and 4 or 1
    local done, died = run(command, step, count)
    if died then
      kills[step[1]] = (kills[step[1]] or 0) + 1
      done, died = run(command)
      assert.is_false(died)
    end
    assert.equal(0, done.code, done.stderr)
    assert.matches("^" .. name .. " %d+\n$", done.stdout)
    assert.equal(1, tokens_of(name))
    local asked = requests[name]
    assert.equal(done.stdout, run(command).stdout)
    assert.equal(asked, requests[name])
  end

  ---The journal that all of them were killed with is whole. The next ones get a new one.
  local function begin_anew()
    local check = journal.query(workspace.path .. "/waits.db", "PRAGMA integrity_check")
    assert.same({ { integrity_check = "ok" } }, check)
    for _, ending in ipairs { "", "-wal", "-shm", "-lock" } do os.remove(workspace.path .. "/waits.db" .. ending) end
  end

  it("is compared with one that is not", function()
    local whole = core.json.decode(run(wait_command "whole").stdout)
    assert.equal(4, whole.attempts)
    delays = {}
    for position, attempt in ipairs(whole.history) do delays[position] = attempt.delay end
    assert.equal(3, #delays)
  end)

  for _, step in ipairs(steps) do
    it("goes on with what it was at: " .. step[1], function()
      if step.is_traced and not can_trace then
        return pending "strace may trace nothing here, or a sanitizer is in its way"
      end
      local rounds = 0
      while (kills[step[1]] or 0) < KILLS / #steps and rounds < KILLS * 4 do
        rounds = rounds + 1
        if rounds % 20 == 0 then begin_anew() end
        if step.only_wait or rounds % 2 == 1 then live_as_a_wait(step, rounds) else live_as_a_request(step, rounds) end
      end
      assert.is_true(kills[step[1]] >= KILLS / #steps)
      begin_anew()
    end)
  end

  it("was killed as often as was asked for", function()
    local count = 0
    for _, of_step in pairs(kills) do count = count + of_step end
    if can_trace then assert.is_true(count >= KILLS) end
    if os.getenv "BIDE_KILLS" then print(("\n%d kills in %d lives, %d in the last window"):format(count, lives, windows)) end
  end)
end)
