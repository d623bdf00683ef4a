---A good conversation with each of some services, cut after each of its bytes, by an end and by a reset: no part of it is a
---success. The whole of it is one, in segments of a byte each too.

local Server = require "spec.support.server"
local check = require "spec.support.check"
local good = require "spec.support.good_conversations"

---Writes a byte at a time.
local function drip(peer, bytes, finish)
  local at = 0
  peer:later(0.001, function()
    at = at + 1
    if at <= #bytes then return peer:write(bytes:sub(at, at)) end
    peer.timer:stop()
    if finish then finish() end
  end, true)
end

---Plays a row to one client, as far as `most` bytes.
local function hold(row, most, ending)
  local left, position = most, 1
  local function say(peer, request)
    local answer = row[position]
    position = position + 1
    if left < 0 then return peer:finish() end -- the request comes again
    if not answer then return end
    local bytes = (type(answer) == "function" and answer(request) or answer):sub(1, left)
    local is_last = left - #bytes <= 0
    left = left - #bytes
    if ending == "drip" then return drip(peer, bytes) end
    if bytes ~= "" then peer:write(bytes) end
    if not is_last then return end
    left = -1
    if ending == "reset" then peer:later(0.001, function() peer:reset() end) else peer:finish() end
  end
  local server = Server.start(nil, { connected = function(peer) say(peer) end, raw = say })
  local options = { host = "127.0.0.1", port = server.port, timeout = 2 }
  for name, value in pairs(row.options or {}) do options[name] = value end
  local ok, result = pcall(row.ask, options)
  server:close()
  return ok, result
end

local function length_of(row)
  local length = 0
  for _, answer in ipairs(row) do length = length + #(type(answer) == "function" and answer "0123456789abc" or answer) end
  return length
end

describe("a conversation that is cut", function()
  for name, row in pairs(good.rows) do
    it("is no success at any byte: " .. name, function()
      local length = length_of(row)
      local ok, result = hold(row, length, "drip")
      assert(ok, type(result) == "table" and result.message or result)
      for most = 0, length - 1 - (row.spare or 0) do
        for _, ending in ipairs { "end", "reset" } do
          local failure
          ok, failure = hold(row, most, ending)
          check.equal(false, ok)
          check.equal("table", type(failure))
        end
      end
    end)
  end

  it("does not say at any byte that a queue is not there", function()
    local row = good.no_queue
    local length = length_of(row)
    local _, failure = hold(row, length, "drip")
    assert.equal("NotFound", failure.type)
    for most = 0, length - 1 do
      for _, ending in ipairs { "end", "reset" } do
        local ok
        ok, failure = hold(row, most, ending)
        check.equal(false, ok)
        check.is_true(failure.type ~= "NotFound")
      end
    end
  end)

  it("does not say at any byte that a topic is not there", function()
    local row = good.no_topic
    local ok, result = hold(row, length_of(row), "drip")
    assert.same({ true, false }, { ok, result.topic.exists })
    for most = 0, length_of(row) - 1 do check.equal(false, (hold(row, most, "end"))) end
  end)
end)
