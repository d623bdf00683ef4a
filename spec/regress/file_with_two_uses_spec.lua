---A file that a command line named for two purposes lost the first of them in silence: the journal, the list of waits or the
---recorded answers were overwritten by a report, and COMMAND's output by the events.

local Workspace = require "spec.support.workspace"

---Each row: the words of a command that writes `f`, or a link to it, and what is said.
local rows = {
  { "command true --output json=f --metrics-file f", "--output: f is given twice: for --metrics-file, and for --output json" },
  { "command true --record f --events f", "--record: f is given twice: for --events, and for --record" },
  { "command true --record f --output tap=./f", "--output: ./f is given twice: for --record, and for --output tap" },
  { "command true --journal f --record f", "--journal: f is given twice: for --record, and for --journal" },
  { "command true --journal f --events f", "--journal: f is given twice: for --events, and for --journal" },
  { "command true --store f --output json=f", "--output: f is given twice: for --store, and for --output json" },
  { "command true --output otlp=f --output json=f", "--output: f is given twice: for --output otlp, and for --output json" },
  { "command true --start true --start-log f --events f -- true", "--start-log: f is given twice: for --events, and for" },
  { "command --each f --output json=f", "--output: f is given twice: to be read, and for --output json" },
  { "command --input @f --events f", "--events: f is given twice: to be read, and for --events" },
  { "command run=@file:f --events f", "--events: f is given twice: to be read, and for --events" },
  { "./f --events f", "--events: f is given twice: to be read, and for --events" },
  { "command true --while ./f --events f", "--events: f is given twice: to be read, and for --events" },
  { "command true --events link --record f", "--record: f is given twice: for --events, and for --record" },
  { "command true --metrics-file - --events -", "--metrics-file: expected a file, found -; ./- is one of that name" },
  { "command true --journal -", "--journal: expected a file, found -; ./- is one of that name" },
}

describe("a file with two uses", function()
  local workspace = Workspace.of_each()

  before_each(function() workspace:shell "ln -s f link" end)

  for _, row in ipairs(rows) do
    local words, says = table.unpack(row)
    it("is refused before it is opened: " .. words, function()
      for _, content in ipairs { "kept\n", false } do
        if content then workspace:write("f", content) else os.remove(workspace.path .. "/f") end
        local done = workspace:shell('"$BIDE" run --max-wait 1s --quiet ' .. words)
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        assert.matches(says, done.stderr, 1, true)
        local is_there, text = pcall(workspace.read, workspace, "f")
        assert.equal(content, is_there and text)
      end
    end)
  end

  it("is refused for the answers of a replay", function()
    workspace:write("t.json", '{"T":{"acceptors":[{"state":"success","matcher":{"success":true}}]}}')
    workspace:write("f", '{"output":{}}\n')
    local done = workspace:shell '"$BIDE" replay t.json T f --max-wait 1s --events link'
    assert.same({ 2, '{"output":{}}\n' }, { done.code, workspace:read "f" })
    assert.matches("--events: link is given twice: to be read, and for --events", done.stderr, 1, true)
  end)

  local written = { "--events /dev/stdout", "--output json=/dev/stdout", "--metrics-file /dev/stdout", "--output tap=f" }
  for _, words in ipairs(written) do
    it("is refused where it is the standard output of COMMAND: " .. words, function()
      local line = ('"$BIDE" command true --max-wait 1s --quiet %s -- echo COMMAND >f'):format(words)
      workspace:shell(line):says(2, "is given twice: for COMMAND's standard output, and for -")
    end)
  end

  it("is refused in a pipe of COMMAND, too, and not for a device", function()
    local words = '"$BIDE" command true --max-wait 50s --quiet --events /dev/stdout -- echo COMMAND'
    local done = workspace:shell(("{ %s; echo $? >code; } | cat"):format(words))
    assert.same({ "", "2\n" }, { done.stdout, workspace:read "code" })
    assert.equal(0, workspace:shell('"$BIDE" command true --max-wait 50s --quiet --events /dev/null -- true >/dev/null').code)
  end)

  it("is refused where the environment names it", function()
    for name, option in pairs { BIDE_STORE = "--store", BIDE_JOURNAL = "--journal" } do
      workspace:write("f", "kept\n")
      local done = workspace:shell(('%s=f "$BIDE" run command true --max-wait 1s --output json=link'):format(name))
      assert.same({ 2, "kept\n" }, { done.code, workspace:read "f" }, done.stderr)
      assert.matches(("--output: link is given twice: for %s, and for --output json"):format(option), done.stderr, 1, true)
    end
  end)

  it("is refused for the report of a journal, and for a plan of a recipe", function()
    assert.equal(0, workspace:shell('"$BIDE" command true --max-wait 1s --journal f').code)
    for _, words in ipairs { "journal report --journal f --output html=link", "plan ./f T --max-wait 1s --output json=link" } do
      workspace:shell('"$BIDE" ' .. words):says(2, "--output: link is given twice: ")
      assert.matches("^SQLite format 3", workspace:read "f")
    end
  end)

  it("is standard output as `-`, for a report as for events", function()
    local done = workspace:shell '"$BIDE" command true --max-wait 50s --quiet --output json=-'
    assert.equal(0, done.code, done.stderr)
    assert.matches('^{\n  "waiter": "CommandSucceeded"', done.stdout)
    assert.is_false(pcall(workspace.read, workspace, "-"))
  end)
end)
