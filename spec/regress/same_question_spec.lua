---`--resume` reported an old outcome for another question: other values behind @env: and @file:, another folder, --any for
---all, another COMMAND, another region. An old answer counts for the same question only, and limits are those of the beginning.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---Two lines of shell: what is recorded, and what resumes it. `says` is a part of what standard error must say.
local other_questions = {
  { name = "a value behind @env:", says = "differs in the input",
    { nil, 'C=true "$BIDE" command run=@env:C --max-wait 1s -q --journal $J' },
    { nil, 'C=false "$BIDE" command run=@env:C --max-wait 1s -q --journal $J --resume -- echo COMMAND' } },
  { name = "a value behind @file:", says = "differs in the input",
    { nil, 'echo true >F; "$BIDE" command run=@file:F --max-wait 1s -q --journal $J' },
    { nil, 'echo false >F; "$BIDE" command run=@file:F --max-wait 1s -q --journal $J --resume -- echo COMMAND' } },
  { name = "an input", says = "differs in the input",
    { nil, '"$BIDE" command true --max-wait 1s -q --journal $J' },
    { nil, '"$BIDE" command false --max-wait 1s -q --journal $J --resume' } },
  { name = "the folder of a file", says = "differs in the folder",
    { "a", '"$BIDE" file done --max-wait 1s -q --journal $J' },
    { "b", '"$BIDE" file done --max-wait 1s -q --journal $J --resume' } },
  { name = "the folder of a command", says = "differs in the folder",
    { "a", '"$BIDE" command "test -e done" --max-wait 1s -q --journal $J' },
    { "b", '"$BIDE" command "test -e done" --max-wait 1s -q --journal $J --resume' } },
  { name = "the folder of a recipe of one's own", says = "differs in the folder",
    { "a", '"$BIDE" run $W/own.lua --max-wait 1s -q --journal $J' },
    { "b", '"$BIDE" run $W/own.lua --max-wait 1s -q --journal $J --resume' } },
  { name = "the folder of a COMMAND", says = "differs in the folder",
    { "a", '"$BIDE" tcp "$A" --max-wait 1s -q --journal $J -- ./deploy' },
    { "b", '"$BIDE" tcp "$CLOSED" --max-wait 1s -q --journal $J --resume -- ./deploy' } },
  { name = "the folder of a socket that is made later", says = "differs in the folder",
    { "a", '"$BIDE" http http://x/ unix=s --max-wait 100ms -q --journal $J' },
    { "b", '"$BIDE" http http://x/ unix=s --max-wait 100ms -q --journal $J --resume' } },
  { name = "the folder in which a value names a file", says = "differs in the folder",
    { "a", '"$BIDE" tcp "$CLOSED" send=done --max-wait 100ms -q --journal $J' },
    { "b", '"$BIDE" tcp "$CLOSED" send=done --max-wait 100ms -q --journal $J --resume' } },
  { name = "the folder in which a value names no file", says = "differs in the folder",
    { "b", '"$BIDE" tcp "$CLOSED" send=done --max-wait 100ms -q --journal $J' },
    { "a", '"$BIDE" tcp "$CLOSED" send=done --max-wait 100ms -q --journal $J --resume' } },
  { name = "the proxy of the environment", says = "differs in the service",
    { nil, 'http_proxy=http://$CLOSED "$BIDE" http http://x.invalid/ --max-wait 100ms -q --journal $J' },
    { nil, '"$BIDE" http http://x.invalid/ --max-wait 100ms -q --journal $J --resume' } },
  { name = "the authorities of the environment", says = "differs in the service",
    { nil, '"$BIDE" http http://x.invalid/ --max-wait 100ms -q --journal $J' },
    { nil, 'SSL_CERT_FILE=$W/own.lua "$BIDE" http http://x.invalid/ --max-wait 100ms -q --journal $J --resume' } },
  { name = "what a server of PostgreSQL has to prove", says = "differs in the service",
    { nil, 'PGSSLMODE=disable "$BIDE" postgres $CLOSED --max-wait 100ms -q --journal $J' },
    { nil, 'PGREQUIREAUTH=scram-sha-256 PGSSLMODE=disable "$BIDE" postgres $CLOSED --max-wait 100ms -q --journal $J --resume' } },
  { name = "--any for all", says = "differs in how many waits must succeed",
    { nil, '"$BIDE" run command true + command false --any --max-wait 1s -q --journal $J' },
    { nil, '"$BIDE" run command true + command false --max-wait 1s -q --journal $J --resume' } },
  { name = "--some 1 for --some 2", says = "differs in how many waits must succeed",
    { nil, '"$BIDE" run command true + command false + command false --some 1 --max-wait 1s -q --journal $J' },
    { nil, '"$BIDE" run command true + command false + command false --some 2 --max-wait 1s -q --journal $J --resume' } },
  { name = "more waits that are all alike", says = "differs in the input",
    { nil, '"$BIDE" run command false + command false --any --max-wait 100ms -q --journal $J' },
    { nil, '"$BIDE" run command false + command false + command false --any --max-wait 100ms -q --journal $J --resume' } },
  { name = "--fail", says = "differs in --until, --fail",
    { nil, [["$BIDE" command "echo '{\"s\":\"bad\"}'" --max-wait 1s -q --journal $J]] },
    { nil, [["$BIDE" command "echo '{\"s\":\"bad\"}'" --fail s=bad --max-wait 1s -q --journal $J --resume]] } },
  { name = "--allow-missing for a path", says = "differs in --until, --fail",
    { nil, [["$BIDE" command "echo '{}'" path='!s' --allow-missing --max-wait 1s -q --journal $J]] },
    { nil, [["$BIDE" command "echo '{}'" path='!s' --max-wait 1s -q --journal $J --resume]] } },
  { name = "the region of a model's service", says = "differs in the service",
    { nil, 'AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "$BIDE" aws dynamodb table-exists TableName=abc --region eu-west-1 '
      .. '--endpoint http://$CLOSED --max-wait 1ms -q --journal $J' },
    { nil, 'AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "$BIDE" aws dynamodb table-exists TableName=abc --region eu-west-2 '
      .. '--endpoint http://$CLOSED --max-wait 1ms -q --journal $J --resume' } },
  { name = "the region of the environment", says = "differs in the service",
    { nil, 'AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_REGION=eu-west-1 "$BIDE" aws dynamodb table-exists TableName=abc '
      .. '--endpoint http://$CLOSED --max-wait 1ms -q --journal $J' },
    { nil, 'AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_REGION=eu-west-2 "$BIDE" aws dynamodb table-exists TableName=abc '
      .. '--endpoint http://$CLOSED --max-wait 1ms -q --journal $J --resume' } },
}

