---bide.once as the article on safe retries has it: what is late is known for an interval, what was refused as invalid
---frees its token, and a repeated answer may show the resource as it is now.

local Directory = require "spec.support.directory"
local journal = require "spec.support.journal"
local journals = require "bide.record.journal"
local leftovers = require "spec.support.leftovers"
local process = require "spec.support.process"
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
    if uv.fs_stat(file) then journals.shared(file):close() end
    assert.is_nil(leftovers.find())
  end)

  local function create(parameters)
    runs = runs + 1
    return { id = "i-" .. runs, of = parameters, state = "pending" }
  end

  local function once(token, parameters, f, options)
    options = options or {}
    options.journal = file
    return bide.once(token, parameters, f or create, options)
  end

  local function failure_of(...)
    local ok, failure = pcall(once, ...)
    assert.is_false(ok)
    return failure
  end

  local function pass(seconds)
    journal.query(file, "UPDATE request SET ended = ended - ?", seconds * 1000)
  end

  local function prune(...)
    local done = process.run { process.bide, "journal", "prune", "--journal", file, ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout
  end

  it("knows a late request for as long as its record was retained, a prune in between or not", function()
    for _, prunes in ipairs { false, true } do
      once("T", { secret = "parameters" }, nil, { retain = 100 })
      pass(101)
      if prunes then
        assert.equal("0 runs and 1 request forgotten\n", prune())
        assert.equal("0 runs and 0 requests forgotten\n", prune())
        assert.not_matches("secret", journal.query(file, "SELECT parameters || result AS text FROM request")[1].text)
      end
      assert.equal("IdempotentTokenExpired", failure_of("T", { secret = "parameters" }).type)
      pass(98)
      if prunes then prune() end
      assert.equal("IdempotentTokenExpired", failure_of("T", { other = true }).type)
      pass(2)
      local before = runs
      assert.equal(before + 1, (once("T", { other = true }, function(parameters) return create(parameters) end) and runs))
      journal.query(file, "DELETE FROM request")
    end
  end)

  it("takes another interval, and prune forgets the token after it", function()
    once("T", {}, nil, { retain = 10, lateInterval = 1000 })
    pass(1009)
    prune()
    assert.equal("IdempotentTokenExpired", failure_of("T", {}).type)
    assert.equal("i-2", once("T", {}, nil, { late = "run", retain = 10, lateInterval = 0 }).id)
    pass(11)
    prune()
    assert.same({}, journal.query(file, "SELECT * FROM request"))
    assert.equal("i-3", once("T", {}).id)
  end)

  it("frees the token of a request that was refused as invalid", function()
    for _, name in ipairs { "ValidationError", "ValidationException", "com.example#ValidationException", "Taken" } do
      local function refuse() error { type = name, message = "no" } end
      local failure = failure_of("T" .. name, {}, refuse, { releases = { "Taken" } })
      assert.equal(name, failure.type)
      assert.same({}, journal.query(file, "SELECT * FROM request WHERE token = ?", "T" .. name))
      assert.is_string(once("T" .. name, { fixed = true }).id)
    end
    failure_of("U", {}, function() error { type = "Taken", message = "no" } end)
    assert.equal("IdempotentParameterMismatch", failure_of("U", { fixed = true }).type)
  end)

  it("lets a repeated request show the resource as it is now, and keeps the record", function()
    local seen = {}
    local function refresh(result, token)
      seen[#seen + 1] = { result.id, result.state, token }
      result.state = "running"
      return result
    end
    assert.equal("pending", once("T", {}, nil, { refresh = refresh }).state)
    assert.equal("running", once("T", {}, nil, { refresh = refresh }).state)
    assert.equal("running", once("T", {}, nil, { refresh = refresh }).state)
    assert.same({ { "i-1", "pending", "T" }, { "i-1", "pending", "T" } }, seen)
    assert.equal("pending", once("T", {}).state)
    assert.equal(1, runs)
  end)

  it("raises an error of refresh, which frees nothing", function()
    once("T", {})
    local failure = failure_of("T", {}, nil, { refresh = function() error { type = "ValidationError", message = "x" } end })
    assert.equal("ValidationError", failure.type)
    assert.matches("a bug", tostring(failure_of("T", {}, nil, { refresh = function() error "a bug" end })))
    assert.same({ "i-1", 1 }, { once("T", {}).id, runs })
  end)

  it("checks its options", function()
    for mistake, options in pairs {
      ["lateInterval: expected retain beside it"] = { lateInterval = 5 },
      ["lateInterval: expected a number of seconds, 0 or more, found %-1"] = { retain = 1, lateInterval = -1 },
      ["releases: expected a list of types"] = { releases = { 5 } },
      ["refresh: expected a function"] = { refresh = "x" },
      ['did you mean "lateInterval"'] = { lateInterva = 5 },
    } do
      assert.matches("^bide.once: .*" .. mistake, failure_of("T", {}, nil, options))
    end
    assert.equal(0, runs)
  end)

  it("refuses rows that are not as it wrote them", function()
    once("T", {})
    for column, value in pairs { parameters = "{", result = "{", ended = "x", retain = "x", late = -1, owner = "x" } do
      local row = journal.query(file, "SELECT * FROM request")[1]
      journal.query(file, ("UPDATE request SET %s = ?"):format(column), value)
      local failure = failure_of("T", {})
      assert.equal("JournalFailed", failure.type)
      assert.matches("it is broken: request." .. column, failure.message, 1, true)
      journal.query(file, ("UPDATE request SET %s = ?"):format(column), row[column])
    end
    assert.same({ "i-1", 1 }, { once("T", {}).id, runs })
  end)
end)
