---How long `bide test` takes for 1,000 cases of one file, each of which waits for a virtual hour by the delays of Smithy's
---defaults; and for all cases of the bundled recipes. Prints one JSON object a line. Run by `make bench-cases`.
---
---    lua5.4 spec/bench/cases.lua BUILD

local core = require "bide.core"
local Directory = require "spec.support.directory"
local process = require "spec.support.process"

local bide = arg[1] .. "/bide"

local recipe = [[
local acceptor = require "bide.acceptor"
return { GetJob = { call = error, waitable = { JobDone = { minDelay = 2, maxDelay = 120, acceptors = {
  acceptor.output("success", "state", "done"), acceptor.output("failure", "state", "failed"), acceptor.transient(),
} } } } }
]]

local case = [[
  { name = "job %d", waiter = "JobDone", answers = { { output = { state = "queued", n = %d } } },
    expect = { state = "failure", reason = "maxWait", attempts = 61 } },
]]

local function test_file()
  local cases = {}
  for number = 1, 1000 do cases[number] = case:format(number, number) end
  return 'return { recipe = "./jobs.lua",\n' .. table.concat(cases) .. "}\n"
end

---The least time of several runs says most: whatever else the machine does can only add to it.
local function least_of(runs, path)
  local least
  for _ = 1, runs do
    local done = process.run({ bide, "test", path }, { longest = 600 })
    assert(done.code == 0, done.stdout)
    if not least or done.elapsed < least.elapsed then least = done end
  end
  return least
end

local directory = Directory.make()
directory:write("jobs.lua", recipe)
for name, path in pairs { one_file = directory:write("jobs.wait.lua", test_file()), bundled = "spec/cases" } do
  local done = least_of(5, path)
  print(core.json.encode { bench = "cases", of = name, seconds = math.floor(done.elapsed * 1000) / 1000,
    target = name == "bundled" and 3 or 1, said = done.stdout:match "[^\n]+\n?$" })
end
directory:remove()
