---bide query, as people who know jp and jq expect it.

local Workspace = require "spec.support.workspace"

describe("bide query", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("stacks.json", '{"Stacks": [{"Name": "a", "Size": 1}, {"Name": "b", "Size": 2.5}]}')
    workspace:write("lines.jsonl", '{"a": 1}\n{"a": "x"}\n\n{"b": null}\n')
    workspace:write("empty.json", "")
    workspace:write("broken.jsonl", '{"a": 1}\n{"a": }\n')
    workspace:write("functions.lua",
      'require("bide").jmespath.register("double", { "number", returns = "number" }, function(n) return n * 2 end)\n'
      .. 'require("bide").jmespath.register("fail", {}, function() error("on purpose") end)\n')
  end)

  ---what is given, the exit code, standard output, a part of standard error
  local cases = {
    { { "Stacks[].Name", "stacks.json" }, 0, '[\n  "a",\n  "b"\n]\n' },
    { { "-c", "Stacks[].Name", "stacks.json" }, 0, '["a","b"]\n' },
    { { "--compact", "Stacks[0]", "stacks.json" }, 0, '{"Name":"a","Size":1}\n' },
    { { "-c", "nothing", "stacks.json" }, 0, "null\n" },
    { { "-r", "Stacks[0].Name", "stacks.json" }, 0, "a\n" },
    { { "-r", "Stacks[].Name", "stacks.json" }, 0, "a\nb\n" },
    { { "-r", "Stacks[].Size", "stacks.json" }, 0, "1\n2.5\n" },
    { { "-c", "a", "lines.jsonl" }, 0, '1\n"x"\nnull\n' },
    { { "-c", "a", "broken.jsonl" }, 2, "1\n", "broken.jsonl: found '}' where a value should be, at line 2, column 7" },
    { { "a", "missing.json" }, 2, "", "missing.json" },
    { { "Stacks[", "stacks.json" }, 2, "",
      "syntax: found the end where a number, ':' or '*' should be\n  Stacks[\n         ^\n" },
    { { "abs(Stacks)", "stacks.json" }, 1, "", "invalid-type: argument 1 of abs() must be a number, not array" },
    { { "Stacks[::0]", "stacks.json" }, 2, "", "invalid-value: the step of a slice cannot be 0" },
    { { "abs()", "stacks.json" }, 2, "", "invalid-arity: abs() takes 1 argument, not 0" },
    { { "lenght(@)", "stacks.json" }, 2, "", "unknown-function: there is no function lenght(); did you mean length()?" },
    { { "--ast", "-c", "a.b" }, 0,
      '{"type":"chain","at":0,"steps":[{"type":"field","at":0,"name":"a"},{"type":"field","at":2,"name":"b"}]}\n' },
    { { "--check", "--input", "stacks.json", "Stacks[].Name" }, 0, "" },
    { { "--check", "--input", "stacks.json", "Stacks[].Nmae" }, 1,
      "danger: there is no member Nmae; did you mean Name?\n  Stacks[].Nmae\n           ^\n" },
    { { "--check", "sum(`[\"a\"]`)" }, 1,
      "error: argument 1 of sum() must be an array of numbers, not array of string\n  sum(`[\"a\"]`)\n      ^\n" },
    { { "--check", "--input", "lines.jsonl", "[a, c]" }, 1,
      "danger: there is no member c\n  [a, c]\n      ^\n" },
    { { "--check", "--input", "empty.json", "a" }, 2, "", "empty.json: found no JSON document" },
    { { "--check", "lenght(a)" }, 2, "", "unknown-function: there is no function lenght(); did you mean length()?" },
    { { "--check", "abs(a, b)" }, 2, "", "invalid-arity: abs() takes 1 argument, not 2" },
    { { "--check", "--input", "stacks.json", "Stacks.Name" }, 1,
      "danger: the field Name needs an object, but is applied to a value of type array\n  Stacks.Name\n         ^\n" },
    { { "--check", "--input", "stacks.json", "Stacks[?Name > `1`]" }, 1,
      "warning: '>' compares numbers, but an operand is of type string: the result is null\n"
        .. "  Stacks[?Name > `1`]\n          ^\n" },
    { { "--input", "stacks.json", "a" }, 2, "", "--input needs --check" },
    { { "--with", "functions.lua", "-c", "Stacks[].double(Size)", "stacks.json" }, 0, "[2,5.0]\n" },
    { { "--with", "functions.lua", "fail()", "stacks.json" }, 5, "", "on purpose" },
    { { "--with", "missing.lua", "a", "stacks.json" }, 2, "", "missing.lua" },
    { { "--nope", "a" }, 2, "", "--nope" },
    { {}, 2, "", "EXPRESSION" },
  }
  for _, case in ipairs(cases) do
    it(table.concat(case[1], " "):gsub("%%", "%%%%") .. " exits with " .. case[2], function()
      local done = workspace:bide(table.move(case[1], 1, #case[1], 2, { "query" }))
      assert.same({ case[2], case[3] }, { done.code, done.stdout }, done.stderr)
      if case[4] then assert.truthy(done.stderr:find(case[4], 1, true), done.stderr) else assert.equal("", done.stderr) end
    end)
  end

  it("reads standard input", function()
    local done = workspace:bide({ "query", "-c", "[a, b]" }, { stdin = '{"a":[],"b":{}} {"a":9007199254740993}' })
    assert.equal('[[],{}]\n[9007199254740993,null]\n', done.stdout)
    done = workspace:bide({ "query", "a" }, { stdin = "" })
    done:says(2, "standard input: found no JSON document")
  end)

  it("answers each document of a stream that does not end", function()
    local done = workspace:shell [[
      (echo '{"a": 1}'; echo '{"a":'; sleep 0.05; echo '2}'; yes '{"a": 3}') | "$BIDE" query a | head -n 3]]
    assert.equal("1\n2\n3\n", done.stdout)
  end)

  it("has colours on a terminal, and only where they are wanted", function()
    local colour = require "bide.cli.report.json"
    assert.equal('{\27[34;1m"a\\""\27[0m:[\27[32m"b"\27[0m,\27[36m-1.5e3\27[0m,\27[35mnull\27[0m]}',
      colour.coloured('{"a\\"":["b",-1.5e3,null]}'))
    workspace:write("line.sh", [["$BIDE" query -c 'Stacks[0].Size' stacks.json]])
    local function on_terminal(setting)
      return workspace:shell(setting .. " SHELL=/bin/sh script -qec 'sh line.sh' /dev/null </dev/null").stdout
    end
    assert.equal("1\n", workspace:shell("sh line.sh").stdout)
    assert.equal("\27[36m1\27[0m\r\n", on_terminal "NO_COLOR= TERM=xterm")
    assert.equal("1\r\n", on_terminal "NO_COLOR=1 TERM=xterm")
    assert.equal("1\r\n", on_terminal "NO_COLOR= TERM=dumb")
  end)
end)
