---Two promises of a journal that nothing else shows: a token that was sent is on the disk, and a resumed wait has the
---history of the uninterrupted one.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"
local process = require "spec.support.process"

local recipe = [[
local uv = require "luv"
return { Count = {
  idempotencyToken = "token",
  call = function(input)
    local calls = assert(io.open("calls.log", "a+"))
    calls:write(input.token, "\n")
    calls:close()
    local count = 0
    for _ in io.lines("calls.log") do count = count + 1 end
    if count == input.kill then uv.kill(uv.os_getpid(), "sigkill") end
    return { done = count >= input.calls }
  end,
  waitable = { Counted = { minDelay = 0.001, maxDelay = 0.001, acceptors = {
    { state = "success", matcher = { output = { path = "done", comparator = "booleanEquals", expected = "true" } } },
  } } },
} }]]

local can_trace = not process.is_sanitized
  and process.run({ "sh", "-c", "strace -qq -e trace=none true" }, { tool = true }).code == 0

describe("a journal", function()
  local workspace = Workspace.of_each { ["count.lua"] = recipe }

  local function words(calls, kill, ...)
    return { "run", "count.lua", "calls:=" .. calls, "kill:=" .. kill, "--max-wait", "1m", "--journal", "waits.db",
      "--quiet", ... }
  end

  ---The numbers of the attempts in a list.
  local function numbers(attempts)
    local list = {}
    for position, attempt in ipairs(attempts) do list[position] = attempt.attempt end
    return list
  end

  ---Those of the first and the last fifty.
  local function first_and_last(attempts)
    local list = {}
    for attempt = 1, attempts do
      if attempt <= 50 or attempt > attempts - 50 then list[#list + 1] = attempt end
    end
    return list
  end

  for _, killed in ipairs { 100, 101, 102, 103, 160 } do
    it("keeps the first and the last fifty attempts of a wait that is killed in attempt " .. killed, function()
      local calls = killed + 2 -- the one that was cut is made again
      assert.equal(9, workspace:bide(words(calls, killed)).signal)
      local rows = journal.query(workspace.path .. "/waits.db", "SELECT attempt FROM attempt ORDER BY attempt")
      assert.same(first_and_last(killed - 1), numbers(rows))
      local outcome = workspace:outcome(words(calls, killed, "--resume"))
      assert.equal(calls - 1, outcome.attempts)
      assert.same(first_and_last(calls - 1), numbers(outcome.history))
    end)
  end

  ---Each system call on the journal's files, and the writing of the log of calls.
  local function trace(...)
    local line = { "strace", "-f", "-qq", "-y", "-e", "trace=pwrite64,fdatasync,fsync,write,writev", "-o", "trace",
      assert(require("luv").fs_realpath(process.bide)) }
    table.move(words(...), 1, #words(...), #line + 1, line)
    local done = process.run(line, { cwd = workspace.path, tool = true })
    assert.same({ 0, "" }, { done.code, done.stderr })
    local calls = {}
    for call, file in workspace:read("trace"):gmatch "(%l[%l%d]*)%(%d+<[^>\n]*/([^>/\n]+)>" do
      calls[#calls + 1] = { call, file }
    end
    return calls
  end

  ---Whether all that was written to the journal was on the disk when the first request was made.
  local function is_on_disk_first(calls)
    local written, synced = 0, false
    for _, call in ipairs(calls) do
      if call[2] == "calls.log" then return written > 0 and synced end
      if call[1] == "pwrite64" and call[2] == "waits.db-wal" then written, synced = written + 1, false end
      if call[1]:find "sync$" and call[2] == "waits.db-wal" then synced = true end
    end
  end

  it("has a token on the disk before it is sent", function()
    if not can_trace then return pending "strace may trace nothing here, or a sanitizer is in its way" end
    assert.is_true(is_on_disk_first(trace(1, 0)))
    os.remove(workspace.path .. "/calls.log")
    assert.is_true(is_on_disk_first(trace(1, 0)))
  end)

  it("waits for no disk between the report and its record, where a kill would report twice", function()
    if not can_trace then return pending "strace may trace nothing here, or a sanitizer is in its way" end
    trace(1, 0)
    local lines = workspace:read "trace"
    local reported = assert(lines:find "write%(1<[^\n]*succeeded")
    assert.matches("pwrite64", lines:sub(reported), 1, true)
    assert.falsy(lines:find("sync(", reported, true))
  end)
end)
