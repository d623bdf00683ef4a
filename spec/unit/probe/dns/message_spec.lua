local message = require "bide.probe.dns.message"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math, string, table, type = ipairs, math, string, table, type

local question = assert(message.question(0x1234, "www.example.org", "A"))

---An answer to the question: what is behind its header and the question is given.
local function answer(body, options)
  options = options or {}
  return string.pack(">I2I2I2I2I2I2", 0x1234, options.flags or 0x8580, options.questions or 1, options.count or 1, 0, 0)
    .. question:sub(13) .. body
end

---A record whose owner is the name of the question, by a pointer to it.
local function record(kind, data, options)
  options = options or {}
  return (options.owner or "\xc0\x0c") .. string.pack(">I2I2I4s2", kind, options.class or 1, options.ttl or 60, data)
end

local function value_of(kind, data)
  local read = assert(message.read(answer(record(kind, data))))
  return read.records[1].value, read.records[1]
end

describe("a question", function()
  it("is written as RFC 1035 has it", function()
    assert.equal("\x12\x34\1\0\0\1\0\0\0\0\0\0\3www\7example\3org\0\0\1\0\1", question)
    assert.equal("\3www\7example\3org\0\0\x1c\0\1", message.question(1, "www.example.org.", "AAAA"):sub(13))
    assert.equal("\0\0\2\0\1", message.question(1, ".", "NS"):sub(13))
  end)

  for name, mistake in pairs {
    ["a..b"] = "an empty label", [".a"] = "an empty label", ["a.."] = "an empty label",
    [("x"):rep(64) .. ".org"] = "a label of more than 63 bytes",
    [("x."):rep(128)] = "more than 255 bytes",
  } do
    it("has no name such as " .. name:sub(1, 12), function()
      assert.same({ nil, mistake }, { message.question(1, name, "A") })
    end)
  end

  it("may have the longest labels and names there are", function()
    assert.is_string(message.question(1, ("x"):rep(63), "A"))
    assert.equal(12 + 255 + 4, #message.question(1, ("x."):rep(127), "A"))
  end)
end)

describe("an answer", function()
  it("is one to the question, whatever the case of its letters", function()
    assert.is_true(message.answers(answer(""), question))
    assert.is_true(message.answers((answer(""):gsub("www", "wWw")), question))
  end)

  it("is none where it is too short, another's, a question, or to another question", function()
    assert.is_false(message.answers("", question))
    assert.is_false(message.answers(answer(""):sub(1, 11), question))
    assert.is_false(message.answers("\x12\x35" .. answer(""):sub(3), question))
    assert.is_false(message.answers(question, question))
    assert.is_false(message.answers((answer(""):gsub("www", "wwx")), question))
    assert.is_false(message.answers(answer(""):sub(1, 20), question))
  end)

  it("may leave the question out where it is an error, and only there", function()
    assert.is_true(message.answers("\x12\x34\x80\1" .. ("\0"):rep(8), question))
    assert.is_false(message.answers("\x12\x34\x80\0" .. ("\0"):rep(8), question))
  end)

  it("says that it is truncated, whether its server knows, and how it went", function()
    assert.is_true(message.is_truncated(answer("", { flags = 0x8380 })))
    assert.is_false(message.is_truncated(answer("")))
    local read = assert(message.read(answer("", { count = 0 })))
    assert.same({ code = 0, authoritative = true, is_referral = false, name = "www.example.org", count = 0, records = {} }, read)
    read = assert(message.read(answer("", { count = 0, flags = 0x8183 })))
    assert.same({ 3, false }, { read.code, read.authoritative })
  end)

  describe("has records of type", function()
    it("A", function() assert.equal("10.0.0.255", (value_of(1, "\10\0\0\255"))) end)

    for text, bytes in pairs {
      ["::"] = ("\0"):rep(16), ["::1"] = ("\0"):rep(15) .. "\1", ["fe80::"] = "\xfe\x80" .. ("\0"):rep(14),
      ["2001:db8::1:0:0:1"] = "\x20\1\x0d\xb8\0\0\0\0\0\1\0\0\0\0\0\1",
      ["2001:0:0:1::1"] = "\x20\1\0\0\0\0\0\1\0\0\0\0\0\0\0\1",
      ["1:0:3:4:5:6:7:8"] = "\0\1\0\0\0\3\0\4\0\5\0\6\0\7\0\8",
      ["1:2:3:4:5:6::"] = "\0\1\0\2\0\3\0\4\0\5\0\6\0\0\0\0",
    } do
      it("AAAA: " .. text, function() assert.equal(text, (value_of(28, bytes))) end)
    end

    it("CNAME, NS and PTR", function()
      for _, kind in ipairs { 5, 2, 12 } do assert.equal("web.example.org", (value_of(kind, "\3web\xc0\x10"))) end
    end)

    it("MX", function()
      local value, mx = value_of(15, "\0\10\4mail\xc0\x10")
      assert.same({ "10 mail.example.org", 10, "mail.example.org" }, { value, mx.preference, mx.target })
    end)

    it("TXT, in one piece or many", function()
      assert.equal("v=spf1 -all", (value_of(16, "\11v=spf1 -all")))
      assert.equal(("x"):rep(255) .. "y\0", (value_of(16, "\xff" .. ("x"):rep(255) .. "\2y\0")))
      assert.equal("", (value_of(16, "\0")))
    end)

    it("SRV", function()
      local value, service = value_of(33, "\0\1\0\2\x13\xc4\3sip\xc0\x10")
      assert.equal("1 2 5060 sip.example.org", value)
      assert.same({ 1, 2, 5060, "sip.example.org" }, { service.priority, service.weight, service.port, service.target })
    end)

    it("others, which are passed over", function()
      local read = assert(message.read(answer(record(46, "any") .. record(1, "abcd", { class = 3 }) .. record(1, "\1\2\3\4"),
        { count = 3 })))
      assert.same({ { name = "www.example.org", type = "A", ttl = 60, value = "1.2.3.4" } }, read.records)
    end)
  end)

  it("has names with bytes of any kind, written as in zone files", function()
    assert.equal([[a\.b.c\\.\000\255]], (value_of(2, "\3a.b\2c\\\2\0\xff\0")))
    assert.equal(".", (value_of(2, "\0")))
  end)

  it("takes a time to live of 2^31 and above for none, as RFC 2181 has it", function()
    local read = assert(message.read(answer(record(1, "abcd", { ttl = 2 ^ 31 // 1 | 0 }))))
    assert.equal(0, read.records[1].ttl)
  end)
end)

describe("a hostile answer", function()
  local long = ("\63" .. ("x"):rep(63)):rep(4) .. "\0"

  for what, case in pairs {
    ["a pointer to itself"] = { record(1, "abcd", { owner = "\xc0\x21" }), "pointer that does not lead back" },
    ["a pointer forward"] = { record(1, "abcd", { owner = "\xc0\xff" }), "pointer that does not lead back" },
    ["two pointers in a ring"] = { record(2, "\xc0\x2f\xc0\x2d"), "pointer that does not lead back" },
    ["a pointer into the piece it stands in"] = { record(2, "\1a\xc0\x2d"), "pointer that does not lead back" },
    ["a label of an unknown kind"] = { record(1, "abcd", { owner = "\x40x\0" }), "label of an unknown kind" },
    ["a name of more than 255 bytes"] = { record(2, long), "more than 255 bytes" },
    ["a label beyond the end"] = { "\63abc", "it ends at byte" },
    ["no end of a name"] = { "\3abc", "it ends at byte" },
    ["half a pointer"] = { "\xc0", "it ends at byte" },
    ["fewer records than it says"] = { "", "it ends at byte" },
    ["data beyond the end"] = { record(1, "abcd"):sub(1, -2), "it ends at byte" },
    ["an address that is too long"] = { record(1, "abcde"), "record of type A is not as long as it says" },
    ["an address that is too short"] = { record(1, "abc") .. "defgh", "record of type A is not as long as it says" },
    ["a name that is longer than its record"] = { record(2, "\3a") .. "bc\0", "record of type NS is not as long" },
    ["a text that is longer than its record"] = { record(16, "\9abc") .. "defghijkl", "record of type TXT is not as long" },
    ["a text without any"] = { record(16, "") .. "\0\0", "record of type TXT is not as long" },
    ["a service that ends too early"] = { record(33, "\0\1\0\2\0"), "it ends at byte" },
  } do
    it("with " .. what .. " is told for what it is", function()
      local read, mistake = message.read(answer(case[1]))
      assert.is_nil(read)
      assert.matches(case[2], mistake, 1, true)
    end)
  end

  it("with more questions than it has is told for what it is", function()
    assert.matches("it ends at byte", select(2, message.read(answer("", { questions = 2, count = 0 }))), 1, true)
  end)

  ---What is read is either an answer or a mistake, never an error, and no value is longer than all that came.
  local function assert_safe(bytes)
    local read, mistake = message.read(bytes)
    if not read then return check.equal("string", type(mistake)) end
    for _, found in ipairs(read.records) do
      check.is_true(#found.name <= 4 * 255 and #found.value <= 4 * #bytes + 40)
    end
  end

  local function random_bytes(length)
    local bytes = {}
    for position = 1, length do bytes[position] = string.char(math.random(0, 255)) end
    return table.concat(bytes)
  end

  it("of random bytes is read or refused, and nothing else", function()
    for seed = 1, 3000 do
      math.randomseed(seed)
      assert_safe(random_bytes(12 + math.random(0, 200)))
    end
  end)

  it("that was a good one is read or refused, and nothing else", function()
    local good = answer(record(5, "\3web\xc0\x10") .. record(1, "\1\2\3\4", { owner = "\xc0\x2d" })
      .. record(33, "\0\1\0\2\x13\xc4\3sip\xc0\x10") .. record(16, "\5hello\5world") .. record(15, "\0\10\4mail\xc0\x10")
      .. record(28, ("\1"):rep(16)), { count = 6 })
    assert.equal(6, #assert(message.read(good)).records)
    for seed = 1, 6000 do
      math.randomseed(seed)
      local bytes = good
      for _ = 1, math.random(1, 4) do
        local at = math.random(3, #bytes)
        bytes = bytes:sub(1, at - 1) .. random_bytes(1) .. bytes:sub(at + 1)
      end
      assert_safe(bytes)
      assert_safe(bytes:sub(1, math.random(12, #bytes)))
    end
  end)

  it("full of names that lead back to others is read in time", function()
    local labels = ("\1x"):rep(126) .. "\0"
    local records, first = { record(2, labels) }, 12 + #question:sub(13) + 12
    for _ = 1, 2500 do records[#records + 1] = "\xc0" .. string.char(first) .. record(99, ""):sub(3) end
    local began = os.clock()
    assert.equal(1, #assert(message.read(answer(table.concat(records), { count = #records }))).records)
    assert.is_true(os.clock() - began < 1)
  end)
end)
