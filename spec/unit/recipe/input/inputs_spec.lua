local declaration = require "bide.recipe.input.declaration"
local inputs = require "bide.recipe.input.inputs"
local schema = require "bide.recipe.waiter.schema"

local json = require("bide.core").json

---The first problem of a declaration, as "path: text".
local function problem_of(declared)
  local report = schema.report()
  declaration.check(report, "input", declared)
  local problem = report.problems[1]
  return problem and ("%s: %s"):format(problem.path, problem.text)
end

local function declare(declared, token)
  assert.is_nil(problem_of(declared))
  return declaration.of(declared, token)
end

local function complete(declared, text, token)
  local document, mistake = inputs.complete(declared, assert(json.read(text)), token)
  return document and document:json(), mistake
end

describe("a declaration of inputs", function()
  for _, case in ipairs {
    { 5, "input: expected a table of inputs by name, found 5" },
    { { "url" }, "input[1]: expected inputs by name, found one without a name" },
    { { url = "string" }, 'input.url: expected a declared input, with type, found "string"' },
    { { url = {} }, "input.url.type: expected a type, found nothing" },
    { { url = { type = "strng" } }, 'input.url.type: expected "string", "path", "integer", "number", "boolean", "duration", '
      .. '"size", "list", "object" or "any", found "strng", did you mean "string"?' },
    { { url = { type = "string", requierd = true } }, 'input.url.requierd: unknown member, did you mean "required"?' },
    { { url = { type = "string", required = 1 } }, "input.url.required: expected a boolean, found 1" },
    { { port = { type = "integer", default = "80" } }, 'input.port.default: expected an integer, found "80"' },
    { { port = { type = "integer", minimum = "a" } }, 'input.port.minimum: expected an integer, found "a"' },
    { { port = { type = "integer", minimum = 5, maximum = 3 } }, "input.port.minimum: expected at most the maximum, 3, found 5" },
    { { port = { type = "integer", maximum = 5, example = 6 } }, "input.port.example: expected at most 5, found 6" },
    { { port = { type = "integer", values = { 1, "a" } } }, 'input.port.values[2]: expected an integer, found "a"' },
    { { port = { type = "integer", values = 5 } }, "input.port.values: expected a list of values, found 5" },
    { { kind = { type = "string", values = { "A" }, default = "B" } },
      'input.kind.default: expected one of A, found "B"' },
    { { name = { type = "string", minimum = 1 } },
      'input.name.minimum: only an integer, a number, a duration or a size has one, and this is of type "string"' },
    { { port = { type = "integer", pattern = "%d" } },
      'input.port.pattern: only a string or a path has one, and this is of type "integer"' },
    { { name = { type = "string", pattern = "[" } }, "input.name.pattern: a set lacks its ]" },
    { { name = { type = "string", pattern = "a(b" } }, "input.name.pattern: a ( has no )" },
    { { name = { type = "string", pattern = "^%l+$", default = "A" } },
      'input.name.default: expected a string that matches the Lua pattern "^%l+$", found "A"' },
    { { name = { type = "string", of = { type = "string" } } },
      'input.name.of: only a list has one, and this is of type "string"' },
    { { names = { type = "list", of = { type = "strin" } } }, 'input.names.of.type: expected "string", "path", "integer", '
      .. '"number", "boolean", "duration", "size", "list", "object" or "any", found "strin", did you mean "string"?' },
    { { names = { type = "list", of = { type = "string", required = true } } },
      'input.names.of.required: unknown member, expected one of documentation, empty, '
      .. "expected, maximum, minimum, of, pattern, type, values" },
    { { names = { type = "list", of = { type = "integer" }, default = { 1, "x" } } },
      'input.names.default[2]: expected an integer, found "x"' },
    { { timeout = { type = "duration", default = "5 s" } }, 'input.timeout.default: expected a duration such as '
      .. '5s, 1m30s or 250ms, or a number of seconds, found "5 s"' },
    { { timeout = { type = "duration", default = 0 } }, "input.timeout.default: expected a duration such as "
      .. "5s, 1m30s or 250ms, or a number of seconds, above 0, found 0" },
    { { a = { type = "string", positional = 0 } }, "input.a.positional: expected a position, from 1, found 0" },
    { { a = { type = "string", positional = 1 }, b = { type = "string", positional = 1 } },
      "input.b.positional: expected a position that a does not have, found 1" },
    { { a = { type = "string", positional = 1 }, b = { type = "string", positional = 3 } },
      "input.b.positional: expected at most 2, since positions are numbered without holes, found 3" },
    { { a = { type = "any", default = print } }, "input.a.default: value is a function, which JSON cannot represent" },
  } do
    it("is refused: " .. case[2], function()
      assert.equal(case[2], problem_of(case[1]))
    end)
  end

  it("may nest lists, but not without end", function()
    local lists = { type = "list" }
    lists.of = lists
    assert.matches("nested too deeply$", problem_of { names = lists })
    assert.is_nil(problem_of { names = { type = "list", of = { type = "list", of = { type = "integer" } } } })
  end)

  it("is copied, with durations and sizes as numbers", function()
    local given = { wait = { type = "duration", default = "1m", minimum = "1s" }, room = { type = "size", default = "2K" } }
    local declared = declare(given)
    assert.equal(60, declared.wait.default)
    assert.equal(1, declared.wait.minimum)
    assert.equal(2048, declared.room.default)
    assert.equal("1m", given.wait.default)
  end)

  it("has the idempotency token by itself", function()
    local declared = declare({}, "token")
    assert.equal("string", declared.token.type)
    assert.same({}, declare {})
    assert.equal("mine", declare({ token = { type = "string", documentation = "mine" } }, "token").token.documentation)
    assert.is_nil(declaration.of(nil, "token"))
  end)

  it("is listed by position, need and name", function()
    local declared = declare {
      b = { type = "any" }, a = { type = "any" }, z = { type = "any", required = true },
      second = { type = "any", positional = 2 }, first = { type = "any", positional = 1 },
    }
    assert.same({ "first", "second", "z", "a", "b" }, declaration.names(declared))
    assert.same({ "first", "second" }, declaration.positional(declared))
  end)

  it("names its secrets", function()
    assert.same({ "pin" }, declaration.secrets(declare { pin = { type = "string", secret = true }, url = { type = "string" } }))
    assert.same({}, declaration.secrets(nil))
  end)
end)

