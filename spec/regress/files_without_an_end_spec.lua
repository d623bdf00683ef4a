---Files that a person names were read without a limit: `/dev/zero` was read until memory ended (exit code 70, or the kernel's
---killer), and so were a file of gigabytes and an endless standard input. A pipe with a name that no program writes to was
---waited for without an end.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a file without an end", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("trait.json", '{"Waiter": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    assert.equal(0, workspace:shell("truncate -s 3G sparse; mkfifo pipe").code)
  end)

  ---Runs a line with little memory: much less than any of the files would take.
  local function run(line)
    local limit = process.is_sanitized and "" or "ulimit -v 800000; " -- the sanitizer's shadow is larger
    return workspace:shell(limit .. line)
  end

  local function names()
    return workspace:shell("ls").stdout
  end

  ---Command lines, the largest size that they take, and the size of the file that they say (of a device they know none).
  local lines = {
    { "run http url=@file:FILE", "url: FILE", 1 },
    { "run http url=x --input @FILE", "--input: FILE", 64 },
    { "run ./FILE Waiter", "FILE", 64 },
    { "run trait.json --with ./FILE", "FILE", 64 },
    { "run http url=https://127.0.0.1:1 ca=FILE", "ca: FILE", 4 },
    { "run kubernetes pod/web kubeconfig=FILE", "FILE", 1 },
    { "run http --each FILE", "--each: FILE: a line", 64, true },
    { "step http url=http://127.0.0.1:1 --state - --state-key @file:FILE", "--state-key: FILE", 1 },
    { "replay trait.json Waiter FILE", "FILE: a line", 64, true },
    { "check ./FILE", "FILE", 64, nil, true },
    { "test ./FILE", "FILE", 64, nil, true },
    { "exec ./FILE", "FILE", 64, nil, true },
    { "convert FILE --to idl", "FILE", 64, nil, true },
  }

  for _, row in ipairs(lines) do
    local line, place, most, is_list, has_no_limit = table.unpack(row, 1, 5)
    it("is refused by its size: bide " .. line, function()
      local before = names()
      for _, file in ipairs { "/dev/zero", "sparse" } do
        local words = line:gsub("%./FILE", file == "sparse" and "./sparse" or file):gsub("FILE", file)
        local done = run(("\"$BIDE\" %s%s </dev/null"):format(words, has_no_limit and "" or " --max-wait 50s"))
        local found = file == "sparse" and not is_list and "3072.0 MiB" or "more"
        done:says(2, ("%s: expected at most %d MiB, found %s"):format(place:gsub("FILE", file), most, found))
        assert.equal("", done.stdout)
      end
      assert.equal(before, names())
    end)
  end

  it("is refused by bide query where its JSON ends", function()
    for _, file in ipairs { "/dev/zero", "sparse" } do
      local done = run(('"$BIDE" query a %s </dev/null'):format(file))
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches(file .. ": found the end where a value should be, at line 1, column 1", done.stderr, 1, true)
    end
  end)

  it("is refused as the state of a step", function()
    local done = run [["$BIDE" step http url=http://127.0.0.1:1 --max-wait 2s --state sparse]]
    assert.equal(2, done.code)
    assert.matches("--state: .*/sparse: expected at most 1 MiB, found 3072.0 MiB\n$", done.stderr)
    os.remove(workspace.path .. "/sparse-lock")
  end)

  it("is refused on standard input", function()
    for line, place in pairs {
      ["run http --input @- --max-wait 2s"] = "--input: standard input: expected at most 64 MiB",
      ["run http url=@file:- --max-wait 2s"] = "url: standard input: expected at most 1 MiB",
      ["run http --each - --max-wait 2s"] = "--each: -: a line: expected at most 64 MiB",
      ["step http url=x --state - --max-wait 2s"] = "--state: standard input: expected at most 1 MiB",
      ["exec -"] = "standard input: expected at most 64 MiB",
    } do
      run(('"$BIDE" %s </dev/zero'):format(line)):says(2, place .. ", found more")
    end
  end)

  it("is refused as one document of standard input, which may have any number", function()
    local done = run [[{ echo '{"a": 1}'; printf '["'; tr '\0' x </dev/zero; } | "$BIDE" query a -]]
    assert.same({ 2, "1\n" }, { done.code, done.stdout }, done.stderr)
    assert.matches("standard input: a document: expected at most 64 MiB, found more", done.stderr, 1, true)
  end)

  it("is refused as a pipe that no program writes to", function()
    for line, place in pairs {
      ["query a pipe"] = "bide: pipe, a pipe that no program has opened to write: it takes too long to load",
      ["run http url=@file:pipe --max-wait 2s"] = "bide: pipe, a pipe that no program has opened",
      ["run http --each pipe --max-wait 2s"] = "bide: pipe, a pipe that no program has opened",
      ["run ./pipe --max-wait 2s"] = "bide: ./pipe: it takes too long to load",
    } do
      workspace:shell(('"$BIDE" %s --load-timeout 300ms </dev/null'):format(line)):says(2, place)
    end
  end)

  it("leaves a signal its effect while a pipe is awaited", function()
    workspace:shell([["$BIDE" test ./pipe & sleep 0.3; kill -TERM $!; wait $!]]):ends(128 + 15)
  end)

  it("leaves pipes that a program writes to as they are, however late it begins", function()
    workspace:write("given.sh", [[
set -e
(sleep 0.3; echo '{"a": 1}' >pipe) & "$BIDE" query a pipe
"$BIDE" query a <(echo '{"a": 2}')
"$BIDE" run trait.json --max-wait 1s --with <(echo 'return { Waiter = { call = function(input) return input end } }') \
  --each <(printf '{"a": 1}\n\n{"a": 2}') --quiet && echo 3
"$BIDE" replay trait.json Waiter <(echo '{"output": 1}') a=@file:<(echo b) --max-wait 1s --quiet && echo 4
]])
    local done = workspace:shell "bash given.sh"
    assert.equal("1\n2\n3\n4\n", (done.stdout:gsub("[^\n]* succeeded[^\n]*\n", "")), done.stderr)
  end)
end)
