---The recipes and scripts of the last release's pages run unchanged: they load, and do what they did, but for
---what the changelog says.

local Examples = require "spec.support.examples"

---What those examples print now, where that is not what the page of the release said.
local printed_now = {}

for _, release in ipairs { "0.1.0" } do
  describe("the examples of " .. release, function()
    local examples = Examples.of(("spec/e2e/data/releases/%s.md"):format(release))

    setup(function() examples:set_up() end)
    teardown(function() examples:tear_down() end)

    for _, example in ipairs(examples.list) do
      it("$ " .. example.command, function()
        local done = examples:run(example)
        local printed = printed_now[example.command] or example.output
        assert.equal(Examples.without_numbers(printed), Examples.without_numbers(done.stdout))
        assert.equal(example.code, done.code)
      end)
    end
  end)
end