describe("the text of a declared input", function()
  local declared = {
    name = { type = "string" }, port = { type = "integer", minimum = 1, maximum = 65535 }, ratio = { type = "number" },
    follow = { type = "boolean" }, timeout = { type = "duration" }, pause = { type = "duration", minimum = 0 },
    room = { type = "size" }, names = { type = "list" }, ports = { type = "list", of = { type = "integer" } },
    headers = { type = "object" }, value = { type = "any" }, kind = { type = "string", values = { "A", "AAAA", "MX" } },
    commit = { type = "string", pattern = "^%x+$" }, pin = { type = "integer", secret = true }, file = { type = "path" },
    url = { type = "string", required = true },
    status = { type = "list", of = { type = "string", pattern = "^%dxx$", expected = "a status such as 200 or 2xx" } },
    note = { type = "string", empty = true }, notes = { type = "list", empty = true, of = { type = "string", empty = true } },
  }

  for _, case in ipairs {
    { "note", "", "" }, { "note", " ", " " }, { "notes", "", {} }, { "notes", "a,,b,", { "a", "", "b", "" } },
    { "notes", ",", { "", "" } }, { "name", "5", "5" }, { "name", "@env:HOME", "@env:HOME" },
    { "port", "5432", 5432 }, { "port", "80.0", 80 }, { "port", "1e3", 1000 },
    { "ratio", "0.5", 0.5 }, { "ratio", "-2", -2 }, { "ratio", "1e-3", 0.001 },
    { "follow", "true", true }, { "follow", "false", false },
    { "timeout", "5", 5 }, { "timeout", "5s", 5 }, { "timeout", "1m30s", 90 }, { "timeout", "250ms", 0.25 },
    { "timeout", "0.5", 0.5 }, { "pause", "0", 0 }, { "pause", "0s", 0 },
    { "room", "64M", 64 << 20 }, { "room", "100", 100 },
    { "names", "a", { "a" } }, { "names", "a,b", { "a", "b" } }, { "names", " a , b\tc ", { "a", "b\tc" } },
    { "ports", "80, 443", { 80, 443 } },
    { "names", "a\\,b,c", { "a,b", "c" } }, { "names", "a\\b", { "a\\b" } }, { "names", "a\\", { "a\\" } },
    { "names", "\\,", { "," } }, { "names", "\\", { "\\" } }, { "names", "a,\\", { "a", "\\" } },
    { "ports", "80,443", { 80, 443 } }, { "headers", '{"A": "b"}', { A = "b" } }, { "headers", "{}", {} },
    { "value", "5", "5" }, { "kind", "MX", "MX" }, { "commit", "3f2a", "3f2a" },
    { "file", "./~", "./~" }, { "file", "/run/a~", "/run/a~" },
  } do
    it(("%s=%s is read"):format(case[1], case[2]), function()
      local value, mistake = inputs.of_text(declare(declared), case[1], case[2])
      assert.is_nil(mistake)
      assert.same(case[3], value)
      assert.equal(math.type(case[3]), math.type(value))
    end)
  end

  local list = "expected texts with commas between them, found "
  local duration = "timeout: expected a duration such as 5s, 1m30s or 250ms, or a number of seconds"
  for _, case in ipairs {
    { "port", "99999", 'port: expected 1 to 65535, found "99999"' },
    { "port", "http", 'port: expected an integer, 1 to 65535, found "http"' },
    { "port", "", 'port: expected an integer, 1 to 65535, found ""' },
    { "port", "0x50", 'port: expected an integer, 1 to 65535, found "0x50"' },
    { "port", " 80", 'port: expected an integer, 1 to 65535, found " 80"' },
    { "port", "80.5", 'port: expected an integer, 1 to 65535, found "80.5"' },
    { "port", "9e99", 'port: expected an integer, 1 to 65535, found "9e99"' },
    { "ratio", "1e999", 'ratio: expected a number, found "1e999"' }, { "ratio", "nan", 'ratio: expected a number, found "nan"' },
    { "follow", "yes", 'follow: expected true or false, found "yes"' },
    { "timeout", "5 s", duration .. ', found "5 s"; write 5s' }, { "timeout", "", duration .. ', found ""' },
    { "timeout", "0", duration .. ', above 0, found "0"' }, { "timeout", "-1", duration .. ', found "-1"' },
    { "room", "64 M", 'room: expected a size such as 64M, 1G or 500K, or a number of bytes, found "64 M"' },
    { "ports", "80,x", 'ports[2]: expected an integer, found "x"' },
    { "headers", "Accept: text/plain", 'headers: expected an object (KEY:=JSON), found "Accept: text/plain"' },
    { "headers", "[]", 'headers: expected an object (KEY:=JSON), found "[]"' },
    { "kind", "aaa", 'kind: expected one of A, AAAA, MX, found "aaa", did you mean "AAAA"?' },
    { "commit", "main", 'commit: expected a string that matches the Lua pattern "^%x+$", found "main"' },
    { "file", "~/log", 'file: expected a path without a ~ that no shell has expanded (./~ is that name), found "~/log"' },
    { "file", "", 'file: expected a text that is not empty, found an empty text; file:="" says so on purpose' },
    { "name", "", 'name: expected a text that is not empty, found an empty text; name:="" says so on purpose' },
    { "name", " \t", 'name: expected a text that is not empty, found blanks alone; name:=" \\t" says so on purpose' },
    { "url", "", "url: expected a text that is not empty, found an empty text" },
    { "value", "", 'value: expected a text that is not empty, found an empty text; value:="" says so on purpose' },
    { "names", " ", "names: expected a text that is not empty, found blanks alone; names:=[] says so on purpose" },
    { "names", "a, ,b", "names[2]: expected a text that is not empty, found an empty text" },
    { "names", "a,", "names[2]: expected a text that is not empty, found an empty text" },
    { "names", ",", "names[1]: expected a text that is not empty, found an empty text" },
    { "names", '["a","b"]', "names: " .. list .. '"["a","b"]"; a list in JSON is names:=["a","b"]' },
    { "names", "[a]", "names: " .. list .. '"[a]"; a list in JSON is names:=["[a]"]' },
    { "ports", "[80]", "ports: " .. list .. '"[80]"; a list in JSON is ports:=[80]' },
    { "status", "200-299", 'status[1]: expected a status such as 200 or 2xx, found "200-299"' },
    { "pin", "12x4", "pin: expected an integer, found [redacted]" },
    { "nmae", "x", 'unknown input "nmae", did you mean "name"?' },
    { "zebra", "x", 'unknown input "zebra", expected one of url, commit, file, follow, headers, kind, name, names, note, notes, '
      .. "pause, pin, port, ports, ratio, room, status, timeout, value" },
  } do
    it("is refused: " .. case[3], function()
      local value, mistake = inputs.of_text(declare(declared), case[1], case[2])
      assert.is_nil(value)
      assert.equal(case[3], mistake)
    end)
  end

  it("is refused with the waiters that take it, the first of many", function()
    local takers = {}
    for position, name in ipairs { "One", "Two", "Three", "Four", "Five" } do
      takers[position] = name
      local _, mistake = inputs.of_text({}, "size", "1", false, function(input) return input == "size" and takers or {} end)
      assert.equal('unknown input "size"; ' .. (position == 1 and "name the waiter that takes it: One"
        or "name a waiter that takes it: " .. table.concat(takers, ", ", 1, math.min(position, 4))
          .. (position > 4 and " …" or "")), mistake)
    end
    local _, mistake = inputs.of_text({}, "other", "1", false, function() return {} end)
    assert.equal('unknown input "other", the operation takes none', mistake)
  end)

  it("is hidden where the caller says so", function()
    local _, mistake = inputs.of_text(declare(declared), "port", "sesame", true)
    assert.equal("port: expected an integer, 1 to 65535, found [redacted]", mistake)
  end)

  it("is the value where nothing is declared", function()
    assert.equal("x", inputs.of_text(nil, "any", "x"))
  end)
end)

