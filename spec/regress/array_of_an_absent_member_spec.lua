---`--until "to_array(jobs)"` was a yes for an answer without jobs: [null] is a list that is not empty.

local Workspace = require "spec.support.workspace"

describe("a condition on an array of one value", function()
  local workspace = Workspace.of_block()

  local function run(answer, condition, ...)
    return workspace:bide { "command", ("echo '%s'"):format(answer), "--until", condition, "--max-wait", "30s",
      "--max-attempts", "1", "--quiet", ... }
  end

  for _, condition in ipairs { "to_array(jobs)", "to_array(a.jobs)", "jobs | to_array(@)", "length(to_array(jobs)) > `0`",
    "to_array(list[0].jobs)" } do
    it("is no yes if no answer has had the member: " .. condition, function()
      run('{"a":{},"list":[{}]}', condition):says(4, "does not count: no answer has had the member jobs")
    end)
  end

  it("is one for a value, and where absence is accepted", function()
    assert.equal(0, run('{"jobs":1}', "to_array(jobs)").code)
    assert.equal(0, run('{"jobs":null}', "to_array(jobs)").code)
    assert.equal(0, run('{"a":1}', "to_array(jobs)", "--allow-missing").code)
    assert.equal(0, run('{"a":1}', "to_array(jobs) && false || to_array(a)").code)
  end)
end)
