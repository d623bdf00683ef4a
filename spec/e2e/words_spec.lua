---The words behind a recipe: the waiter, KEY=VALUE, and positional inputs.

local Workspace = require "spec.support.workspace"

local bide = require "bide"

local recipe = [[
local done = { { state = "success", matcher = { success = true } } }
return { Echo = {
  default = "PortOpen",
  input = {
    host = { type = "string", positional = 1 }, port = { type = "integer", positional = 2 },
    names = { type = "list" }, pin = { type = "string" }, number = { type = "integer" },
  },
  call = function(input)
    if input.pin then error { type = "Wrong", message = "<" .. input.pin .. ">", pin = input.pin } end
    return input
  end,
  waitable = { PortOpen = { minDelay = 0.01, acceptors = done }, PortClosed = { minDelay = 0.01, acceptors = done } },
} }
]]

describe("the words of the command line", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("echo.lua", recipe)
    workspace:write("answers.jsonl", '{"output": {}}\n')
    workspace:write("pin.txt", "sesame\nstreet\r\n")
    workspace:write("many.lua", (recipe:gsub('default = "PortOpen",', "")))
    workspace:write("any.lua", (recipe:gsub("input = {.-\n  },", "")))
  end)

  local function run(words, options)
    return workspace:bide({ "run", words.recipe or "echo.lua", "--max-wait", "50s", table.unpack(words) }, options)
  end

  for _, case in ipairs {
    { { "db" }, "PortOpen", { host = "db" } },
    { { "db", "5432" }, "PortOpen", { host = "db", port = 5432 } },
    { { "port=5", "db" }, "PortOpen", { host = "db", port = 5 } },
    { { "db", "PortClosed" }, "PortClosed", { host = "db" } },
    { { "PortClosed", "DB" }, "PortClosed", { host = "DB" } },
    { { "PortElsewhere" }, "PortOpen", { host = "PortElsewhere" } },
    { { "portOpen" }, "PortOpen", { host = "portOpen" } },
    { { "Port-Open" }, "PortOpen", { host = "Port-Open" } },
    { { "http://x/?a=b" }, "PortOpen", { host = "http://x/?a=b" } },
    { { "/a=b" }, "PortOpen", { host = "/a=b" } },
    { { "1=2" }, "PortOpen", { host = "1=2" } },
    { { "=2" }, "PortOpen", { host = "=2" } },
    { { "host=a=b" }, "PortOpen", { host = "a=b" } },
    { { "host=PortClosed" }, "PortOpen", { host = "PortClosed" } },
    { { "@env:HOME" }, "PortOpen", { host = "@env:HOME" } },
    { { 'names:=["a,b"]', "host:=\"@env:HOME\"" }, "PortOpen", { host = "@env:HOME", names = { "a,b" } } },
    { { "host=line\nbreak" }, "PortOpen", { host = "line\nbreak" } },
  } do
    it("are read: " .. table.concat(case[1], " "), function()
      local done = run { "--output", "json", table.unpack(case[1]) }
      assert.equal("", done.stderr:gsub("[^\n]*PortOpen[^\n]*\n", ""):gsub("[^\n]*PortClosed[^\n]*\n", ""))
      local outcome = bide.json.decode(done.stdout)
      assert.equal(case[2], outcome.waiter)
      assert.same(case[3], outcome.input)
    end)
  end

  local advice = "; quote a value with blanks, put a COMMAND after --, another wait after +"
  for _, case in ipairs {
    { { "PortOpn" }, 'no waiter is called "PortOpn"; did you mean "PortOpen"?' },
    { { "PrtOpne" }, 'no waiter is called "PrtOpne"; did you mean "PortOpen"?' },
    { { "db", "PortClsed" }, 'no waiter is called "PortClsed"; did you mean "PortClosed"?' },
    { { "PortOpen", "PortClosed" }, 'expected KEY=VALUE, found "PortClosed": the waiter is PortOpen' },
    { { "PortOpen", "PortOpen" }, 'expected KEY=VALUE, found "PortOpen": the waiter is PortOpen' },
    { { "db", "5432", "more" }, 'expected KEY=VALUE, found "more": only host, port can be given without a name' .. advice },
    { { "host", "=", "db" }, 'expected KEY=VALUE, found "=": it is one word, without blanks' },
    { { "db", "http" }, 'port: expected an integer, found "http"' .. advice },
    { { "db", "host=other" }, 'expected KEY=VALUE, found "db": host is given already' },
    { { "db", "5432", "Elsewhere" }, 'echo.lua: no waiter is called "Elsewhere"; it defines PortClosed, PortOpen' },
    { { recipe = "any.lua", "db" }, 'expected KEY=VALUE, found "db": no input can be given without a name' .. advice },
    { { recipe = "any.lua", "Elsewhere" }, 'any.lua: no waiter is called "Elsewhere"; it defines PortClosed, PortOpen' },
    { { recipe = "many.lua", "db" }, "many.lua: which waiter? it defines PortClosed, PortOpen" },
    { { recipe = "many.lua", "Elsewhere" }, 'many.lua: no waiter is called "Elsewhere"; it defines PortClosed, PortOpen' },
    { { "port:=x" }, "port: syntax" },
    { { "host=@env:BIDE_NONE" }, 'host: the environment variable "BIDE_NONE" is not set' },
    { { "host=@env:" }, 'host: the environment variable "" is not set' },
    { { "host=@file:none.txt" }, "host: none.txt: no such file or directory" },
    { { "number=@file:pin.txt" }, "number: expected an integer, found [redacted]" },
  } do
    it("are refused: " .. case[2], function()
      local done = run(case[1])
      if case[2] == "port: syntax" then
        assert.matches("^bide: port: ", done.stderr)
      else
        assert.equal("bide: " .. case[2] .. "\n", done.stderr)
      end
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    end)
  end

  it("take values from the environment and from files, which are secret", function()
    for word, value in pairs { ["pin=@env:PIN"] = "correct horse", ["pin=@file:pin.txt"] = "sesame\nstreet" } do
      local done = run({ word, "--output", "json", "--events", "-" }, { env = { PIN = "correct horse\n" } })
      assert.equal(3, done.code)
      for part in value:gmatch "%a+" do assert.is_nil((done.stdout .. done.stderr):find(part, 1, true)) end
      assert.matches('"pin": ?"%[redacted%]"', done.stdout)
      assert.matches("<%[redacted%]", done.stdout)
    end
  end)

  it("take them whole, without one line break of a file", function()
    workspace:write("show.lua", (recipe:gsub("if input.pin.-end", 'io.open("seen", "w"):write(input.pin):close()')))
    run { recipe = "show.lua", "pin=@file:pin.txt" }
    assert.equal("sesame\nstreet", workspace:read "seen")
    workspace:write("two.txt", "a\n\n")
    run { recipe = "show.lua", "pin=@file:two.txt" }
    assert.equal("a\n", workspace:read "seen")
    run({ recipe = "show.lua", "pin=@env:PIN" }, { env = { PIN = "a\n" } })
    assert.equal("a\n", workspace:read "seen")
    run({ recipe = "show.lua", "pin=x@env:PIN" })
    assert.equal("x@env:PIN", workspace:read "seen")
  end)

  it("are texts in --each and --input", function()
    workspace:write("lines.jsonl", '{"host": "@env:HOME"}\n')
    assert.equal(0, run { "--each", "lines.jsonl", "--events", "events.jsonl" }.code)
    assert.matches('"host":"@env:HOME"', workspace:read "events.jsonl")
    local done = run { "--input", '{"host": "@file:pin.txt"}', "--output", "json" }
    assert.equal("@file:pin.txt", bide.json.decode(done.stdout).input.host)
  end)

  it("may name a file within the walls of the sandbox", function()
    assert.equal(0, run { "host=@file:pin.txt", "--sandbox" }.code)
  end)

  it("end at --", function()
    local done = run { "db", "--", "echo", "PortClosed", "a=b" }
    assert.equal(0, done.code)
    assert.matches("PortClosed a=b\n$", done.stdout)
    for _, words in ipairs { { "plan", "echo.lua" }, { "replay", "echo.lua", "PortOpen", "answers.jsonl" } } do
      for _, word in ipairs { "--max-wait", "50s", "--", "db" } do table.insert(words, word) end
      done = workspace:bide(words)
      assert.same({ 2, "bide: found --, but only bide run has a COMMAND after it\n" }, { done.code, done.stderr })
    end
  end)

  it("are those of plan and replay as well", function()
    local done = workspace:bide { "plan", "echo.lua", "db", "5432", "PortClosed", "--max-wait", "5s" }
    assert.equal(0, done.code)
    assert.matches("^PortClosed:", done.stdout)
    assert.equal(0, workspace:bide { "plan", "echo.lua", "--max-wait", "5s" }.code)
    done = workspace:bide { "plan", "echo.lua", "db", "x", "--max-wait", "5s" }
    assert.same({ 2, 'bide: port: expected an integer, found "x"' .. advice .. "\n" }, { done.code, done.stderr })
    done = workspace:bide { "replay", "echo.lua", "PortOpen", "answers.jsonl", "db", "port=5", "--max-wait", "5s",
      "--output", "json" }
    assert.same({ host = "db", port = 5 }, bide.json.decode(done.stdout).input)
    done = workspace:bide { "replay", "echo.lua", "PortOpn", "answers.jsonl", "--max-wait", "5s" }
    assert.equal('bide: echo.lua: no waiter is called "PortOpn"; did you mean "PortOpen"?\n', done.stderr)
  end)
end)
