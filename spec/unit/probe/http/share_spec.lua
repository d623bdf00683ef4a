local options = require "bide.probe.http.options"
local process = require "spec.support.process"
local share = require "bide.probe.http.share"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math = ipairs, math

local function key(given, method, url)
  return share.key_of(assert(options.read("get", given, method or "GET", url or "http://h/")))
end

describe("the key of a request", function()
  it("is the same for what is equal, in whatever order and case it is written", function()
    local headers = { ["X-A"] = "1", ["X-B"] = "2", ["X-C"] = { "3", "4" }, ["X-D"] = "5" }
    local others = { ["x-d"] = "5", ["x-c"] = { "3", "4" }, ["x-b"] = "2", ["x-a"] = 1 }
    check.equal(key { headers = headers }, key { headers = others })
    check.equal(key { query = { a = 1, b = 2 } }, key(nil, nil, "http://h/?a=1&b=2"))
    check.equal(key(nil), key {})
    check.equal(share.key_of { method = "GET", url = "u" }, share.key_of { method = "GET", url = "u", number = 1 })
    check.equal(key { share = true, rate = "5/s" }, key { share = true, retry = "botocore" })
  end)

  it("differs in all that goes over the wire, and in how it gets there", function()
    local seen = {}
    local function is_new(...)
      local text = key(...)
      assert.is_nil(seen[text], seen[text])
      seen[text] = require("cjson").encode { ... }
    end
    is_new()
    is_new({}, "HEAD")
    is_new({}, "GET", "http://h/x")
    for _, given in ipairs {
      { headers = { A = "1" } }, { headers = { A = "2" } }, { headers = { A = "1", B = "1" } },
      { headers = { A = { "1", "1" } } },
      { headers = { A = { "1", "2" } } }, { headers = { A = { "2", "1" } } }, { headers = { Authorization = "x" } },
      { body = "" }, { body = "x" }, { json = {} }, { json = { a = 1 } }, { bearer = "x" }, { bearer = "y" }, { user = "x" },
      { user = "x", password = "y" }, { user = "x", password = "z" }, { user = "y", password = "y" }, { certificate = "x" },
      { key = "x" }, { ca = "x" }, { verify = false }, { unix_socket = "x" }, { proxy = "x" }, { proxy = false },
      { redirects = 0 }, { redirects = 1 }, { timeout = 1 }, { connect_timeout = 1 }, { idle_timeout = 1 }, { body_limit = 1 },
    } do is_new(given) end
  end)

  it("cannot be made to look like another by what stands in it", function()
    math.randomseed(1)
    local alphabet, seen = { "1:", "2:", "a", ":", "7:headers" }, {}
    local function text()
      local parts = {}
      for i = 1, math.random(0, 3) do parts[i] = alphabet[math.random(#alphabet)] end
      return table.concat(parts)
    end
    for _ = 1, 5000 do
      local user, password, body = text(), text(), text()
      local plain = table.concat({ user, password, body }, "\0")
      local found = share.key_of { method = "GET", url = "u", user = user, password = password, body = body }
      check.is_true(seen[found] == nil or seen[found] == plain)
      seen[found] = plain
    end
  end)
end)

describe("requests on their way", function()
  it("are one for a key at a time, serve all who did not go away, and end with the last, over many seeds", function()
    local done = process.run({ process.lua, "-e", [[
      local core, share = require "bide.core", require "bide.probe.http.share"
      local loop, task = core.loop, core.task
      loop.use_virtual_clock()

      local function later(milliseconds)
        local waker = task.waker()
        local alarm <close> = loop.alarm(waker)
        alarm:start(loop.now() + milliseconds)
        task.pause(waker)
      end

      local number = 0
      local function send_of(key, flying, log)
        return function()
          assert(not flying[key], "two at a time")
          number = number + 1
          local own <const> = number
          flying[key], log[own] = own, { key = key, began = loop.now() }
          local _landing <close> = setmetatable({}, { __close = function()
            flying[key], log[own].ended = nil, loop.now()
          end })
          later(math.random(0, 20))
          log[own].answered = true
          if math.random() < 0.2 then error({ type = "Failed", flight = own }, 0) end
          return { flight = own, copy = function(self) return { flight = self.flight } end }
        end
      end

      local served, cancelled = 0, 0
      for seed = 1, 150 do
        math.randomseed(seed)
        local flying, log, passengers = {}, {}, {}
        for i = 1, 30 do
          local passenger = { key = ("abc"):sub(math.random(3)):sub(1, 1), comes = math.random(0, 60) }
          passengers[i] = passenger
          passenger.task = task.start(function()
            later(passenger.comes)
            passenger.came = loop.now()
            local ok, value = pcall(share.run, passenger.key, send_of(passenger.key, flying, log))
            passenger.flight, passenger.went = value.flight, loop.now()
          end, function(_, how, value) passenger.how = how if how == "raised" then print(value) end end)
          if math.random() < 0.4 then
            loop.alarm(function() passenger.task:cancel() end):start(loop.now() + math.random(0, 80))
          end
        end
        while task.count() > 0 or loop.timer_count() > 0 do loop.turn() end
        for _, passenger in ipairs(passengers) do
          if passenger.how == "returned" then
            local flight = log[passenger.flight]
            assert(flight.key == passenger.key and flight.answered)
            assert(flight.ended >= passenger.came and flight.ended == passenger.went)
            served = served + 1
          else
            assert(passenger.how == "cancelled")
            cancelled = cancelled + 1
          end
        end
        assert(next(flying) == nil)
      end
      print(served + cancelled, served > 1000, cancelled > 500, number < served)
    ]] }, { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath } })
    check.equal("", done.stderr)
    check.equal("4500\ttrue\ttrue\ttrue\n", done.stdout)
  end)
end)
