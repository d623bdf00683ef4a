local uv = require "luv"
local postgres = require "bide.postgres"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local message = require "spec.support.postgres_message"

local accepted = message("R", "\0\0\0\0")

describe("bide.postgres, with a socket", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  ---The server says what follows its first ReadyForQuery when something has come after that.
  local function ask(answer, options)
    local sent, ready = "", message("Z", "I")
    local _, stop = answer:find(ready, 1, true)
    local parts = { answer:sub(1, stop), stop and answer:sub(stop + 1) or "" }
    server = Server.start(nil, { raw = function(peer, bytes)
      peer:write(table.remove(parts, 1) or "")
      sent = sent .. bytes
    end })
    options = options or {}
    options.host, options.port, options.timeout = "127.0.0.1", server.port, 5
    return postgres(options), sent
  end

  it("says who is there, and for which database", function()
    local _, sent = ask(message("R", "\0\0\0\5salt"), { user = "app", database = "shop" })
    assert.equal("\0\3\0\0user\0app\0database\0shop\0application_name\0bide\0\0", sent:sub(5))
    assert.equal(#sent, string.unpack(">I4", sent))
    _, sent = ask(message("R", "\0\0\0\3"))
    assert.matches("user\0postgres\0database\0postgres\0", sent, 1, true)
  end)

  it("takes a server that asks for a password for one that has started", function()
    assert.same({ answer = "passwordWanted" }, (ask(message("R", "\0\0\0\5salt"))))
  end)

  ---The answer to a query: columns, rows of texts (false for NULL), and the end.
  local function rows(columns, ...)
    local list, messages = {}, {}
    for position, name in ipairs(columns) do list[position] = name .. ("\0"):rep(19) end
    messages[1] = message("T", string.pack(">I2", #columns) .. table.concat(list))
    for _, row in ipairs { ... } do
      local cells = {}
      for position, text in ipairs(row) do cells[position] = text and string.pack(">s4", text) or "\xFF\xFF\xFF\xFF" end
      messages[#messages + 1] = message("D", string.pack(">I2", #row) .. table.concat(cells))
    end
    return table.concat(messages) .. message("C", "SELECT\0")
  end

  local ready = message("Z", "I")

  it("hears that the server is ready by its answer to a query, whatever else it tells", function()
    local greeting = accepted .. message("S", "TimeZone\0UTC\0") .. message("S", "server_version\00015.18\0")
      .. message("K", "12345678") .. ready
    local result, sent = ask(greeting .. rows({ "?column?" }, { "1" }) .. ready)
    assert.same({ answer = "ready", version = "15.18" }, result)
    assert.matches(message("Q", "SELECT 1\0"), sent, 1, true)
    assert.equal("08P01", failure_of(ask, greeting .. message("E", "SFATAL\0C08P01\0Mserver login has been failing\0\0")).type)
    assert.equal("InvalidAnswer", failure_of(ask, greeting .. rows { "?column?" } .. ready).type)
  end)

  it("refuses a statement that gives no rows", function()
    for _, answer in ipairs { message("I", ""), message("C", "CREATE TABLE\0"), message("C", "SET\0"):rep(2), "" } do
      local failure = failure_of(ask, accepted .. ready .. answer .. ready, { query = "CREATE TABLE t (x INT)" })
      assert.same({ type = "InvalidInput", message = "expected a query that gives rows, found a statement without columns" },
        failure)
    end
    local mixed = message("C", "SET\0") .. rows { "id" } .. ready
    assert.equal(0, ask(accepted .. ready .. mixed, { query = "SET search_path TO app; SELECT id FROM jobs" }).rows)
  end)

  it("sends a query, and reads its rows", function()
    local result, sent = ask(accepted .. ready .. rows({ "id", "note" }, { "7", false }, { "8", "x" }) .. ready,
      { query = "SELECT id, note FROM jobs" })
    assert.same({ answer = "ready", rows = 2, columns = 2, row = { id = "7" } }, result)
    assert.matches(message("Q", "SELECT id, note FROM jobs\0"), sent, 1, true)
    assert.same({ answer = "ready", rows = 0, columns = 1 },
      (ask(accepted .. ready .. rows { "id" } .. ready, { query = "SELECT" })))
    assert.equal(3, ask(accepted .. ready .. rows({ "a" }, { "1" }) .. message("N", "M\0") .. rows({ "b", "c" },
      { "2", "3" }, { "4", "5" }) .. ready, { query = "two statements" }).rows)
  end)

  it("requires a password for a query where the server does", function()
    local failure = failure_of(ask, message("R", "\0\0\0\10SCRAM-SHA-256\0\0"), { query = "SELECT 1" })
    assert.same({ type = "28P01", message = "the server requires a password, and there is none" }, failure)
    uv.os_setenv("PGPASSWORD", "secret")
    failure = failure_of(ask, message("R", "\0\0\0\10SCRAM-SHA-256\0\0"), { query = "SELECT 1" })
    uv.os_unsetenv "PGPASSWORD"
    assert.matches("; to give that of the environment, write password=@env:PGPASSWORD$", failure.message)
  end)

  it("refuses answers to a query that are none", function()
    local wrong = {
      message("D", "\0\0"), message("T", "\0"), message("T", "\0\1name\0"), message("T", "\xFF\xFFx\0"), message("G", "\0"),
      message("H", "\0"), message("W", ""), "HTTP/1.1 400 Bad Request\r\n", rows({ "a" }, { "1", "2" }),
      message("T", "\0\1a" .. ("\0"):rep(19)) .. message("D", "\0\1\0\0\0\9short"),
      message("T", "\0\0") .. message("D", "\0\0"):rep(10001),
    }
    for _, answer in ipairs(wrong) do
      assert.equal("InvalidAnswer", failure_of(ask, accepted .. ready .. answer .. ready, { query = "SELECT" }).type)
    end
  end)

  it("survives answers of random bytes and answers that end early", function()
    local answer = rows({ "id", "note" }, { "7", false }, { "8", "x" }) .. ready
    local reader = require "bide.probe.postgres.rows"
    local function read(bytes)
      local at = 1
      return pcall(reader.read, function()
        if #bytes < at + 4 then error({ type = "UnexpectedAnswer" }, 0) end
        local kind, body = string.unpack(">c1s4", bytes:sub(at, at) .. string.pack(">I4",
          math.max(0, math.min(string.unpack(">I4", bytes, at + 1) - 4, #bytes - at - 4))) .. bytes:sub(at + 5))
        at = at + 5 + #body
        return kind, body
      end, function(text) error({ type = "InvalidAnswer", message = text }, 0) end)
    end
    assert.is_true((read(answer)))
    for length = 0, #answer - 1 do
      local ok, failure = read(answer:sub(1, length))
      assert.is_true(ok or type(failure) == "table", failure)
    end
    math.randomseed(14)
    for _ = 1, 3000 do
      local at = math.random(#answer)
      local ok, failure = read(answer:sub(1, at - 1) .. string.char(math.random(0, 255)) .. answer:sub(at + 1))
      assert.is_true(ok or type(failure) == "table", failure)
    end
  end)

  it("raises what the server refuses", function()
    local refusal = message("E", "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0Fpostmaster.c\0\0")
    assert.same({ type = "57P03", message = "the database system is starting up" }, failure_of(ask, refusal))
    assert.equal("57P03", failure_of(ask, accepted .. refusal).type)
  end)

  it("sends no password, and believes no server that does not know it", function()
    local secret = { user = "app", password = "open sesame" }
    local replies = {
      function() return message("R", "\0\0\0\10SCRAM-SHA-256\0\0") end,
      function(bytes)
        return message("R", "\0\0\0\11r=" .. bytes:match("r=([^,]+)$") .. "more,s=" .. "AAAA,i=4096")
      end,
      function() return message("R", "\0\0\0\12v=AAAA") .. accepted .. message("Z", "I") end,
    }
    local sent = ""
    server = Server.start(nil, { raw = function(peer, bytes)
      sent = sent .. bytes
      peer:write(table.remove(replies, 1)(bytes))
    end })
    secret.host, secret.port = "127.0.0.1", server.port
    local ok, failure = pcall(postgres, secret)
    assert.is_false(ok)
    assert.same({ type = "InvalidAnswer", message = "the server does not know the password itself" }, failure)
    assert.matches("c=biws,r=.*,p=", sent)
    assert.not_matches("sesame", sent)
  end)

  it("shows its password to nobody who wants another proof of it", function()
    local options = { password = "open sesame" }
    for _, wanted in ipairs { "\3", "\5salt", "\10PLAIN\0\0", "\10" } do
      local ok, failure = pcall(ask, message("R", "\0\0\0" .. wanted), options)
      assert.is_false(ok)
      assert.equal("UnknownAuthentication", failure.type)
    end
    for _, wanted in ipairs { "\11r=x,s=AAAA,i=1", "\12v=AAAA" } do
      local ok, failure = pcall(ask, message("R", "\0\0\0" .. wanted), options)
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
  end)

  for name, answer in pairs {
    ["another protocol"] = "HTTP/1.1 400 Bad Request\r\n", ["a length that cannot be"] = "R\0\0\0\3\0\0\0\0",
    ["a message without end"] = "S\x7f\xff\xff\xff", ["an error without fields"] = message("E", "\0"),
  } do
    it("refuses " .. name, function() assert.equal("InvalidAnswer", failure_of(ask, answer).type) end)
  end

  it("is not led astray by a body that is none", function()
    assert.same({ answer = "ready" }, (ask(accepted .. message("S", "") .. message("S", "server_version") .. message("Z", "I")
      .. rows({ "?column?" }, { "1" }) .. ready)))
    for _, broken in ipairs { message("R", ""), accepted .. message("Z", "") .. rows({ "?column?" }, { "1" }) .. ready } do
      assert.equal("InvalidAnswer", failure_of(ask, broken).type)
    end
  end)

  it("refuses options that it does not know or that miss, by name", function()
    for mistake, options in pairs {
      ['databse: unknown option, did you mean "database"%?'] = { databse = "x" },
      ["host: expected a string, found nothing"] = { user = "x" },
      ["user: expected a string without NUL bytes"] = { host = "x", user = "a\0b" },
    } do
      local ok, text = pcall(function() local done = postgres(options) return done end)
      assert.is_false(ok)
      assert.matches("postgres_spec.lua:%d+: bide.postgres: .*" .. mistake, text)
    end
  end)
end)