local limits = {
  { "--max-wait 1s", "--max-wait 2s", "--max-wait 2 s: run 1 began with 1 s. Give the same;" },
  { "--max-wait 1s --max-attempts 30", "--max-wait 1s --max-attempts 40", "--max-attempts 40: run 1 began with 30" },
  { "--max-wait 1s", "--max-wait 1s --max-attempts 40", "--max-attempts 40: run 1 began with none" },
  { "--max-wait 1s --interval 20ms", "--max-wait 1s --interval 30ms", "--interval 0.03 s: run 1 began with 0.02 s" },
  { "--max-wait 1s --min-delay 20ms", "--max-wait 1s --min-delay 30ms", "--min-delay 0.03 s: run 1 began with 0.02 s" },
  { "--max-wait 1s --tolerate 3", "--max-wait 1s --tolerate 5", "--tolerate 5: run 1 began with 3" },
  { "--max-wait 1s --tolerate 3", "--max-wait 1s --tolerate 200ms", "--tolerate 0.2 s: run 1 began with 3" },
  { "--max-wait 2s --hold 300ms", "--max-wait 2s --hold 2", "--hold 2: run 1 began with 0.3 s" },
  { "--max-wait 1s --retry-after-cap 9s", "--max-wait 1s --retry-after-cap none", "cap none: run 1 began with 9 s" },
}

