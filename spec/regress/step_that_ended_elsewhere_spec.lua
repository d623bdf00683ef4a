---`bide step` gave the success that an earlier step had ended with to another folder, another cluster and another region:
---an old answer is for the same question.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

local AWS = "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "

---Two lines of shell in two folders: what ends the wait, and a step after that.
local rows = {
  { name = "a file of the folder", { "a", '"$BIDE" step file there' }, { "b", '"$BIDE" step file there' } },
  { name = "a pattern of the folder",
    { "b", '"$BIDE" step file FilesGone "th*"' }, { "a", '"$BIDE" step file FilesGone "th*"' } },
  { name = "a socket of the folder", { "b", '"$BIDE" step unix SocketClosed s' }, { "a", '"$BIDE" step unix SocketClosed s' } },
  { name = "a region of the environment", { "a", AWS .. 'AWS_REGION=eu-west-1 "$BIDE" step aws:dynamodb TableExists '
    .. "TableName=abc --endpoint http://127.0.0.1:1 --max-attempts 1" }, { "a", AWS .. 'AWS_REGION=eu-west-2 "$BIDE" step '
    .. "aws:dynamodb TableExists TableName=abc --endpoint http://127.0.0.1:1 --max-attempts 1" } },
}

describe("a step after the end", function()
  local workspace = Workspace.of_block()

  setup(function()
    for _, name in ipairs { "a", "b" } do uv.fs_mkdir(workspace.path .. "/" .. name, 448) end
    workspace:write("a/there", "")
  end)

  local function step(folder, line, more)
    return workspace:shell(("cd %s; %s --max-wait 30s --state %s/state %s"):format(folder, line, workspace.path, more or ""))
  end

  for _, row in ipairs(rows) do
    it("is refused for another question: " .. row.name, function()
      os.remove(workspace.path .. "/state")
      local ended = step(row[1][1], row[1][2], "--begin")
      assert.not_equal(75, ended.code, ended.stderr)
      step(row[1][1], row[1][2]):ends(ended.code)
      step(row[2][1], row[2][2]):says(2, "the wait has ended, with another input, service or folder")
    end)
  end

  it("has the same end in another folder where nothing depends on it", function()
    os.remove(workspace.path .. "/state")
    assert.equal(0, step("a", '"$BIDE" step file "$PWD/there"', "--begin").code)
    assert.equal(0, step("b", ('"$BIDE" step file %s/a/there'):format(workspace.path)).code)
  end)

  it("continues in another folder before the end", function()
    os.remove(workspace.path .. "/state")
    assert.equal(75, step("b", '"$BIDE" step file there --interval 1ms', "--begin").code)
    assert.equal(0, step("a", '"$BIDE" step file there').code)
  end)
end)
