---The functions of an answer of HTTP: header(), status() and text().

local core = require "bide.core"
local generate = require "spec.support.oracle.generate"
local property = require "spec.support.oracle.property"

local json, jmespath, response, wait = core.json, core.jmespath, core.response, core.wait

local nothing = json.document {}

local LINES = "X-State: old\r\nServer: spec\r\nX-STATE:  ready \r\nX-Folded: a\r\n\t b\r\nX-Empty:\r\nX-Bad: \xFF!\r\n"

local whole = { status = 503, headers = LINES, text = "UP\n" }

local function search(text, parts)
  local document = parts and response.answered(parts, nothing) or nothing
  local value, failure = assert(jmespath.compile(text)):query(document)
  return value and value:value(), failure and failure.kind
end

describe("the functions of an answer", function()
  ---an expression, what it gives of the whole answer
  local rows = {
    { "status()", 503 }, { "status() == `503`", true }, { "text()", "UP\n" }, { "contains(text(), 'UP')", true },
    { "header('x-state')", "ready" }, { "header('X-State')", "ready" }, { "header('x-folded')", "a b" },
    { "header('x-empty')", "" }, { "header('x-bad')", "\u{FFFD}!" }, { "header('x-none')", json.null },
    { "header('x')", json.null }, { "header('')", json.null }, { "header('x-state: old')", json.null },
    { "header(join('-', ['x', 'state']))", "ready" }, { "status", json.null }, { "[header, text]", { json.null, json.null } },
    { "[header('server'), status()]", { "spec", 503 } }, { "`[1, 2]`[?header('x-state') == 'ready']", { 1, 2 } },
    { "header('x-state') | length(@)", 5 },
  }
  for _, row in ipairs(rows) do
    it("give what it has: " .. row[1], function()
      assert.same(row[2], (search(row[1], whole)))
    end)
  end

  it("give null without one, and for the parts that it lacks", function()
    for _, text in ipairs { "header('x-state')", "status()", "text()" } do
      assert.equal(json.null, (search(text)))
      assert.equal(json.null, (search(text, {})))
    end
    assert.equal("", (search("text()", { text = "" })))
    assert.equal(json.null, (search("header('x')", { headers = "" })))
  end)

  it("take no other arguments", function()
    for _, text in ipairs { "status(@)", "text('x')", "header()", "header('a', 'b')" } do
      assert.equal("invalid-arity", select(2, jmespath.compile(text)).kind)
    end
    assert.equal("invalid-type", select(2, search("header(`1`)", whole)))
    assert.equal("invalid-type", select(2, search("header(text())", {})))
  end)

  it("are not registered again", function()
    for _, name in ipairs { "header", "status", "text" } do
      local ok, mistake = pcall(jmespath.register, name, {}, function() return 1 end)
      assert.is_false(ok)
      assert.truthy(tostring(mistake):find(("the function %s() exists already"):format(name), 1, true))
    end
  end)

  it("have types, by which conditions that cannot be are found", function()
    ---an expression, a rule, the verdict
    local judged = {
      { "status()", "success", "never-yes" }, { "header('x')", "success", "never-yes" }, { "text()", "success", "never-yes" },
      { "status() == 'ok'", "success", "never-yes" }, { "header('x') == `200`", "success", "never-yes" },
      { "header('x') < '2'", "success", "never-yes" }, { "text() == `true`", "success", "never-yes" },
      { "header('x') == 'a' && header('x') == 'b'", "success", "never-yes" },
      { "header('x') == 'a' && header('y') == 'b'", "success", "maybe" }, { "status() == `200`", "success", "maybe" },
      { "header('x') == 'ready'", "success", "maybe" }, { "status() >= `500`", "failure", "maybe" },
      { "contains(text(), 'a')", "success", "maybe" }, { "!header('x')", "success", "maybe" },
      { "header('x')", "message", "maybe" }, { "status()", "message", "never-yes" },
    }
    for _, row in ipairs(judged) do
      assert.equal(row[3], (jmespath.compile(row[1]):judge(row[2])), row[1])
    end
    local types = {}
    for position, text in ipairs { "header('x')", "status()", "text()" } do
      types[position] = jmespath.compile(text):analyse().type
    end
    assert.same({ "string", "number", "string" }, types)
  end)

  it("know whether an expression asks of the answer alone", function()
    ---an expression, whether it asks of the answer, whether of that alone
    local asked = {
      { "header('x') == 'a'", true, true }, { "text() | contains(@, 'a')", true, true }, { "`[1]`[?status() == @]", true, true },
      { "status() == `200` && !error", true, false }, { "header(name)", true, false },
      { "[*].header('x')", true, false }, { "[status()]", true, false },
      { "max_by(items, &status())", true, false }, { "@ == text()", true, false }, { "error", false, false },
      { "`true`", false, false },
    }
    for _, row in ipairs(asked) do
      assert.same({ row[2], row[3] }, { jmespath.compile(row[1]):asks_answer() }, row[1])
    end
  end)

  property.holds(it, "give the same over any document, where they ask of the answer alone", function()
    local document = assert(json.read(generate.document()))
    for _, row in ipairs(rows) do
      local expression = jmespath.compile(row[1])
      if select(2, expression:asks_answer()) then
        local found = expression:query(response.answered(whole, document)):value()
        if json.encode(found) ~= json.encode(row[2]) then return ("%s over %s"):format(row[1], document:json()) end
      end
    end
  end)

  property.holds(it, "change nothing that other expressions find", function()
    local document, text = assert(json.read(generate.document())), generate.expression()
    local expression = jmespath.compile(text)
    local view = response.answered(whole, document)
    local plain, answered = expression and expression:query(document), expression and expression:query(view)
    if (plain and plain:json()) ~= (answered and answered:json()) then return ("%s over %s"):format(text, document:json()) end
    if response.answer(response.plain(response.answered({}, view))) then return "a view of a view keeps an answer" end
  end)
end)

