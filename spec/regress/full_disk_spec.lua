---A journal or a file of events that could not be written once, since the disk was full, is tried again: nothing is
---missing afterwards, no half line stays, and both are said once.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local process = require "spec.support.process"

require "bide"

local recipe = [[
local http = require "bide.http"
return { Get = { call = function() return http.get("%s") end,
  waitable = { Done = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } } } }
]]

describe("a disk that is full for a while", function()
  local workspace = Workspace.of_each()
  local server, folder, on_request
  before_each(function()
    on_request = function() end
    folder = workspace.path .. "/disk"
    server = Server.start(function()
      return { body = on_request(#server.requests) and '{"state": "done"}' or '{"state": "pending"}' }
    end)
    workspace:write("get.lua", recipe:format(server.url))
  end)
  after_each(function()
    process.run({ "umount", folder }, { tool = true })
    server:close()
  end)

  ---A file system of its own with this many bytes, which a spec can fill; false where that may not be.
  local function mount(size)
    local line = ("mkdir %s && mount -t tmpfs -o mode=700,size=%d none %s"):format(folder, size, folder)
    return process.run({ "sh", "-c", line }, { tool = true }).code == 0
  end

  local function fill()
    local handle = assert(io.open(folder .. "/ballast", "w"))
    handle:setvbuf "no"
    local size = 65536
    while size >= 1 do
      if not handle:write(("x"):rep(size)) then size = size // 2 end
    end
    handle:close()
  end

  local function free() os.remove(folder .. "/ballast") end

  ---Full from one request to the other; the wait ends `rest` seconds after that.
  local function full_between(first, last, rest)
    local freed_at
    on_request = function(count)
      if count == first then fill() end
      if count == last then
        free()
        freed_at = core.loop.update()
      end
      return freed_at and core.loop.update() > freed_at + rest * 1000
    end
  end

  local function count_of(text, pattern) return select(2, text:gsub(pattern, "")) end

  it("leaves no gap and no half line in the events", function()
    if not mount(100 * 1024) then return pending "nothing may be mounted here" end
    full_between(10, 60, 1.3)
    local done = workspace:bide { "run", "get.lua", "--max-wait", "50s", "--quiet", "--events", "disk/events.jsonl" }
    assert.equal(0, done.code)
    assert.equal("bide: the events cannot be written: No space left on device\n"
      .. "bide: the events can be written again; no line is missing\n", done.stderr)
    local events = Workspace.decode_lines(workspace:read "disk/events.jsonl")
    assert.equal(#server.requests + 2, #events)
    for position = 2, #events - 1 do assert.equal(position - 1, events[position].attempt) end
  end)

  it("leaves no half line where it stays full, and no success", function()
    if not mount(100 * 1024) then return pending "nothing may be mounted here" end
    on_request = function(count)
      if count == 10 then fill() end
      return count == 60
    end
    local done = workspace:bide { "run", "get.lua", "--max-wait", "50s", "--quiet", "--events", "disk/events.jsonl" }
    assert.same({ 1, 1 }, { done.code, count_of(done.stderr, "\n") })
    local text = workspace:read "disk/events.jsonl"
    assert.equal("\n", text:sub(-1))
    assert.is_true(#Workspace.decode_lines(text) >= 10)
  end)

  it("leaves nothing out of the journal, whose wait ends there as it did", function()
    if not mount(16 << 20) then return pending "nothing may be mounted here" end
    full_between(5, 120, 1.3)
    local words = { "run", "get.lua", "--max-wait", "50s", "--quiet", "--journal", "disk/waits.db" }
    local done = workspace:bide(words)
    assert.equal(0, done.code)
    assert.same({ 1, 1 }, { count_of(done.stderr, "the disk is full; the wait continues"),
      count_of(done.stderr, "the journal disk/waits.db can be written again: nothing is missing\n") }, done.stderr)
    local row = journal.query(folder .. "/waits.db", "SELECT outcome, attempts FROM wait")[1]
    assert.equal(#server.requests, row.attempts)
    assert.equal("success", core.json.decode(row.outcome).state)
    local count = journal.query(folder .. "/waits.db", "SELECT count(*) AS count FROM attempt")[1].count
    assert.equal(math.min(#server.requests - 1, 100), count)
  end)

  it("writes a fleet down that ends once there is room, so that nobody is asked again", function()
    if not mount(16 << 20) then return pending "nothing may be mounted here" end
    local lines = {}
    for number = 1, 20 do lines[number] = ('{"n": %d}'):format(number) end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
    on_request = function(count)
      if count == 20 then fill() end
      if count == 200 then free() end
      return count > 220
    end
    local done = workspace:bide { "run", "get.lua", "--max-wait", "50s", "--quiet", "--each", "lines.jsonl", "--journal",
      "disk/waits.db" }
    assert.equal(0, done.code, done.stderr)
    local list = workspace:bide { "journal", "list", "--journal", "disk/waits.db", "--output", "json" }
    local run = core.json.decode(list.stdout).runs[1]
    assert.same({ "ended", "success", 20, "string" }, { run.state, run.outcome, run.succeeded, type(run.reported) })
  end)

  it("is named by bide.once, on a journal that was there before", function()
    if not mount(400 * 1024) then return pending "only root can mount a file system" end
    local function make(token)
      workspace:write("once.lua", ([[
        local made, failure = pcall(require("bide").once, "%s", {}, function() return {} end)
        print(made or failure.message)]]):format(token))
      return workspace:bide({ "exec", "once.lua" }, { env = { BIDE_JOURNAL = "disk/waits.db" } }).stdout
    end
    assert.equal("true\n", make "first")
    fill()
    assert.equal("the journal disk/waits.db: the disk is full\n", make "second")
  end)
end)
