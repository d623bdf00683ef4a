---`--resume` reported an old outcome for another question, where what differed was not on the command line: the region in a
---profile of AWS, a cluster in the file of `kubeconfig=`, a database in PGDATABASE, one more file of --with.

local Workspace = require "spec.support.workspace"

local config = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: u}}]\n"
  .. 'clusters: [{name: a, cluster: {server: "http://127.0.0.1:%d"}}]\nusers: [{name: u, user: {token: x}}]\n'

local aws = "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_CONFIG_FILE=region AWS_SHARED_CREDENTIALS_FILE=keys "
local postgres = '"$BIDE" postgres RowFound postgres://127.0.0.1:1 "SELECT 1" --max-wait 100ms'

---`file` has a content when the run is recorded, and another one when it is resumed.
local rows = {
  { name = "the region of a profile", file = "region", "[default]\nregion=eu-west-1\n", "[default]\nregion=eu-west-2\n",
    line = aws .. '"$BIDE" aws dynamodb table-exists TableName=abc --endpoint http://127.0.0.1:1 --max-wait 1ms' },
  { name = "the region that a recipe of one's own reads", file = "region", "[default]\nregion=eu-west-1\n",
    "[default]\nregion=eu-west-2\n", line = aws .. '"$BIDE" run ./own.lua --max-wait 1s' },
  { name = "the cluster in a kubeconfig that is named", file = "cluster", config:format(1), config:format(2),
    line = '"$BIDE" kubernetes pod/x kubeconfig=cluster --max-wait 100ms' },
  { name = "the cluster in the kubeconfig of the environment", file = "cluster", config:format(1), config:format(2),
    line = 'KUBECONFIG=cluster "$BIDE" kubernetes pod/x --max-wait 100ms' },
  { name = "the daemon of Docker", file = "name", "a", "b",
    line = 'DOCKER_HOST=unix:///$(cat name) "$BIDE" docker db --max-wait 100ms' },
  { name = "the database of the environment", file = "name", "a", "b", line = 'PGUSER=u PGDATABASE=$(cat name) ' .. postgres },
}

describe("an old outcome", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("keys", "[default]\naws_access_key_id = a\n")
    workspace:write("own.lua", [[local profiles = require "bide.aws.profiles"
      return { Get = { call = function() return { region = profiles.open() and 1 } end,
        waitable = { Up = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
  end)

  ---Records an outcome that nobody has seen, and resumes its run.
  local function resume(first, line)
    workspace:shell(first .. " -q --journal j >/dev/full 2>/dev/full")
    return workspace:shell(line .. " -q --journal j --resume")
  end

  for _, row in ipairs(rows) do
    it("is none for another question: " .. row.name, function()
      workspace:write(row.file, row[1])
      local before = workspace:shell(row.line .. " -q --journal j >/dev/full 2>/dev/full; echo $?")
      assert.not_equal("2\n", before.stdout, before.stderr)
      workspace:write(row.file, row[2])
      assert.matches("differs in the service", workspace:shell(row.line .. " -q --journal j --resume").stderr, 1, true)
    end)
    it("is reported if nothing differs: " .. row.name, function()
      workspace:write(row.file, row[1])
      assert.matches("reporting it now", resume(row.line, row.line).stderr, 1, true)
    end)
  end

  it("is reported after a renewal of keys", function()
    workspace:write("region", "[default]\nregion=eu-west-1\n")
    workspace:shell(rows[1].line .. " -q --journal j >/dev/full 2>/dev/full")
    workspace:write("keys", "[default]\naws_access_key_id = c\n")
    assert.matches("reporting it now", workspace:shell(rows[1].line .. " -q --journal j --resume").stderr, 1, true)
  end)

  it("is none with one more file of --with, or one less", function()
    workspace:write("trait.json", '{"Up": {"acceptors": [{"state": "success", "matcher": {"lua": "m"}}]}}')
    workspace:write("a.lua", 'require "bide".matcher("m", function() return true end) return { Get = function() return {} end }')
    workspace:write("b.lua", 'require "bide".matcher("n", function() return true end) return {}')
    local one = '"$BIDE" run ./trait.json --with a.lua --max-wait 1s'
    for _, pair in ipairs { { one, one .. " --with b.lua", "/b.lua was not part of run 1" },
      { one .. " --with b.lua", one, "/b.lua was part of run 1, and is not given now" } } do
      workspace:shell "rm -f j j-*"
      resume(pair[1], pair[2]):says(2, pair[3])
    end
  end)
end)