describe("a condition that asks of the answer", function()
  local function decide(paths, outputs, unread, rule)
    local all = {}
    for position, path in ipairs(paths) do all[position] = { path = path } end
    local definition = wait.definition(1, 1, { { state = rule or "success", ["until"] = not rule,
      matcher = { conditions = { rule = rule or "success", all = all } } } })
    local state = wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000 }):start(1, 0)
    local verdict, note, _
    for position, output in ipairs(outputs) do
      state:begin()
      verdict, _, _, note = state:observe(position, { input = nothing, output = output, unread = unread })
    end
    return verdict, note, state:is_blind()
  end

  local answered = response.answered(whole, nothing)

  it("does not mind a body that is no JSON", function()
    assert.equal("success", (decide({ "header('x-state') == 'ready'" }, { answered }, "no JSON")))
    assert.equal("failure", (decide({ "status() == `503`" }, { answered }, "no JSON", "failure")))
  end)

  it("is none if it, or another beside it, asks of the JSON", function()
    for _, paths in ipairs {
      { "header('x-state') == 'ready' && !error" }, { "header('x-state') == 'ready'", "!error" },
      { "!error", "header('x-state') == 'ready'" },
    } do
      local verdict, _, is_blind = decide(paths, { answered }, "no JSON")
      assert.same({ "retry", true }, { verdict, is_blind })
    end
  end)

  it("does not rest on a header that no answer had", function()
    for _, text in ipairs {
      "header('x-stat') != 'old'", "!header('x-stat')", "header('x-stat') != header('server')",
    } do
      local verdict, note = decide({ text }, { answered })
      assert.equal("retry", verdict)
      assert.truthy(note:find("no answer has had the header x-stat; --allow-missing accepts it", 1, true), note)
    end
    assert.equal("retry", (decide({ "nope | header('x-stat') != 'old'" }, { answered })))
    assert.equal("success", (decide({ "header('x-stat') == `null`" }, { answered })))
    assert.equal("success", (decide({ "header('x-state') != 'old'" }, { answered })))
    local gone = response.answered({ status = 200, headers = "Server: spec\r\n" }, nothing)
    assert.equal("success", (decide({ "!header('x-state')" }, { answered, gone })))
    assert.equal("retry", (decide({ "status() != `200`" }, { nothing })))
  end)
end)
