---A worker wrote up to 500 ends in one message, each with an outcome of up to 1 MiB, and began attempts while as much was to be
---written: it took some hundreds of megabytes.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"

local COUNT <const> = 200

local recipe = [[
return { Look = {
  call = function(input) return { state = "there", number = input.number, text = ("y"):rep(900000) } end,
  waitable = { Seen = { minDelay = 1, maxDelay = 1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } },
} }
]]

local cluster, missing = Cluster.start()

describe("a worker with large ends", function()
  local workspace = Workspace.of_each()

  setup(function()
    if not cluster then return end
    cluster:install()
    cluster:let_work "ada"
  end)
  teardown(function() if cluster then cluster:stop() end end)
  before_each(function()
    workspace:write("look.lua", recipe)
    local lines = {}
    for number = 1, COUNT do lines[number] = ('{"number":%d}\n'):format(number) end
    workspace:write("lines", table.concat(lines))
  end)

  ---Has a worker make the attempts of all waits, and checks what it takes and what `watch` reads.
  local function check(url)
    local done = workspace:bide { "submit", "look.lua", "--each", "lines", "--max-wait", "600s", "--store", url }
    assert.equal(0, done.code, done.stderr)
    local run = done.stdout:match "%d+"
    local worker = workspace:start { "worker", "--store", url, "--quiet" }
    worker:hold_loop(false)
    done = workspace:shell(([["$BIDE" watch %s --quiet --store %s --output json | lua5.4 -e '
      local sum, bytes = 0, 0
      for line in io.lines() do
        sum, bytes = sum + (line:match "\"output\":.-\"number\": ?(%%d+)" or 0), bytes + #line
      end
      print(sum, bytes)']]):format(run, url), 300)
    local most = measure.memory_of_family(worker.pid)
    worker:stop()
    local sum, bytes = done.stdout:match "(%d+)%s+(%d+)"
    assert.equal(COUNT * (COUNT + 1) // 2, tonumber(sum), done.stderr)
    assert.is_true(tonumber(bytes) > COUNT * 900000)
    assert.is_true(process.is_sanitized or most <= 64, most .. " MB")
  end

  it("takes 64 MB beside a file", function() check "s.db" end)

  it("takes 64 MB beside PostgreSQL", function()
    if not cluster then return pending(missing) end
    check(cluster:url "ada")
  end)
end)
