---The store on a file: what every store does, and what only a file does.

local Directory = require "spec.support.directory"
local journal = require "spec.support.journal"
local stores = require "bide.record.store.open"
local suite = require "spec.support.store_suite"

local function new()
  local directory, open = Directory.make(), {}
  local file = directory.path .. "/waits.db"
  return {
    file = file,
    open = function()
      local store = assert(stores.open("sqlite:" .. file))
      open[store] = true
      return store
    end,
    kill = function(store) -- a lock ends with its process, or when its file is closed
      open[store] = nil
      store:close()
    end,
    age = function(microseconds)
      journal.query(file, "UPDATE turn SET due = due - ?1, deadline = deadline - ?1", microseconds)
      journal.query(file, "UPDATE store_run SET began = began - ?1, deadline = deadline - ?1, ended = ended - ?1", microseconds)
      journal.query(file, "UPDATE pace SET free = free - ?1, used = used - ?1, closed_until = closed_until - ?1",
        microseconds)
    end,
    close = function()
      for store in pairs(open) do store:close() end
      directory:remove()
    end,
  }
end

suite("a store on a file", new, _ENV)

describe("the file of a store", function()
  local place, file

  before_each(function()
    place = new()
    file = place.file
  end)
  after_each(function() place.close() end)

  local function mistake_of(url, opening)
    local store, mistake = stores.open(url, opening)
    assert.is_nil(store)
    return mistake
  end

  it("is named by a path or a URL", function()
    for _, url in ipairs { file, "sqlite:" .. file, "SQLite:" .. file } do assert(stores.open(url)):close() end
    assert.equal('expected sqlite:FILE, a path, or postgres://HOST/DATABASE, found "mysql://x/y"', mistake_of "mysql://x/y")
    assert.equal('expected sqlite:FILE, a path, or postgres://HOST/DATABASE, found "sqlite:"', mistake_of "sqlite:")
    assert.equal(("the store %s2: no such file"):format(file), mistake_of(file .. "2", { must_exist = true }))
  end)

  it("is a journal with further tables, which a journal gets when it is opened as a store", function()
    local journals = require "bide.record.journal"
    assert(journals.open(file)):close()
    assert.equal(4, journal.query(file, "PRAGMA user_version")[1].user_version)
    place.open()
    assert.equal(5, journal.query(file, "PRAGMA user_version")[1].user_version)
    assert(journals.open(file)):close()
    assert.equal(5, journal.query(file, "PRAGMA user_version")[1].user_version)
    assert.equal("ok", journal.query(file, "PRAGMA integrity_check")[1].integrity_check)
  end)

  it("has strikes and paces whose rows are broken", function()
    local store, digest = place.open(), require "bide.digest"
    local manifest = "bide-recipe 1 main=/a.lua\n"
    local definition = { bundle = { digest = digest.sha256(manifest), manifest = manifest }, waiter = "A", body = "{}" }
    assert(store:submit { queue = "default", lane = 2, need = 1, keeps_going = true, seed = 7, about = "{}", history = "some",
      submit_digest = ("d"):rep(32),
      each = function(add) add { definition = definition, input = "{}", delay = 0, max_wait = 60000000 } end })
    local about = { name = "w", kind = "trusted", version = "0", host = "h", pid = 1, slots = 1,
      queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } }
    local me = assert(store:enter(about))
    for _, value in ipairs { "'x'", "2.5", "9e999", "9223372036854775807" } do
      for _, text in ipairs { "7", "{}", "{", '"x"', "null" } do
        local other = assert(store:enter(about))
        journal.query(file, "UPDATE turn SET worker = ?", other.id)
        journal.query(file, ("UPDATE turn SET strikes = %s"):format(value))
        journal.query(file, "UPDATE store_wait SET error = ?", text)
        local struck = assert(store:strike(me, { worker = other.id, wait = 1, reason = "signal 11" }))
        assert.equal("integer", math.type(struck.strikes))
        assert.is_true(struck.strikes >= 1 and struck.strikes <= 3, value)
        assert.equal('["signal 11"]', journal.query(file, "SELECT error FROM store_wait")[1].error)
      end
      local request = { queue = "default", host = "h", gap = 1000, burst = 1, count = 1 }
      assert(store:reserve(me, request))
      journal.query(file, ("UPDATE pace SET gap = %s, free = %s, closed_until = %s"):format(value, value, value))
      if value ~= "9223372036854775807" then assert.equal(1, assert(store:reserve(me, request)).granted) end
    end
  end)

  it("is not written by a worker without work", function()
    local store = place.open()
    local me = assert(store:enter { name = "w", kind = "trusted", version = "0", host = "h", pid = 1, slots = 1,
      queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } })
    local before = journal.query(file, "PRAGMA data_version")
    local watcher = place.open()
    local function version() return watcher.journal.query("PRAGMA data_version")[1].data_version end
    local first = version()
    for _ = 1, 100 do
      assert(store:claim(me, { queue = "default", lanes = { 2 }, want = 10, ahead = 0, back = math.maxinteger }))
      assert(store:reap())
    end
    assert.equal(first, version())
    assert.equal(1, #before)
  end)

  it("reports rows that bide does not write", function()
    local store = place.open()
    journal.query(file, "INSERT INTO worker (id, about, formats, began) VALUES (?, '[1]', '[0]', 0)", store.journal.owner)
    local listed, failure = store:list { what = "workers" }
    assert.is_nil(listed)
    assert.same({ "broken", "worker.about: expected the description of a worker" }, { failure.kind, failure.message })
  end)
end)
