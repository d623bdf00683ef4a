---`bide watch --exit-code NAME=N` took any NAME: a misspelt one was never the one that ended the wait, so the code stayed that
---of bide, which a script took for another cause. A list of waits was refused at its end only, which may be days away.

local Workspace = require "spec.support.workspace"

local slow = [[return { Get = { call = function() return {} end, waitable = { Done = { minDelay = 60, maxDelay = 60, acceptors = {
  { state = "failure", name = "Broken", matcher = { success = false } },
  { state = "retry", name = "Later", matcher = { output = { path = "a", comparator = "stringEquals", expected = "b" } } },
  { state = "success", matcher = { output = { path = "a", comparator = "stringEquals", expected = "c" } } } } } } } }]]

describe("an exit code of bide watch for an outcome that the waiter has not", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("slow.lua", slow)
    workspace:shell '"$BIDE" submit ./slow.lua --store s.db --max-wait 1h'
    workspace:shell '"$BIDE" submit ./slow.lua + ./slow.lua --store s.db --max-wait 1h'
  end)

  for words, mistake in pairs {
    ["1 --exit-code Brokn=3"] = '--exit-code: no acceptor that ends run 1 is called "Brokn"; did you mean "Broken"?',
    ["1 --exit-code Later=3"] = '--exit-code: no acceptor that ends run 1 is called "Later"; they are called Broken',
    ["2 --exit-code Broken=3"] = "--exit-code is for a run of one wait, and run 2 is a list of 2",
  } do
    it("is refused before the run has ended: " .. words, function()
      local done = workspace:shell(('"$BIDE" watch %s --store s.db --for 20s --quiet'):format(words))
      assert.same({ 2, "", "bide: " .. mistake .. "\n" }, { done.code, done.stdout, done.stderr })
    end)
  end

  it("is one of the names otherwise", function()
    assert.equal(75, workspace:shell('"$BIDE" watch 1 --exit-code Broken=3 --store s.db --for 0.1s --quiet').code)
  end)
end)
