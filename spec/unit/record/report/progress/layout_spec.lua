local columns = require "bide.record.report.progress.columns"
local layout = require "bide.record.report.progress.layout"
local shown = require "bide.text.shown"

local function text_of(line)
  local parts = {}
  for position, span in ipairs(line) do parts[position] = shown.line(span[1]) end
  return table.concat(parts)
end

local function texts_of(lines)
  local texts = {}
  for position, line in ipairs(lines) do texts[position] = text_of(line) end
  return texts
end

local function wait_of(members)
  local one = {
    name = "ThingExists", seen = 'status is "pending"', attempt = 3, elapsed = 6234, limit = 300000, state = "sleeping",
    next = 2049,
  }
  for name, value in pairs(members or {}) do one[name] = value or nil end
  return one
end

local function fleet_of(members)
  local fleet = {
    name = "JobDone", count = 500, queued = 60, asking = 20, sleeping = 380, succeeded = 38, failed = 2, cancelled = 0,
    attempts = 612, rate = 19.96, tolerated = 0, elapsed = 13000, limit = 300000, slowest = {},
  }
  for name, value in pairs(members or {}) do fleet[name] = value end
  return fleet
end

local hostile = {
  "漢字漢字漢字漢字漢字漢字漢字漢字", "\27[2J\27]0;pwned\7\r\n::error::x", ("\u{202E}x"):rep(30), ("x"):rep(5000), "\xFF\xFE\x80",
  ("🙂"):rep(100), ("e\u{301}"):rep(100), "", "a\tb\n\n\nc", "100%\\n %d %s",
}

describe("a line of one wait", function()
  local rows = {
    { 120, '| ThingExists: status is "pending", attempt 3, 6.2 s of 5 m, next in 2 s' },
    { 70, '| ThingExists: status is "pendi…, attempt 3, 6.2 s of 5 m, next in 2 s' },
    { 60, '| ThingExists: status is "pending", attempt 3, 6.2 s of 5 m' },
    { 40, '| ThingExists: status is "pe…, attempt 3' },
    { 20, '| ThingExists: stat…' },
    { 5, "| Th…" }, { 2, "| " }, { 1, "…" }, { 0, "" },
  }
  for _, row in ipairs(rows) do
    it(("fits %d columns"):format(row[1]), function()
      assert.equal(row[2], text_of(layout.wait(wait_of(), 0, row[1])))
    end)
  end

  it("says what the wait is doing", function()
    local function line(members) return text_of(layout.wait(wait_of(members), 1, 100)) end
    assert.equal('/ ThingExists: status is "pending", attempt 4, 6.2 s of 5 m, asking',
      line { attempt = 4, state = "asking", next = false })
    assert.equal("/ ThingExists: attempt 1, 0.3 s of 5 m, queued",
      line { attempt = 1, state = "queued", next = false, seen = false, elapsed = 399 })
    assert.equal("/ ThingExists: 1 s of 5 m, first attempt in 3 s",
      line { attempt = 0, next = 3000, seen = false, elapsed = 1000 })
    assert.equal("  ThingExists: it failed", line { state = "failed", message = "it failed" })
  end)
end)

describe("lines of several waits", function()
  it("are as many as fit", function()
    local waits = { wait_of { name = "db" }, wait_of { name = "cache" }, wait_of { name = "web" } }
    assert.equal(3, #layout.waits(waits, 3, 0, 100, 3))
    local lines = texts_of(layout.waits(waits, 3, 0, 100, 2))
    assert.equal(2, #lines)
    assert.equal("  … and 2 more waits", lines[2])
    assert.matches("^| db: ", lines[1])
  end)
end)

describe("lines of a fleet", function()
  it("are its counts, the states and the slowest", function()
    local slowest = { wait_of { name = "line 7 (id=n7)", next = false }, wait_of { name = "line 9", next = false } }
    assert.same({
      "| JobDone: 40 of 500 waits have ended, 13 s of 5 m, 612 attempts, 20/s",
      "  60 queued, 20 asking, 380 sleeping, 38 succeeded, 2 failed",
      '  slowest: line 7 (id=n7): status is "pending", attempt 3, 6.2 s of 5 m, sleeping',
      '           line 9: status is "pending", attempt 3, 6.2 s of 5 m, sleeping',
    }, texts_of(layout.fleet(fleet_of { slowest = slowest }, 0, 120, 30)))
  end)

  it("break between the parts where the terminal is narrow", function()
    assert.same({
      "| JobDone: 40 of 500 waits have ended,", "  13 s of 5 m, 612 attempts, 20/s",
      "  60 queued, 20 asking, 380 sleeping,", "  38 succeeded, 2 failed",
    }, texts_of(layout.fleet(fleet_of(), 0, 40, 30)))
  end)

  it("have a colour for what succeeded and what failed alone", function()
    local function styles(fleet)
      local list = {}
      for _, line in ipairs(layout.fleet(fleet, 0, 120, 30)) do
        for _, span in ipairs(line) do list[#list + 1] = span.style end
      end
      return list
    end
    assert.same({ "succeeded", "failed" }, styles(fleet_of()))
    assert.same({}, styles(fleet_of { succeeded = 0, failed = 0 }))
  end)

  it("are one line in a log", function()
    assert.equal("13 s of 5 m, 20/s: 60 queued, 20 asking, 380 sleeping; "
      .. "40 of 500 waits have ended: 38 succeeded, 2 failed; 612 attempts", layout.line_of_fleet(fleet_of()))
    assert.equal("0 s of 5 m: 1 queued, 0 asking, 0 sleeping; 1 of 1 waits have ended: 0 succeeded, 0 failed, 1 cancelled; "
      .. "1 attempt; warning: 1 error tolerated", layout.line_of_fleet {
        count = 1, queued = 1, asking = 0, sleeping = 0, succeeded = 0, failed = 0, cancelled = 1, attempts = 1, tolerated = 1,
        elapsed = 0, limit = 300000, slowest = {} })
  end)
end)

describe("every layout", function()
  local widths = { 1, 3, 7, 20, 40, 80, 120, 300 }

  local function check(lines, width, height)
    assert.is_true(#lines <= height, ("%d lines in %d rows"):format(#lines, height))
    for _, text in ipairs(texts_of(lines)) do
      assert.is_nil(text:find "%c")
      assert.is_true(columns.of(text) <= width, ("%d columns in %d: %s"):format(columns.of(text), width, text))
    end
  end

  it("keeps to the size of the terminal, whatever services send", function()
    for _, width in ipairs(widths) do
      for _, text in ipairs(hostile) do
        local waits = { wait_of { name = text }, wait_of { seen = text }, wait_of { message = text, state = "failed" } }
        check(layout.waits(waits, #waits, 2, width, 2), width, 2)
        check(layout.fleet(fleet_of { name = text, slowest = waits }, 3, width, 24), width, 24)
      end
    end
  end)

  it("keeps to it with any count of waits", function()
    for _, width in ipairs(widths) do
      for _, count in ipairs { 1, 2, 9, 10, 99, 100, 500 } do
        local waits = {}
        for position = 1, count do waits[position] = wait_of { name = "line " .. position, attempt = count } end
        check(layout.waits(waits, count, count, width, 10), width, 10)
        local fleet = fleet_of { count = count, queued = count, succeeded = count, failed = count, slowest = waits }
        check(layout.fleet(fleet, count, width, 6), width, 6)
      end
    end
  end)
end)