describe("an outcome that was not reported", function()
  local workspace = Workspace.of_each()

  before_each(function()
    for _, name in ipairs { "a", "b" } do uv.fs_mkdir(workspace.path .. "/" .. name, 448) end
    workspace:write("a/done", "")
    workspace:write("a/deploy", "#!/bin/sh\n")
    workspace:write("b/deploy", "#!/bin/sh\necho COMMAND\n")
    workspace:write("own.lua", [[return { Look = { call = function() return { is_there = io.open "done" ~= nil } end,
      waitable = { Seen = { minDelay = 0.05, maxDelay = 0.05, acceptors = { { state = "success", matcher = { output = {
        path = "is_there", comparator = "booleanEquals", expected = "true" } } } } } } } }]])
  end)

  local function shell(line)
    local text = ('W="%s"; J="$W/j"; A=127.0.0.1:1; CLOSED=127.0.0.1:1; %s'):format(workspace.path, line)
    return workspace:shell(text)
  end

  for _, row in ipairs(other_questions) do
    it("is none for another question: " .. row.name, function()
      shell(("cd %s; %s >/dev/full 2>/dev/full"):format(row[1][1] or ".", row[1][2]))
      local done = shell(("cd %s; %s"):format(row[2][1] or ".", row[2][2]))
      assert.not_equal(0, done.code, done.stdout .. done.stderr)
      assert.not_matches("COMMAND\n", done.stdout)
      assert.matches("the journal has no such wait; a new one begins. Run 1 is near, and ", done.stderr, 1, true)
      assert.matches(row.says, done.stderr, 1, true)
    end)
  end

  it("is reported for the same question, and a line says that it is old, with --quiet too", function()
    local line = 'C=true "$BIDE" command run=@env:C --max-wait 1s -q --journal $J'
    shell(line .. " >/dev/full 2>/dev/full")
    shell(line .. " --resume"):says(0, "ended before its outcome was reported; reporting it now")
  end)

  it("is reported in another folder, if nothing depends on it", function()
    shell('cd a; "$BIDE" tcp 127.0.0.1:1 --invert --max-wait 1s -q --journal $J >/dev/full 2>/dev/full')
    local done = shell('cd b; "$BIDE" tcp 127.0.0.1:1 --invert --max-wait 1s -q --journal $J --resume')
    assert.matches("reporting it now", done.stderr, 1, true)
    assert.equal(0, done.code)
  end)

  it("is none for another COMMAND, which did not run after it", function()
    shell '"$BIDE" command true --max-wait 1s -q --journal $J -- echo one >/dev/full 2>/dev/full'
    local done = shell '"$BIDE" command true --max-wait 1s -q --journal $J --resume -- echo two'
    assert.matches("no such wait; a new one begins. Run 1 is near, and differs in COMMAND", done.stderr, 1, true)
  end)

  it("holds no value that could be read from the journal", function()
    shell 'C="true hunter2" "$BIDE" command run=@env:C --max-wait 1s -q --journal $J >/dev/full 2>/dev/full'
    local bytes = workspace:read "j"
    assert.not_matches("hunter2", bytes, 1, true)
  end)
end)

describe("the limits of a resumed wait", function()
  local workspace = Workspace.of_each()

  ---Ends a wait by a signal, so that it can be resumed.
  local function interrupt(given)
    return workspace:shell(('"$BIDE" file never -q --journal j --events e %s & '
      .. 'until grep -qs start e; do sleep 0.01; done; kill $!; wait $!'):format(given))
  end

  for _, row in ipairs(limits) do
    it("are those that it began with: " .. row[2], function()
      assert.equal(143, interrupt(row[1]).code)
      local done = workspace:shell(('"$BIDE" file never -q --journal j --resume %s'):format(row[2]))
      done:says(2, row[3], "`bide journal prune 1 --journal FILE` forgets the run")
    end)
  end

  it("may be left out", function()
    assert.equal(143, interrupt "--max-wait 2s --max-attempts 9 --tolerate 3 --interval 100ms".code)
    assert.equal(4, workspace:shell('"$BIDE" file never -q --journal j --resume --max-wait 2s').code)
  end)
end)
