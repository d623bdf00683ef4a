local Server = require "spec.support.server"
local bide = require "bide"
local leftovers = require "spec.support.leftovers"
local sessions = require "bide.postgres.session"
local uv = require "luv"
local message = require "spec.support.postgres_message"

local ready = message("Z", "I")
local accepted = message("R", "\0\0\0\0") .. message("S", "server_version\00015.1\0") .. message("K", "12345678") .. ready

---A description of columns: { name, type, format }.
local function columns(...)
  local list = {}
  for position, column in ipairs { ... } do
    list[position] = string.pack(">zI4I2I4i2i4I2", column[1], 0, 0, column[2], -1, -1, column[3] or 0)
  end
  return message("T", string.pack(">I2", #list) .. table.concat(list))
end

local function row(...)
  local cells = {}
  for position, text in ipairs { ... } do cells[position] = string.pack(">s4", text) end
  return message("D", string.pack(">I2", #cells) .. table.concat(cells))
end

local parsed, bound, done = message("1", ""), message("2", ""), message("C", "SELECT 1\0")
local one = parsed .. bound .. columns({ "a", 23 }) .. row "7" .. done .. ready

describe("bide.postgres.session, with a hostile server", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  ---Opens a session with a server that says these texts, each when something has come.
  local function open(options, ...)
    local said, position = { ... }, 0
    server = Server.start(nil, { raw = function(peer, bytes)
      position = position + 1
      local text = said[position]
      if type(text) == "function" then text(peer, bytes) elseif text then peer:write(text) end
    end })
    local given = { host = "127.0.0.1", port = server.port, user = "app", sslmode = "disable", timeout = 0.3,
      connect_timeout = 2 }
    for name, value in pairs(options) do given[name] = value end
    return sessions.open(given)
  end

  ---Returns the answer to one statement, and the session, which is closed later.
  local function ask(answer, options)
    local session <close> = assert(open(options or {}, accepted, answer))
    local rows, failure = session:query "SELECT 7 AS a"
    return rows, failure, session:is_open()
  end

  it("has a true answer", function()
    local rows, failure, is_open = ask(one)
    assert.same({ { a = 7 } }, rows)
    assert.is_nil(failure)
    assert.is_true(is_open)
  end)

  it("takes no answer for one that is not, and is closed then", function()
    local head = parsed .. bound
    local description = columns { "a", 23 }
    for name, answer in pairs {
      ["ready alone"] = ready,
      ["an end alone"] = done .. ready,
      ["rows without columns"] = head .. row "7" .. done .. ready,
      ["not parsed"] = bound .. description .. row "7" .. done .. ready,
      ["not bound"] = parsed .. description .. done .. ready,
      ["no end"] = head .. description .. row "7" .. ready,
      ["fewer rows than it counts"] = head .. description .. row "7" .. message("C", "SELECT 2\0") .. ready,
      ["more rows than it counts"] = head .. description .. row "7" .. row "8" .. done .. ready,
      ["two ends"] = head .. description .. done .. done .. ready,
      ["rows after the end"] = head .. description .. done .. row "7" .. ready,
      ["two descriptions"] = head .. description .. description,
      ["an empty description"] = head .. message("T", ""),
      ["a cut description"] = head .. message("T", "\0\1name\0"),
      ["a description without end"] = head .. message("T", "\0\1name"),
      ["more columns"] = head .. message("T", "\xFF\xFF" .. ("x\0"):rep(9)),
      ["a longer description"] = head .. message("T", "\0\0x"),
      ["an unknown format"] = head .. columns { "a", 23, 2 },
      ["a row of two"] = head .. description .. row("7", "8"),
      ["a row of none"] = head .. description .. message("D", "\0\0"),
      ["an empty row"] = head .. description .. message("D", ""),
      ["a cut row"] = head .. description .. message("D", "\0\1\0\0\0\9x"),
      ["a value of -2"] = head .. description .. message("D", "\0\1\xFF\xFF\xFF\xFE"),
      ["a value of 2^31"] = head .. description .. message("D", "\0\1\x7F\xFF\xFF\xFFx"),
      ["a longer row"] = head .. description .. message("D", "\0\1\0\0\0\0017x"),
      ["a text for a number"] = head .. description .. row "seven",
      ["no number"] = head .. description .. row "",
      ["an int of two bytes"] = head .. columns { "a", 23, 1 } .. row "xx",
      ["an end without a command"] = head .. description .. message("C", ""),
      ["a state of none"] = head .. description .. done .. message("Z", ""),
      ["another state"] = head .. description .. done .. message("Z", "X"),
      ["an open transaction"] = head .. description .. done .. message("Z", "T"),
      ["HTTP"] = "HTTP/1.1 400 Bad Request\r\n\r\n",
      ["an unknown letter"] = message("?", ""),
      ["an error without fields"] = message("E", ""),
      ["a length of 3"] = "1\0\0\0\3",
      ["a length of 4 GiB"] = "D\xFF\xFF\xFF\xFF",
      ["login again"] = message("R", "\0\0\0\0"),
      ["COPY in"] = head .. message("G", "\0\0\0"),
      ["COPY out"] = head .. message("H", "\0\0\0"),
      ["replication"] = message("W", ""),
      ["data of a COPY"] = message("d", "x"),
      ["the end of a COPY"] = message("c", ""),
      ["a suspended portal"] = head .. message("s", ""),
      ["a broken notification"] = message("A", "x"),
    } do
      local rows, failure, is_open = ask(answer)
      assert.is_nil(rows, name)
      local is_own = name == "an open transaction" or name:find "^COPY" ~= nil
      if not is_own then assert.equal("broken", failure.kind, name) end
      assert.is_not_nil(failure.message, name)
      assert.is_false(is_open, name)
    end
  end)

  it("waits no longer than its time, whatever comes meanwhile", function()
    for name, talk in pairs {
      ["nothing"] = function() end,
      ["half a message"] = function(peer) peer:write "D\0\0\1\0half" end,
      ["a byte now and then"] = function(peer) peer:later(0.01, function() peer:write "\0" end, true) end,
      ["rows without an end"] = function(peer)
        peer:write(parsed .. bound .. columns { "a", 23 })
        peer:later(0.01, function() peer:write(row "7") end, true)
      end,
      ["parameters without an end"] = function(peer)
        peer:later(0.01, function() peer:write(message("S", "a\0b\0")) end, true)
      end,
    } do
      local began = uv.hrtime()
      local rows, failure, is_open = ask(talk)
      assert.is_nil(rows, name)
      if name ~= "a byte now and then" then assert.equal("RequestTimeout", failure.type, name) end
      assert.is_true(failure.uncertain, name)
      assert.is_false(is_open)
      assert.is_true((uv.hrtime() - began) / 1e9 < 10, name)
    end
  end)

  it("keeps no more than its limits, of what never ends", function()
    for name, flood in pairs {
      rows = { parsed .. bound .. columns { "a", 25 }, row(("x"):rep(100)):rep(500), "at most 1000000 bytes, found more" },
      ["rows of nothing"] = { parsed .. bound .. columns(), message("D", "\0\0"):rep(5000), "at most 1000000 bytes, found more" },
      notices = { "", message("N", "SNOTICE\0C00000\0Mx\0\0"):rep(500), "at most 10000 notices, found more" },
      notifications = { "", message("A", "\0\0\0\1a\0b\0"):rep(500), "at most 10000 notices, found more" },
    } do
      local written = 0
      local function answer(peer)
        peer:write(flood[1])
        local function more()
          if peer.handle:is_closing() or written > 2e8 then return end
          written = written + #flood[2]
          peer.handle:write(flood[2], more)
        end
        more()
      end
      local rows, failure, is_open = ask(answer, { result_limit = 1000000, timeout = 30 })
      assert.is_nil(rows, name)
      assert.matches(flood[3], failure.message, 1, true)
      assert.equal("broken", failure.kind)
      assert.is_false(is_open)
      assert.is_true(written < 1e8, name)
    end
  end)

  it("is bounded while nobody asks, too", function()
    local session <close> = assert(open({}, accepted .. message("N", "Mx\0\0"):rep(10001)))
    local failure = session:await_end()
    assert.matches("at most 10000 notices", failure.message)
  end)

  it("says so where the connection ends within an answer", function()
    local answer = parsed .. bound .. columns { "a", 23 } .. row "7" .. done .. ready
    for length = 0, #answer - 1, 7 do
      local _, failure, is_open = ask(function(peer)
        peer:write(answer:sub(1, length))
        peer:finish()
      end)
      assert.same({ "away", "ConnectionReset", true, false }, { failure.kind, failure.type, failure.uncertain, is_open })
    end
  end)

  it("fails all statements that are out, and says that they may have been carried out", function()
    local session <close> = assert(open({}, accepted, function(peer)
      peer:write(message("E", "SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0"))
      peer:finish()
    end))
    local first, second = session:send "SELECT 1", session:send "SELECT 2"
    for _, pending in ipairs { first, second } do
      local _, failure = pending:await()
      assert.same({ "away", "57P01" }, { failure.kind, failure.sqlstate })
    end
    assert.is_true(select(2, second:await()).uncertain)
    assert.is_nil(select(2, session:query "SELECT 3").uncertain)
  end)

  it("proves that it knows the password, or is refused", function()
    local function sasl(text) return message("R", "\0\0\0\10" .. text .. "\0\0") end
    local function continue(bytes) -- a server that makes up what it does not know
      local nonce = bytes:match "r=([^,]+)$"
      return message("R", "\0\0\0\11r=" .. nonce .. "x,s=c2FsdA==,i=4096")
    end
    local final = message("R", "\0\0\0\12v=" .. ("A"):rep(43) .. "=")
    local done_at_once = message("R", "\0\0\0\0") .. ready
    for name, talk in pairs {
      ["no proof asked"] = { accepted }, ["in clear"] = { message("R", "\0\0\0\3") }, MD5 = { message("R", "\0\0\0\5salt") },
      Kerberos = { message("R", "\0\0\0\7") }, ["no mechanism"] = { sasl "SCRAM-SHA-1" }, nothing = { message("R", "") },
      ["no SCRAM"] = { sasl "SCRAM-SHA-256", done_at_once },
      ["no signature"] = { sasl "SCRAM-SHA-256", function(peer, bytes) peer:write(continue(bytes)) end, done_at_once },
      ["a wrong signature"] = { sasl "SCRAM-SHA-256", function(peer, bytes) peer:write(continue(bytes)) end,
        final .. done_at_once },
      ["another nonce"] = { sasl "SCRAM-SHA-256", message("R", "\0\0\0\11r=xyz,s=c2FsdA==,i=4096") },
      ["one iteration"] = { sasl "SCRAM-SHA-256", function(peer, bytes)
        peer:write((continue(bytes):gsub("i=4096", "i=0001")))
      end },
      ["a signature unasked"] = { final .. done_at_once },
    } do
      local session, failure = open({ password = "secret" }, table.unpack(talk))
      assert.is_nil(session, name)
      assert.equal("broken", failure.kind, name)
      assert.not_matches("secret", failure.message)
    end
    local session, failure = open({ passfile = "/nowhere" }, sasl "SCRAM-SHA-256")
    assert.is_nil(session)
    assert.same({ "refused", "28P01" }, { failure.kind, failure.sqlstate })
  end)

  it("is not waited for at login longer than connect_timeout", function()
    for _, text in ipairs { "", message("R", "\0\0\0\0"), "R\0\0\0" } do
      local began = uv.hrtime()
      local _, failure = open({ connect_timeout = 0.2 }, text)
      assert.equal("RequestTimeout", failure.type)
      assert.is_true((uv.hrtime() - began) / 1e9 < 10)
    end
  end)

  it("may refuse in the middle of a COPY, or break it", function()
    local begin = message("G", "\0\0\0")
    local refusal = message("E", "SERROR\0VERROR\0C22P02\0Mno number\0\0")
    local session <close> = assert(open({}, accepted, begin, refusal .. ready, one, one, one))
    local _, failure = session:copy_in("COPY t FROM STDIN", ("x\n"):rep(100))
    assert.same({ "refused", "22P02" }, { failure.kind, failure.sqlstate })
    for _, talk in ipairs {
      { accepted, ready }, { accepted, begin .. done .. ready }, { accepted, begin .. begin },
      { accepted, message("H", "\0\0\0") }, { accepted, begin .. ready }, { accepted, begin, message("d", "x") },
    } do
      local other <close> = assert(open({}, table.unpack(talk)))
      local count
      count, failure = other:copy_in("COPY t FROM STDIN", function()
        bide.receive_next(1, 0.05)
        return ("x\n"):rep(50000)
      end)
      assert.is_true(count == nil and failure ~= nil or talk[2] == begin .. done .. ready)
    end
    local out = message("H", "\0\0\0")
    for _, answer in ipairs { ready, message("d", "x"), out .. ready, out .. message("D", "\0\0"),
      out .. message("d", "x") .. refusal .. ready } do
      local other <close> = assert(open({}, accepted, answer))
      local count
      count, failure = other:copy_out("COPY t TO STDOUT", function() end)
      assert.is_nil(count)
      assert.is_not_nil(failure.message)
    end
  end)
end)
