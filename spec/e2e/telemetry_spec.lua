---Spans and metrics: written beside COMMAND, and never deciding anything.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local uv = require "luv"

local recipe = [[
return { GetThing = { call = function(input)
  if input.busy then input.busy = false error { type = "Busy", message = "later" } end
  return { state = input.state }
end, waitable = { ThingDone = { acceptors = {
  { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
  { state = "failure", matcher = { errorType = "Busy" } },
} } } } }
]]

local PARENT <const> = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("telemetry", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  ---Runs a wait.
  local function run(words, environment)
    local all = { "run", "things.lua", "state=done", "--max-wait", "50s", "-q" }
    return workspace:bide(table.move(words, 1, #words, #all + 1, all), { env = environment })
  end

  local function spans_of(text)
    local document = assert(json.decode(text))
    assert.equal("bide", document.resourceSpans[1].resource.attributes[1].value.stringValue)
    return document.resourceSpans[1].scopeSpans[1].spans
  end

  it("sends a span a wait and a span an attempt to a collector, and gives COMMAND its parent", function()
    local requests = {}
    local server = Server.start(function(request)
      requests[#requests + 1] = request
      return { status = 200, body = "{}" }
    end)
    local done = run({ "--output", "otlp=" .. server.url, "--", "sh", "-c", "echo $TRACEPARENT" },
      { TRACEPARENT = PARENT, OTEL_EXPORTER_OTLP_HEADERS = "x-key=a%20b,x-other=c" })
    server:close()
    assert.equal(0, done.code)
    assert.same({ 1, "POST", "/v1/traces" }, { #requests, requests[1].method, requests[1].path })
    assert.same({ "a b", "c", "application/json" },
      { requests[1].headers["x-key"], requests[1].headers["x-other"], requests[1].headers["content-type"] })
    local spans = spans_of(requests[1].body)
    local wait, attempt = spans[1], spans[2]
    assert.equal(2, #spans)
    assert.same({ "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "ThingDone" },
      { wait.traceId, wait.parentSpanId, wait.name })
    assert.same({ wait.spanId, wait.traceId }, { attempt.parentSpanId, attempt.traceId })
    assert.equal(("00-%s-%s-01\n"):format(wait.traceId, wait.spanId), done.stdout)
    assert.matches("^%d+000000$", wait.startTimeUnixNano)
    assert.is_true(#wait.spanId == 16 and wait.status.code == 1)
  end)

  it("puts several waits below one span, into a file", function()
    run({ "+", "things.lua", "state=failed", "--keep-going", "--output", "otlp=spans.json" }):ends(1)
    local spans = spans_of(workspace:read "spans.json")
    assert.same({ 5, "bide run" }, { #spans, spans[1].name })
    assert.is_nil(spans[1].parentSpanId)
    assert.same({ spans[1].spanId, spans[1].spanId }, { spans[2].parentSpanId, spans[4].parentSpanId })
    assert.equal(2, spans[4].status.code)
  end)

  it("begins a new trace where TRACEPARENT is none", function()
    for _, text in ipairs { "", "x", PARENT:upper(), PARENT .. "-x", "ff" .. PARENT:sub(3), PARENT:gsub("4bf92.-%-", "1-"),
      (PARENT:gsub("00f067aa0ba902b7", "0000000000000000")), ("0"):rep(100000) } do
      assert.equal(0, run({ "--output", "otlp=spans.json" }, { TRACEPARENT = text }).code)
      local wait = spans_of(workspace:read "spans.json")[1]
      assert.is_nil(wait.parentSpanId)
      assert.equal(32, #wait.traceId)
      assert.not_equal("4bf92f3577b34da6a3ce929d0e0e4736", wait.traceId)
    end
  end)

  it("changes no exit code, and says once what failed", function()
    local server = Server.start(function() return { status = 503 } end)
    for _, row in ipairs {
      { "--output", "otlp=" .. server.url, "the collector answered 503" },
      { "--output", "otlp=http://127.0.0.1:1/v1/traces", "connection refused" },
      { "--output", "otlp=/nowhere/spans.json", "no such file or directory" },
      { "--metrics-file", "/nowhere/metrics.prom", "no such file or directory" },
      { "--metrics-file", "/dev/full", "No space left on device" },
    } do
      for _, command in ipairs { false, true } do
        local done = run { row[1], row[2], table.unpack(command and { "--", "echo", "ran" } or {}) }
        assert.equal(0, done.code)
        assert.equal(1, select(2, done.stderr:gsub("bide: warning: not written: ", "")), done.stderr)
        assert.matches(row[3], done.stderr, 1, true)
        if command then assert.equal("ran\n", done.stdout) end
      end
    end
    server:close()
    assert.equal(1, run({ "--output", "otlp=/nowhere/x", "--until", "state == 'x'", "--fail", "state == 'done'" }).code)
  end)

  it("waits for a collector that never answers no longer than 2 s, once COMMAND has begun", function()
    local server = Server.start(function() return { silent = true } end)
    local began = uv.hrtime()
    local done = run { "--output", "otlp=" .. server.url, "--", "sh", "-c", "echo ran; exit 7" }
    local took = (uv.hrtime() - began) / 1e9
    server:close()
    assert.same({ 7, "ran\n" }, { done.code, done.stdout }, done.stderr)
    assert.equal(1, select(2, done.stderr:gsub("bide: warning: not written: the spans: ", "")), done.stderr)
    assert.is_true(took > 1.9, took)
  end)

  it("waits for a program that reads its pipe no longer than 2 s", function()
    assert.equal(0, workspace:shell("mkfifo pipe").code)
    for option, words in pairs { ["--metrics-file=pipe"] = "the metrics", ["--output=otlp=pipe"] = "the spans" } do
      local done = run { option, "--", "sh", "-c", "echo ran; exit 7" }
      assert.same({ 7, "ran\n" }, { done.code, done.stdout }, done.stderr)
      assert.matches(("bide: warning: not written: %s: no answer within 2 s"):format(words), done.stderr, 1, true)
    end
    assert.equal(0, run({ "--metrics-file=pipe", "--", "grep", "-c", "^bide_wait_attempts", "pipe" }).code)
  end)

  it("is not sent where --deny-net closes the way, and says so", function()
    local done = run { "--deny-net", "127.0.0.0/8", "--output", "otlp=http://127.0.0.1:1" }
    done:says(0, "not written: the spans: may not connect to 127.0.0.1:1: closed (--deny-net)")
  end)

  it("has the exit code of COMMAND, whose signals it gets", function()
    assert.equal(7, run({ "--metrics-file", "m.prom", "--", "sh", "-c", "exit 7" }).code)
    assert.equal(143, run({ "--metrics-file", "m.prom", "--", "sh", "-c", "kill -TERM $$" }).code)
    assert.equal(127, run({ "--metrics-file", "m.prom", "--", "no-such-command" }).code)
  end)

  it("replaces the file of metrics, whose labels are escaped", function()
    local done = run { "+", "things.lua", "state=failed", "--keep-going", "--metrics-file", "m.prom" }
    assert.equal(1, done.code)
    local text = workspace:read "m.prom"
    for _, line in ipairs {
      "bide_run_success 0", 'bide_run_waits{state="success"} 1', 'bide_run_waits{state="failure"} 1',
      'bide_wait_success{wait="things#2",waiter="ThingDone",reason="acceptor"} 0', "# EOF",
    } do
      assert.matches("\n" .. line .. "\n", text, 1, true)
    end
    workspace:write("odd.json", json.encode { { name = 'a "b" \\ \n{}', recipe = "./things.lua", input = { state = "done" } } })
    assert.equal(0, workspace:bide({ "run", "odd.json", "--max-wait", "50s", "-q", "--metrics-file", "m.prom" }).code)
    assert.matches('wait="a \\"b\\" \\\\ \\\\x0A{}"', workspace:read "m.prom", 1, true)
    assert.equal("", workspace:shell("ls | grep tmp").stdout)
    if workspace:shell("command -v promtool").code ~= 0 then return end
    assert.equal(0, workspace:shell("promtool check metrics <m.prom").code)
  end)

  it("excludes the sandbox if it needs a file", function()
    for _, words in ipairs { { "--metrics-file", "m.prom", "--sandbox" }, { "--output", "otlp=x", "--sandbox" } } do
      assert.equal(2, run(words).code)
    end
  end)

  it("has a report of the past in the journal", function()
    local environment = { BIDE_JOURNAL = workspace.path .. "/waits.db" }
    assert.equal(1, run({ "+", "things.lua", "state=failed" }, environment).code)
    assert.equal(0, run({ "--output", "json=x.json" }, environment).code)
    local done = workspace:bide({ "journal", "report", "1", "2", "--output", "html=past.html" }, { env = environment })
    assert.equal(0, done.code)
    local page = workspace:read "past.html"
    assert.matches("<title>2 runs failed</title>", page, 1, true)
    assert.matches("run 1: things#2", page, 1, true)
    done = workspace:bide({ "journal", "report", "--output", "tap" }, { env = environment })
    assert.matches("^TAP version 13\n1..1\nok 1 %- ThingDone\n", done.stdout)
    for _, words in ipairs { { "journal", "report", "9" }, { "journal", "report", "--output", "text" },
      { "journal", "list", "--output", "html" } } do
      assert.equal(2, workspace:bide(words, { env = environment }).code)
    end
    assert.equal(1, workspace:bide({ "journal", "report", "--output", "html=/dev/full" }, { env = environment }).code)
  end)
end)
