---RefGone succeeded for a commit with a digit too many, which no ref can point to.

local Workspace = require "spec.support.workspace"

describe("a commit of git_ref", function()
  local workspace = Workspace.of_each()

  before_each(function()
    local done = workspace:shell([[git init -q repository && cd repository && git -c user.name=x -c user.email=x@x commit -q \
      --allow-empty -m x && git branch -q -M main && git rev-parse HEAD]])
    assert.equal(0, done.code, done.stderr)
    workspace.commit = done.stdout:match "%x+"
  end)

  local function run(waiter, commit)
    return workspace:bide { "git_ref", waiter, workspace.path .. "/repository", "main", "commit=" .. commit,
      "--max-wait", "500ms", "--quiet" }
  end

  it("has no more digits than those of the repository", function()
    for _, waiter in ipairs { "RefGone", "RefExists" } do
      local done = run(waiter, workspace.commit .. "0")
      assert.equal(3, done.code, done.stdout)
      assert.matches("CommitTooLong: commit: expected at most 40 digits, found 41", done.stderr, 1, true)
    end
  end)

  it("may be whole, in part, or another one", function()
    assert.equal(0, run("RefExists", workspace.commit).code)
    assert.equal(0, run("RefExists", workspace.commit:sub(1, 7):upper()).code)
    local first = workspace.commit:sub(1, 1)
    assert.equal(0, run("RefGone", (first == "0" and "1" or "0") .. workspace.commit:sub(2)).code)
  end)
end)
