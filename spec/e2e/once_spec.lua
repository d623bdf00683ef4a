---bide.once: a request is made at most once, whoever asks for it, and however often.

local Directory = require "spec.support.directory"
local core = require "bide.core"
local journal = require "spec.support.journal"
local journals = require "bide.record.journal"
local leftovers = require "spec.support.leftovers"
local process = require "spec.support.process"
local requests = require "bide.record.journal.requests"
local uv = require "luv"

local bide = require "bide"

describe("bide.once", function()
  local directory = Directory.of_each()
  local file, runs

  before_each(function()
    runs = 0
    file = directory.path .. "/requests.db"
  end)
  after_each(function()
    local journaled = uv.fs_stat(file) and journals.shared(file)
    if journaled then journaled:close() end
    assert.is_nil(leftovers.find())
  end)

  local function create(parameters, token)
    runs = runs + 1
    return { id = "i-" .. runs, parameters = parameters, token = token, tags = bide.json.array {} }
  end

  local function once(token, parameters, f, options)
    options = options or {}
    options.journal = file
    return bide.once(token, parameters, f or create, options)
  end

  local function failure_of(...)
    local ok, failure = pcall(...)
    assert.is_false(ok)
    return failure
  end

  it("runs the function for the first call, and gives later ones the same", function()
    local first = once("T", { name = "a", tags = { "x" }, size = 1 })
    assert.same({ "i-1", "T", "a" }, { first.id, first.token, first.parameters.name })
    assert.is_true(bide.json.is_array(first.tags))
    for _ = 1, 3 do assert.same(first, once("T", { size = 1.0, tags = { "x" }, name = "a" })) end
    assert.equal(1, runs)
    assert.equal("i-2", once("U", { name = "a" }).id)
  end)

  it("tells other parameters apart by the one that differs", function()
    once("T", { name = "a", disk = { size = 1, tags = { "x", "y" } }, password = "sesame" })
    local rows = {
      { { name = "b", disk = { size = 1, tags = { "x", "y" } }, password = "sesame" }, "name" },
      { { name = "a", disk = { size = 2, tags = { "x", "y" } }, password = "sesame" }, "disk.size" },
      { { name = "a", disk = { size = 1, tags = { "x", "z" } }, password = "sesame" }, "disk.tags[2]" },
      { { name = "a", disk = { size = 1, tags = { "x" } }, password = "sesame" }, "disk.tags[2]" },
      { { name = "a", disk = { size = 1, tags = { "x", "y" } }, password = "other" }, "password" },
      { { name = "a", disk = { size = 1, tags = { "x", "y" } }, password = "sesame", new = bide.null }, "new" },
    }
    for _, row in ipairs(rows) do
      local failure = failure_of(once, "T", row[1])
      assert.same({ "IdempotentParameterMismatch", row[2] }, { failure.type, failure.parameter })
      assert.equal(("the token T was used with other parameters: %s differs"):format(row[2]), failure.message)
    end
    assert.equal("the token T was used with other parameters: the whole differs", failure_of(once, "T", "text").message)
    assert.equal(1, runs)
  end)

  it("finds the first difference, and none where there is none", function()
    for seed = 1, 400 do
      math.randomseed(seed)
      local function tree(depth)
        local kind = math.random(depth > 0 and 5 or 3)
        if kind < 4 then return ({ math.random(9), "x", bide.null })[kind] end
        local value = kind == 4 and {} or bide.json.array {}
        for place = 1, math.random(0, 3) do value[kind == 4 and "m" .. place or place] = tree(depth - 1) end
        return value
      end
      local value = { a = tree(4), b = tree(4) }
      local copy = core.json.decode(core.json.encode(value))
      assert.is_nil(requests.difference(value, copy))
      copy.b = { copy.b }
      assert.matches("^b", requests.difference(value, copy))
      assert.equal(requests.difference(value, copy), requests.difference(copy, value))
    end
  end)

  it("knows who asks", function()
    assert.equal("i-1", once("T", {}, nil, { identity = "account 1" }).id)
    assert.equal("i-2", once("T", {}, nil, { identity = "account 2" }).id)
    assert.equal("i-3", once("T", {}).id)
    assert.equal("i-1", once("T", {}, nil, { identity = "account 1" }).id)
    assert.equal("user " .. uv.getuid(), journal.query(file, "SELECT * FROM request WHERE identity LIKE 'user%'")[1].identity)
  end)

  it("records for as long as it is told, and then refuses or runs", function()
    once("T", {}, nil, { retain = 3600 })
    assert.equal("i-1", once("T", {}).id)
    journal.query(file, "UPDATE request SET ended = ended - 3600001")
    local failure = failure_of(once, "T", {})
    assert.equal("IdempotentTokenExpired", failure.type)
    assert.equal("i-2", once("T", { other = true }, nil, { late = "run" }).id)
    assert.equal("i-2", once("T", { other = true }).id)
  end)

  it("records no error: the next call runs the function again, with the same parameters", function()
    local failure = failure_of(once, "T", { a = 1 }, function() error { type = "Throttled", message = "later" } end)
    assert.same({ "Throttled", "later" }, { failure.type, failure.message })
    assert.matches("a bug", failure_of(once, "T", { a = 1 }, function() error "a bug" end).message)
    assert.equal("IdempotentParameterMismatch", failure_of(once, "T", { a = 2 }).type)
    assert.equal("i-1", once("T", { a = 1 }).id)
  end)

  it("takes what an operation may return", function()
    assert.same({}, once("T", {}, function() end))
    assert.equal("text", once("U", "text", function(text) return text end))
    assert.equal("text", once("U", "text"))
    assert.matches("JSON cannot represent", failure_of(once, "V", {}, function() return print end).message)
  end)

  it("lets one task make it while the others wait", function()
    local results, children = {}, {}
    for position = 1, 5 do
      children[position] = bide.spawn(function()
        results[position] = once("T", {}, function(parameters, token)
          bide.sleep(0.1)
          return create(parameters, token)
        end).id
      end)
    end
    for _, child in ipairs(children) do child:join() end
    assert.same({ "i-1", "i-1", "i-1", "i-1", "i-1" }, results)
  end)

  it("hands the request on where the task that made it was stopped", function()
    local failure = failure_of(bide.timeout, 0.05, once, "T", {}, function() bide.sleep(60) end)
    assert.equal("Timeout", failure.type)
    assert.equal("i-1", once("T", {}).id)
    failure = failure_of(bide.timeout, 0.05, once, "U", {}, function() while true do pcall(function() end) end end)
    assert.equal("Timeout", failure.type)
    assert.equal("i-2", once("U", {}).id)
  end)

  it("may be stopped at whatever instruction", function()
    local stopped = 0
    for round = 1, 300 do
      local token = "T" .. round
      local ok, failure = pcall(bide.timeout, 0.001, function()
        local began = uv.hrtime()
        while uv.hrtime() - began < (round % 30) * 50000 do end -- up to a millisecond and a half
        return once(token, { round = round }, function() return { done = round } end)
      end)
      if not ok then
        stopped = stopped + 1
        assert.equal("Timeout", failure.type)
      end
      assert.equal(round, once(token, { round = round }, function() return { done = round } end).done)
    end
    assert.is_true(stopped > 0 and stopped < 300, stopped)
    assert.equal(300, #journal.query(file, "SELECT * FROM request WHERE result IS NOT NULL AND owner IS NULL"))
  end)

  it("does not wait for itself", function()
    local failure = failure_of(once, "T", {}, function() return once("T", {}) end)
    assert.matches("the request with the token T is made within itself", tostring(failure))
    assert.equal("i-1", once("T", {}).id)
  end)

  it("says what is wrong with a call", function()
    assert.has_error(function() once("", {}) end, 'bide.once: token: expected a string that is not empty, found ""')
    assert.has_error(function() bide.once("T", {}, 5) end, "bide.once: expected a function, which makes the request, found 5")
    assert.has_error(function() once("T", {}, nil, { retian = 1 }) end,
      'bide.once: retian: unknown option, did you mean "retain"?')
    assert.has_error(function() once("T", {}, nil, { late = "never" }) end,
      'bide.once: late: expected "refuse" or "run", found "never"')
    assert.matches("bide.once: parameters: ", failure_of(once, "T", { f = print }))
    local failure = failure_of(bide.once, "T", {}, create)
    assert.same({ "JournalFailed", "no journal is given: --journal FILE, BIDE_JOURNAL, or the option journal" },
      { failure.type, failure.message })
    assert.equal(0, runs)
  end)

  it("runs nothing where the journal cannot be opened", function()
    directory:write("requests.db", ("no database\n"):rep(100))
    assert.matches("requests.db: it is not a journal: it is not an SQLite database", failure_of(once, "T", {}).message, 1, true)
    assert.equal(0, runs)
    uv.fs_unlink(file)
  end)

  describe("in several processes", function()
    local script = [[
local bide = require "bide"
local name, seconds = ...
local result = bide.once("T", { size = 1 }, function()
  print("runs") io.stdout:flush()
  bide.sleep(tonumber(seconds))
  return { by = name }
end)
print(result.by)
]]

    local function start(name, seconds)
      directory:write("once.lua", script)
      return process.start { process.bide, "exec", "--journal", file, directory.path .. "/once.lua", name, seconds }
    end

    it("lets one make it, and the others wait for its result", function()
      local first = start("first", "0.3")
      first:wait_for_output "runs"
      local second = start("second", "0")
      assert.equal("runs\nfirst\n", first:wait().stdout)
      assert.equal("first\n", second:wait().stdout)
    end)

    it("takes over from one that was killed", function()
      local first = start("first", "60")
      first:wait_for_output "runs"
      local second = start("second", "0")
      uv.sleep(100)
      first:kill "sigkill"
      first:wait()
      assert.equal("runs\nsecond\n", second:wait().stdout)
      local listed = process.run { process.bide, "journal", "list", "--journal", file }
      assert.matches("T +ended +20[%d%-]+T[%d:]+Z +user %d+\n", listed.stdout)
      local shown = core.json.decode(process.run({ process.bide, "journal", "show", "T", "--journal", file }).stdout)
      assert.same({ "second", 1 }, { shown.result.by, shown.parameters.size })
      assert.equal(0, process.run({ process.bide, "journal", "prune", "T", "--journal", file }).code)
      assert.equal("runs\nthird\n", start("third", "0"):wait().stdout)
    end)

    it("makes it once among many at a time", function()
      local started, ran = {}, 0
      for position = 1, 8 do started[position] = start("p" .. position, "0.05") end
      local results = {}
      for position, one in ipairs(started) do
        local text = one:wait().stdout
        if text:find "runs" then ran = ran + 1 end
        results[position] = text:match "(%w+)\n$"
      end
      assert.equal(1, ran)
      for _, by in ipairs(results) do assert.equal(results[1], by) end
    end)
  end)
end)
