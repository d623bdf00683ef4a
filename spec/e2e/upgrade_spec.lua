---The recipes and scripts of the last release's pages run unchanged: they load, and do what they did, but for
---what the changelog says.

local Examples = require "spec.support.examples"
local process = require "spec.support.process"

---What those examples print now, where that is not what the page of the release said.
local printed_now = {
  ["bide run jobs.lua id=1 --max-wait 10s --quiet --journal waits.db --resume"] =
    'bide: the journal has no such wait; a new one begins\nJobDone succeeded after 2 attempts in 0.1 s: state is "done"\n',
  ["bide run backup.lua id=1 --max-wait 10s --quiet"] =
    'bide: warning: acceptor.passing is now called acceptor.transient; the old name goes with the next release\n'
    .. 'BackupDone succeeded after 3 attempts in 0.1 s: state is "done"\n',
  ["bide run jobs.lua id=2 --max-wait 10s --quiet"] = "JobDone failed after 1 attempt in 0 s: disk full\n",
  ["bide run http url=http://localhost:8080/health --max-wait 30s --quiet"] =
    "ServiceHealthy succeeded after 1 attempt in 0.01 s: the status is 200\n",
  ["bide run gently.lua id=2 --max-wait 10s --quiet"] =
    "JobKnown succeeded after 1 attempt in 0.003 s: the status is 200\n",
  ["bide journal prune --journal waits.db"] = "1 run and 0 requests forgotten\n",
  ["bide exec deploy.lua"] = [[
JobDone: attempt 1, 0 s of 10 s: error ServiceUnavailable (503): Service Unavailable, next in 0.1 s
JobDone: attempt 2, 0.1 s of 10 s: state is "done"
done	2
JobDone: attempt 1, 0 s of 10 s: state is "failed"
acceptor	JobDone failed after 1 attempt in 0 s: disk full
CounterFull: attempt 1, 0 s of 1 s: count == `2` is true
a
]],
  ["bide exec many.lua"] = [[
first: attempt 1, 0 s of 10 s: error ServiceUnavailable (503): Service Unavailable, next in 0.1 s
second: attempt 1, 0 s of 10 s: state is "failed"
first: attempt 2, 0.1 s of 10 s: state is "done"
success	success
quick	slow
false	Timeout
HELLO
]],
}

---What examples print in other words now, as patterns and replacements of what the page of the release has.
local said_now = {
  ["^bide replay rollout.lua "] = { "(1 of at most 3 in a row, next in 8 s)\n", "%1, as Retry-After asks\n" },
}

---Returns what an example of the release prints now.
local function expected_of(example)
  for pattern, change in pairs(said_now) do
    if example.command:find(pattern) then return (example.output:gsub(change[1], change[2])) end
  end
  return printed_now[example.command] or example.output
end

for _, release in ipairs { "0.1.0" } do
  describe("the examples of " .. release, function()
    local examples = Examples.of(("spec/e2e/data/releases/%s.md"):format(release))

    setup(function() examples:set_up() end)
    teardown(function() examples:tear_down() end)

    for _, example in ipairs(examples.list) do
      it("$ " .. example.command, function()
        local done = examples:run(example)
        local printed = expected_of(example)
        assert.equal(Examples.without_numbers(printed), Examples.without_numbers(done.stdout))
        assert.equal(example.code, done.code)
      end)
    end
  end)
end

---Words of `bide run` as the pages and headers of 0.1.0 have them, and the exit code; URL stands for the service.
local runs = {
  { { "http", "url=URL/health" }, 0 },
  { { "http", "ServiceHealthy", "url=URL/jobs/2", "path=state", "expect=failed" }, 0 },
  { { "http", "url=URL/jobs/2", "path=state == 'failed'", "timeout=5" }, 0 },
  { { "http", "url=URL/jobs/2", "expect=disk full", "timeout:=5" }, 0 },
  { { "http", "url=URL/nothing", "status=404", 'headers:={"Accept": "text/plain"}' }, 0 },
  { { "http", "url=URL/health", "status=204" }, 124 },
  { { "http", "url=URL/jobs/2", "path=state", "expect=done" }, 124 },
  { { "http", "ServiceDown", "url=URL/health" }, 124 },
  { { "http", "ServiceDown", "url=http://127.0.0.1:1/" }, 0 },
  { { "http", "url=nonsense://x" }, 2 },
  { { "command", "run=true" }, 0 },
  { { "command", 'argv:=["sh", "-c", "exit 3"]', "code=3", "timeout=5" }, 0 },
  { { "command", [[run=echo '{"status":{"phase":"Running"}}']], "path=status.phase", "expect=Running" }, 0 },
  { { "command", "run=echo well", "expect=well" }, 0 },
  { { "command", "run=exit 1" }, 124 },
  { { "command", "run=no-such-program" }, 3 },
}

describe("the inputs of 0.1.0 for", function()
  local examples = Examples.of "spec/e2e/data/releases/0.1.0.md"

  setup(function() examples:set_up() end)
  teardown(function() examples:tear_down() end)

  for _, run in ipairs(runs) do
    it(table.concat(run[1], " "), function()
      local words = { "run" }
      for _, word in ipairs(run[1]) do words[#words + 1] = (word:gsub("URL", "http://" .. examples.address)) end
      for _, word in ipairs { "--max-wait", run[2] == 124 and "100ms" or "9s", "--quiet" } do words[#words + 1] = word end
      process.run({ process.bide, table.unpack(words) }):ends(run[2])
    end)
  end
end)

---About a screen.
local MOST_LINES = 60

describe("the changelog", function()
  it("has at most a screen for each release", function()
    local release, lines
    for line in io.lines "docs/CHANGELOG.md" do
      local name = line:match "^## (.*)"
      if name then release, lines = name, 0 end
      lines = lines and lines + 1
      assert(not lines or lines <= MOST_LINES, ("%s has more than %d lines"):format(release, MOST_LINES))
    end
  end)
end)
