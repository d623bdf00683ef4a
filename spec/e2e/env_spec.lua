local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local tables = require "bide.text.tables"

describe("--env", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(function()
    return { body = '{"id": 7, "name": "a b", "list": [1, "x"], "none": null}', headers = { ["x-state"] = "up" } }
  end)

  local function run(words, line)
    local all = { "run", table.unpack(words) }
    table.move({ "--max-wait", "50s", "--quiet", "--", "/bin/sh", "-c", line }, 1, 7, #all + 1, all)
    return workspace:bide(all)
  end

  it("hands values of the output to COMMAND", function()
    local done = run({ "http", server.url, "--env", "ID=id", "--env", "NAME=name", "--env", "LIST=list", "--env",
      "ALL=[id, none]", "--env", "STATE=header('x-state')", "--env",
      "STATUS=status()" }, [[echo "$ID|$NAME|$LIST|$ALL|$STATE|$STATUS"]])
    assert.same({ 0, '7|a b|[1,"x"]|[7,null]|up|200\n' }, { done.code, done.stdout }, done.stderr)
  end)

  it("hands what several waits found, and leaves out those that have not succeeded", function()
    local words = { "command", "echo version 1.2", "matches=([.\\d]+)", "--env", "A=captures[0]", "+", "http", server.url,
      "--env", "B=id" }
    assert.equal("1.2 7\n", run(words, "echo $A $B").stdout)
    words = { "command", "exit 1", "--env", "A=@", "+", "http", server.url, "--env", "B=id", "--any" }
    assert.equal("- 7\n", run(words, "echo ${A--} $B").stdout)
    words = { "run", "command", "exit 1", "--env", "A=@", "+", "http", server.url, "--any", "--max-wait", "50s", "-q", "--" }
    local done = workspace:bide(tables.joined(words, { "/bin/sh", "-c", "echo ${A--}" }), { env = { A = "old" } })
    assert.equal("-\n", done.stdout)
    workspace:write("list.json", ('[{"recipe": "http", "input": {"url": "%s"}, "env": ["ID=id"]}]'):format(server.url))
    assert.equal("7\n", run({ "list.json" }, "echo $ID").stdout)
  end)

  it("reaches a COMMAND that runs beside a program", function()
    local done = run({ "http", server.url, "--env", "ID=id", "--start", "sleep 60" }, "echo $ID")
    assert.same({ 0, "7\n" }, { done.code, done.stdout }, done.stderr)
  end)

  for path, why in pairs {
    ["none"] = "none is null", ["nothing.at.all"] = "nothing.at.all is null",
    ["length(none)"] = "cannot be evaluated: invalid-type",
    ["header('x-none')"] = "header('x-none') is null",
  } do
    it("keeps COMMAND from running without a value: " .. path, function()
      local done = run({ "http", server.url, "--env", "X=" .. path }, "echo ran")
      assert.same({ 1, "" }, { done.code, done.stdout })
      assert.matches(why, done.stderr, 1, true)
      assert.matches("so COMMAND does not run", done.stderr, 1, true)
    end)
  end

  it("refuses a NUL byte, which an environment cannot hold", function()
    local done = run({ "command", [[printf '{"a": "x\\u0000y"}']], "--env", "X=a" }, "echo ran")
    assert.same({ 1, "" }, { done.code, done.stdout })
    assert.matches("a has a NUL byte", done.stderr, 1, true)
  end)

  for _, row in ipairs {
    { "--env=X=id", nil, "--env is for COMMAND, and there is none" },
    { "--env=1X=id", true, 'expected NAME=EXPRESSION, found "1X=id"' },
    { "--env=X", true, "expected NAME=EXPRESSION" }, { "--env=X=", true, "expected NAME=EXPRESSION" },
    { "--env=X=a[", true, "--env: X: syntax" }, { "--env=X=id --env=X=name", true, "--env: X is given twice" },
    { "--env=X=id --sandbox", true, "--env and --sandbox exclude each other" },
    { "--env=X=id --each lines", true, "--env is for one wait" },
  } do
    it("is refused before anything is sent: " .. row[1], function()
      local words = { "run", "http", "127.0.0.1:1", "--max-wait", "50s" }
      for word in row[1]:gmatch "%S+" do words[#words + 1] = word end
      if row[2] then table.move({ "--", "true" }, 1, 2, #words + 1, words) end
      workspace:bide(words):says(2, row[3])
    end)
  end
end)
