---`bide advise`: what it learns from journals and recordings, and what it refuses.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local uv = require "luv"

local recipe = [[
local made = {}
return { Poll = {
  call = function(input)
    made[input.id] = (made[input.id] or 0) + 1
    return { state = made[input.id] >= (input.polls or 1) and "done" or "queued" }
  end,
  waitable = {
    Done = { minDelay = %s, maxDelay = %s, initialDelay = 0, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
      { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
    } },
    Other = { acceptors = { { state = "success", matcher = { success = true } } } },
  },
} }
]]

local first = '{"at": 0, "output": {"state": "%s"}, "wait": {"format": 1, "recipe": "%s", "waiter": "%s", "input": {}, '
  .. '"maxWait": %s}}\n'

describe("bide advise", function()
  local workspace = Workspace.of_each()

  before_each(function() workspace:write("poll.lua", recipe:format("3", "20")) end)

  local function names()
    local list = {}
    for name in uv.fs_scandir_next, uv.fs_scandir(workspace.path) do list[#list + 1] = name end
    table.sort(list)
    return list
  end

  ---Writes recordings. Each end is seen at a poll of every 2 s, between 20 and 60 s.
  local function record(count, options)
    options = options or {}
    uv.fs_mkdir(workspace.path .. "/runs", 448)
    for number = 1, count do
      local takes = options.takes or 20 + number % 40
      local lines = { first:format(takes == 0 and "done" or "queued", options.recipe or "poll.lua", options.waiter or "Done",
        options.max_wait or 600) }
      for at = 2, takes, 2 do
        lines[#lines + 1] = ('{"at": %d, "output": {"state": "%s"}}\n'):format(at, at + 2 > takes and options.last or "queued")
      end
      local is_seen = takes > 0 and not options.last
      if is_seen then lines[#lines + 1] = ('{"at": %d, "output": {"state": "done"}}\n'):format(takes + 1) end
      workspace:write(("runs/%s%05d.jsonl"):format(options.name or "", number), table.concat(lines))
    end
  end

  local function advise(...)
    return workspace:bide { "advise", "./poll.lua", "Done", ... }
  end

  local function refuses(pattern, ...)
    local done = advise(...)
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches(pattern, done.stderr)
  end

  it("advises a schedule with fewer polls or less lateness", function()
    record(120)
    local done = advise("--recordings", "runs", "--output", "json")
    local printed = core.json.decode(done.stdout)
    assert.same({ 0, 120, 600, 2 }, { done.code, printed.waits.ended, printed.maxWait, #printed.advice })
    local today, sooner, fewer = printed.today, printed.advice[1], printed.advice[2]
    assert.same({ "sooner", "fewer", true, true }, { sooner.aim, fewer.aim, sooner.isAdvised, fewer.isAdvised })
    assert.is_true(sooner.lateness < today.lateness)
    assert.is_true(fewer.polls < today.polls)
    local sum = 0
    for _, piece in ipairs(printed.ends) do sum = sum + piece.share end
    assert.near(1, sum, 1e-9)
    local text = advise("--recordings", "runs", "--aim", "fewer").stdout
    assert.matches("^Done: 120 ended\n\n.*\ntoday .*\nfewer .*\n        fewer by [%d.]+ %([%d.]+ to [%d.]+%)\n", text)
    assert.is_nil(text:find("\nsooner", 1, true))
    for line in text:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 80) end
  end)

  it("learns from a journal, and leaves out the waits of what the recipe was before", function()
    for run, delay in ipairs { "0.01", "0.005" } do
      workspace:write("poll.lua", recipe:format(delay, "0.02"))
      local lines = {}
      for number = 1, 35 do lines[number] = ('{"id": "%d", "polls": %d}\n'):format(number, number % 5 + 2) end
      workspace:write("list.jsonl", table.concat(lines))
      local done = workspace:bide { "run", "./poll.lua", "Done", "--each", "list.jsonl", "--max-wait", "60s", "--journal",
        "waits.db", "--quiet" }
      assert.equal(0, done.code, done.stderr)
      local advised = advise("--journal", "waits.db")
      assert.equal(0, advised.code, advised.stderr)
      assert.matches(run == 1 and "^Done: 35 ended\n" or "^Done: 35 ended, 35 of another definition\n", advised.stdout)
    end
    assert.matches("expected at least 30 waits of Other that ended, found 0 ended; of other waiters: 70 Done of ",
      workspace:bide({ "advise", "./poll.lua", "Other", "--journal", "waits.db" }).stderr)
    refuses("no such file", "--journal", "none.db")
  end)

  it("advises nothing without 30 waits that ended, and counts what it found", function()
    record(29)
    record(3, { name = "cut", takes = 598, last = "queued" })
    record(2, { name = "failed", takes = 20, last = "failed" })
    record(4, { name = "other", waiter = "Other" })
    workspace:write("runs/broken.jsonl", "{")
    workspace:write("runs/stopped.jsonl", first:format("queued", "poll.lua", "Done", 600) .. '{"at": 2, "out')
    refuses("too little data to advise anything: expected at least 30 waits of Done that ended, found 29 ended, 3 cut by its "
      .. "limit, 2 failed, 1 not finished, 1 unreadable.*; of other waiters: 4 Other of poll.lua\n$", "--recordings", "runs")
  end)

  it("learns nothing from waits that all ended at once, that were all cut, or that are not there", function()
    refuses("no past waits: give %-%-journal FILE or %-%-recordings DIR")
    refuses("%-%-recordings: runs: no such file or directory", "--recordings", "runs")
    record(40, { takes = 0 })
    refuses("nothing to learn: all 40 waits of Done that ended did so at their first attempt", "--recordings", "runs")
    record(40, { takes = 598, last = "queued" })
    refuses("found 0 ended, 40 cut by its limit", "--recordings", "runs")
    uv.fs_mkdir(workspace.path .. "/empty", 448)
    refuses("expected files %*.jsonl in empty, found none", "--recordings", "empty")
  end)

  it("leaves out waits whose clock ran back", function()
    record(40)
    for number = 1, 3 do
      workspace:write(("runs/%05d.jsonl"):format(number), first:format("queued", "poll.lua", "Done", 600)
        .. '{"at": 9, "output": {"state": "queued"}}\n{"at": 5, "output": {"state": "done"}}\n')
    end
    assert.matches("^Done: 37 ended, 3 unreadable", advise("--recordings", "runs").stdout)
  end)

  describe("--write", function()
    local function write(text, ...)
      record(60)
      workspace:write("poll.lua", text)
      assert(uv.fs_chmod(workspace.path .. "/poll.lua", tonumber("640", 8)))
      return advise("--recordings", "runs", "--write", ...)
    end

    it("changes the numbers, and keeps the rest and the mode of the file", function()
      local done = write(recipe:format("3", "20"), "--aim", "sooner")
      assert.equal(0, done.code, done.stderr)
      assert.matches("\n%./poll.lua has the schedule of sooner now\n$", done.stdout)
      local text = workspace:read "poll.lua"
      local min, max, initial = text:match "minDelay = ([%d.]+).-maxDelay = ([%d.]+), initialDelay = ([%d.]+),"
      assert.equal(recipe:format("X", "20"), (text:gsub("minDelay = [%d.]+", "minDelay = X"):gsub("maxDelay = [%d.]+",
        "maxDelay = 20"):gsub("initialDelay = [%d.]+", "initialDelay = 0")))
      assert.matches(("\nsooner  minDelay %s, maxDelay %s, initialDelay %s\n"):format(min, max, initial), done.stdout)
      assert.equal(tonumber("640", 8), uv.fs_stat(workspace.path .. "/poll.lua").mode & 511)
      assert.same({ "poll.lua", "runs" }, names())
    end)

    for what, text in pairs {
      ["is computed"] = recipe:format("1 * 3", "20"), ["is there twice"] = "-- minDelay = 3, once\n" .. recipe:format("3", "20"),
      ["is a constant"] = "local least = 3\n" .. recipe:format("least", "20"),
      ["is missing"] = recipe:format("3", "20"):gsub("maxDelay = 20, ", ""),
    } do
      it("changes nothing if a number " .. what, function()
        local done = write(text)
        assert.equal(2, done.code)
        assert.matches("%-%-write: %./poll.lua is as it was: .* Change in Done:\n  m%a+Delay = [%d.]+\n", done.stderr)
        assert.equal(text, workspace:read "poll.lua")
        assert.same({ "poll.lua", "runs" }, names())
      end)
    end

    it("writes whole seconds into a JSON recipe", function()
      local text = '{"Done": {"minDelay": 3, "maxDelay": 20, "acceptors": [{"state": "success", "matcher": {"output": '
        .. '{"path": "state", "comparator": "stringEquals", "expected": "done"}}}]}}\n'
      record(120, { recipe = "poll.json" })
      workspace:write("poll.json", text)
      local done = workspace:bide { "advise", "./poll.json", "Done", "--recordings", "runs", "--write", "--aim", "sooner" }
      assert.equal(0, done.code, done.stderr)
      local min, max = done.stdout:match "\nsooner  minDelay (%d+), maxDelay (%d+)\n"
      assert.equal((text:gsub("3", min, 1):gsub("20", max, 1)), workspace:read "poll.json")
    end)

    it("leaves a lateness that is to go to its owner, and names it", function()
      local text = recipe:format("3", "20"):gsub("initialDelay = 0", "%0, lateness = 0.2")
      local done = write(text)
      assert.equal(2, done.code)
      assert.matches("\n  lateness: take it out\n$", done.stderr)
      assert.equal(text, workspace:read "poll.lua")
    end)

    it("refuses a recipe that comes with bide", function()
      workspace:bide({ "advise", "http", "--recordings", "runs", "--write" }):says(2, "the recipe is bundled with bide")
    end)
  end)
end)
