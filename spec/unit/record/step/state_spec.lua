---The state of a wait between two steps is a text that may come from anybody.

local base64 = require "bide.base64"
local check = require "spec.support.check"
local states = require "bide.record.step.state"

-- busted looks up a global at each use
local string, math = string, math

local LONGEST_NUMBER = " streak_count=18446744073709551615"

local function sample(changes)
  local state = {
    recipe = ("r"):rep(16), input = ("i"):rep(16), first = 1700000000000, last = 1700000009000, delay = 2500,
    members = string.pack("<i8i8i8i8", 5, 1, -1, math.mininteger), record = "bide-wait 3 attempts=4", token = "T1",
  }
  for name, value in pairs(changes or {}) do state[name] = value end
  return state
end

---Returns the bytes of a state, and a state of bytes.
local function bytes_of(text)
  return base64.decode(text:gsub("[-_]", { ["-"] = "+", ["_"] = "/" }) .. ("="):rep(-#text % 4))
end

local function text_of(bytes)
  return (base64.encode(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end

---Changes bytes, and makes the checksum fit again, as anybody can.
local function forged(changed)
  return text_of(changed .. require("bide.digest").sha256(changed):sub(1, 16))
end

local function body_of(state)
  local bytes = bytes_of(states.pack(state))
  return bytes:sub(1, #bytes - 16)
end

describe("the state of a step", function()
  it("is read as it was written, with and without a key", function()
    for _, key in ipairs { false, "k", ("long"):rep(100) } do
      for _, changes in ipairs {
        {}, { token = false }, { output = '{"a":1}' }, { ended = { state = "success", reason = "acceptor", acceptor = 2 } },
        { ended = { state = "failure", reason = "maxWait" } },
      } do
        local state = sample(changes)
        state.token = state.token or nil
        local text = states.pack(state, key or nil)
        assert.matches("^[%w_-]+$", text)
        assert.same(state, (assert(states.unpack(" " .. text .. "\n", key or nil))))
      end
    end
  end)

  it("fits in 2 KB, whatever is in it", function()
    local record = "bide-wait 4" .. (LONGEST_NUMBER):rep(24)
    local text = states.pack(sample { record = record, token = ("t"):rep(states.MOST_TOKEN) }, "key")
    assert.is_true(#text <= states.MOST)
  end)

  it("is refused if it is none", function()
    local longest = states.MOST + states.MOST_OUTPUT * 2
    for text, mistake in pairs {
      [""] = "expected the text that a step gave", ["\n"] = "expected the text that a step gave",
      ["hello, world"] = "expected the text that a step gave, found \"hello, world\"", ["A"] = "expected the text",
      ["AQ"] = "expected the text", ["AQA"] = "it is damaged", ["-_-_"] = "it is of version 251, and this bide reads version 1",
      [("A"):rep(longest)] = "expected at most %d+ characters, found " .. longest,
      [("x y"):rep(100)] = "…", ["\0\255"] = "expected the text", ['{"outcome": {}}'] = "expected the text",
    } do
      local state, found = states.unpack(text)
      assert.is_nil(state)
      assert.matches(mistake, found)
    end
  end)

  it("is refused if a character of it was changed, or is missing", function()
    for _, key in ipairs { false, "key" } do
      local text = states.pack(sample(), key or nil)
      for position = 1, #text - 1 do
        local other = text:sub(position, position) == "A" and "B" or "A"
        check.is_true(states.unpack(text:sub(1, position - 1) .. other .. text:sub(position + 1), key or nil) == nil)
        check.is_true(states.unpack(text:sub(1, position), key or nil) == nil)
      end
      check.is_true(states.unpack(text .. text, key or nil) == nil)
    end
  end)

  it("is refused if it is signed and no key is given, and the reverse, and with another key", function()
    local signed, unsigned = states.pack(sample(), "key"), states.pack(sample())
    assert.matches("it is signed, and no key is given", select(2, states.unpack(signed)))
    assert.matches("a key is given, and it is not signed", select(2, states.unpack(unsigned, "key")))
    assert.matches("it was changed, or signed with another key", select(2, states.unpack(signed, "kez")))
    local bytes = bytes_of(signed)
    local stripped = bytes:sub(1, 1) .. "\0" .. bytes:sub(3, -33)
    assert.matches("a key is given", select(2, states.unpack(forged(stripped), "key")))
  end)

  it("is refused if it is of another version", function()
    local body = body_of(sample())
    assert.matches("it is of version 2, and this bide reads version 1", select(2, states.unpack(forged("\2" .. body:sub(2)))))
    assert.matches("it is damaged", select(2, states.unpack(forged(body .. "\0"))))
  end)

  it("is refused if no wait can have its values", function()
    for _, changes in ipairs {
      { first = -1 }, { last = -1 }, { first = 2, last = 1 }, { delay = -1 }, { delay = math.maxinteger },
      { last = math.maxinteger }, { ended = { state = "retry", reason = "acceptor" } },
    } do
      assert.matches("it is damaged", select(2, states.unpack(states.pack(sample(changes)))))
    end
  end)

  it("is read or refused, whatever is in it", function()
    local body, read = body_of(sample { output = "{}" }), 0
    for seed = 1, 3000 do
      math.randomseed(seed)
      local changed = body
      for _ = 1, math.random(1, 3) do
        local position = math.random(2, #changed)
        changed = changed:sub(1, position - 1) .. string.char(math.random(0, 255)) .. changed:sub(position + math.random(0, 2))
      end
      local ok, state, mistake = pcall(states.unpack, forged(changed))
      check.is_true(ok)
      check.is_true(state ~= nil or type(mistake) == "string")
      read = read + (state and 1 or 0)
    end
    assert.is_true(read > 0)
  end)
end)
