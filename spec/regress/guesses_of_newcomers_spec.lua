---What a person tries first was refused without a way out, or taken for another thing: a collector without its scheme was the
---name of a file, a list of texts a mistake of JSON, an option of a report a misspelt one.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local rows = {
  { "tcp x:1 --max-wait 1s --junit report.xml", 2, "unknown option '--junit', did you mean --output junit=FILE?" },
  { "tcp x:1 --max-wait 1s --otlp http://x", 2, "did you mean --output otlp=URL?" },
  { "tcp x:1 --max-wait 1s --once", 2, "did you mean --max-attempts 1?" },
  { "tcp x:1 --max-wait 1s --output otlp=localhost:4318", 2, "expected a URL such as otlp=http://localhost:4318, or" },
  { "tcp --each hosts --max-wait 1s", 2, "hosts:1: expected a JSON object on each line, the input of a wait, found "
    .. [["localhost:1"; jq -Rc '{host: .}' hosts prints such lines]] },
  { "run --each hosts --max-wait 1s", 2, 'the input of a wait, found "localhost:1"\n' },
  { "tcp --each list.json --max-wait 1s", 2, "; jq -c '.[]' list.json prints such lines" },
  { "run ./hosts --max-wait 1s", 2, "./hosts: expected a recipe in Lua or JSON, or a list of waits, found a text" },
  { "run entry.json --max-wait 1s", 2, 'host: unknown member, an input belongs into input: {"host": …}\n' },
  { "run limit.json --max-wait 1s", 2, "maxwait: unknown member, it holds for the run: --max-wait\n" },
  { "run ./waits.jsonl --max-wait 1s", 2, "waits.jsonl:2:1: found '{' where the end of the text should be; bide run --each " },
  { "check thing", 2, "thing: no such file or directory; the file of this folder is ./thing.lua" },
  { "query a '{\"a\": 1}'", 2, "expected a file, or JSON on standard input, found " },
  { "exec thing.lua", 5, [[thing.lua:1: attempt to index a nil value (global 'bide'); write: local bide = require "bide"]] },
  { "exec http.lua", 5, [[(global 'http'); write: local http = require "bide.http"]] },
  { "exec bare.lua", 5, [[the URL does not begin with http:// or https://, but with "localhost:8080"]] },
  { "exec named.lua", 5, "the URL does not begin with http:// or https://\n" },
  { "jobs 1 --store w.db", 2, "bide jobs show 1 prints a run" },
  { "journal j.db", 2, "the journal is --journal j.db" },
  { "watch 9 --store w.db", 2, [[expected the number of a run of the store, found "9"; bide jobs lists them]] },
  { "command true --max-wait 1s --verbose", 0, "CommandSucceeded" },
}

describe("what a newcomer writes", function()
  local workspace = Workspace.of_each {
    hosts = "localhost:1\nlocalhost:2\n", ["list.json"] = '[{"host": "localhost", "port": 1}]\n',
    ["thing.lua"] = "return bide.sleep(1)\n", ["http.lua"] = 'return http.get "http://localhost:1"\n',
    ["entry.json"] = '[{"recipe": "tcp", "host": "x:1"}]', ["limit.json"] = '[{"recipe": "tcp", "maxwait": "3s"}]',
    ["waits.jsonl"] = '{"recipe": "tcp"}\n{"recipe": "tcp"}\n',
    ["bare.lua"] = 'return require("bide.http").get "localhost:8080/health"\n',
    ["named.lua"] = 'return require("bide.http").get "user:word@localhost:8080/health"\n',
  }

  for _, row in ipairs(rows) do
    it("is answered with a way out: " .. row[1], function()
      if row[1]:find "w%.db" then workspace:bide { "submit", "tcp", "x:1", "--max-wait", "1h", "--store", "w.db" } end
      workspace:shell('"$BIDE" ' .. row[1]):says(row[2], row[3])
    end)
  end

  local server = Server.of_each(function() return { body = "up" } end)

  it("shows the note of an attempt once", function()
    local done = workspace:bide { "http", server.url, "--max-wait", "50s", "--verbose" }
    assert.equal(0, done.code, done.stderr)
    assert.equal(1, select(2, done.stderr:gsub("the body is not JSON", "")), done.stderr)
  end)
end)