describe("an input", function()
  local declared = {
    url = { type = "string", required = true, example = "http://localhost/" }, timeout = { type = "duration", default = "10s" },
    status = { type = "list", of = { type = "string" }, default = { "2xx" } }, port = { type = "integer" },
    headers = { type = "object" }, room = { type = "size" }, value = { type = "any" }, token = { type = "string" },
    apiKey = { type = "string", pattern = "^x" },
  }

  for _, case in ipairs {
    { '{"url":"x"}', '{"status":["2xx"],"timeout":10,"url":"x"}' },
    { '{"url":"x","timeout":"1m","status":[]}', '{"status":[],"timeout":60,"url":"x"}' },
    { '{"url":"x","timeout":0.5,"status":["404"],"port":80.0}', '{"port":80,"status":["404"],"timeout":0.5,"url":"x"}' },
    { '{"url":"x","timeout":1,"status":[],"headers":{},"room":"1K","value":null}',
      '{"headers":{},"room":1024,"status":[],"timeout":1,"url":"x","value":null}' },
  } do
    it("is completed: " .. case[1], function()
      local text, mistake = complete(declare(declared), case[1])
      assert.is_nil(mistake)
      assert.equal(case[2], text)
    end)
  end

  for _, case in ipairs {
    { "{}", "url: expected a string, found nothing; for example url=http://localhost/" },
    { '{"url":5}', "url: expected a string, found 5" },
    { '{"url":null}', "url: expected a string, found null" },
    { '{"url":"x","port":"80"}', 'port: expected an integer, found "80"' },
    { '{"url":"x","port":true}', "port: expected an integer, found true" },
    { '{"url":"x","status":"200"}', 'status: expected a list, found "200"; write ["200"]' },
    { '{"url":"x","status":200}', 'status: expected a list, found 200; write ["200"]' },
    { '{"url":"x","status":["200",5]}', 'status[2]: expected a string, found 5; write ["200","5"]' },
    { '{"url":"x","status":["200",{}]}', "status[2]: expected a string, found a table" },
    { '{"url":"x","status":{}}', "status: expected a list, found a table" },
    { '{"url":"x","headers":[1]}', "headers: expected an object (KEY:=JSON), found a list" },
    { '{"url":"x","room":1.5}', "room: expected a size such as 64M, 1G or 500K, or a number of bytes, found 1.5" },
    { '{"url":"x","apiKey":"sesame"}', 'apiKey: expected a string that matches the Lua pattern "^x", found [redacted]' },
    { '{"ulr":"x"}', 'unknown input "ulr", did you mean "url"?' },
    { "[]", "the input: expected an object, found array" },
  } do
    it("is refused: " .. case[2], function()
      local text, mistake = complete(declare(declared), case[1])
      assert.is_nil(text)
      assert.equal(case[2], mistake)
    end)
  end

  it("is any where nothing is declared", function()
    local document = json.read '["x"]'
    assert.equal(document, inputs.complete(nil, document))
  end)

  it("is the same document if nothing is missing and nothing changes", function()
    local lists = declare { names = { type = "list" }, ports = { type = "list", of = { type = "integer" } },
      pairs = { type = "list", of = { type = "list", of = { type = "integer" } } } }
    local document = json.read '{"names":[1,"a",{}],"ports":[80,443],"pairs":[[1,2],[],[3]]}'
    assert.equal(document, (inputs.complete(lists, document)))
    assert.equal('{"ports":[80,443,22]}', (complete(lists, '{"ports":[80,443.0,22]}')))
    assert.equal('{"pairs":[[1],[2,3],[4]]}', (complete(lists, '{"pairs":[[1],[2,3.0],[4]]}')))
  end)

  it("may have no token yet", function()
    assert.equal('{"status":["2xx"],"timeout":10,"url":"x"}',
      (complete(declare(declared, "token"), '{"url":"x","token":null}', "token")))
    assert.matches("token: expected a string, found null", select(2, complete(declare(declared), '{"url":"x","token":null}')))
  end)
end)

describe("an input as the command line takes it", function()
  for _, case in ipairs {
    { "string", "a b", "x=a b" }, { "integer", 80, "x=80" }, { "boolean", true, "x=true" },
    { "list", { "a,b", "c" }, "x=a\\,b,c" }, { "list", { 80, 443 }, "x=80,443" }, { "list", { { 1 } }, "x:=[[1]]" },
    { "object", { a = "b" }, 'x:={"a":"b"}' },
  } do
    it("is " .. case[3], function() assert.equal(case[3], inputs.assignment("x", { type = case[1] }, case[2])) end)
  end
end)
