---A good conversation with each of some services, cut after each of its bytes, by an end and by a reset: no part of it is a
---success. The whole of it is one, in segments of a byte each too.

local Server = require "spec.support.server"
local bide = require "bide"
local check = require "spec.support.check"
local http = require "bide.http"

local function hex(text)
  return (text:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function tag(text)
  return function(request) return (text:gsub("TAG", request:match "^%S+")) end
end

local function entry(name)
  local found = "\x02\x01\x03\x64" .. string.pack("s1", "\x04" .. string.pack("s1", name)
    .. hex "300a3008040163310304" .. "\x01b")
  return "\x30" .. string.pack("s1", found) .. hex "300c02010365070a0100" .. hex "04000400"
end

local function get(options)
  return http.get(("http://%s:%d/"):format(options.host, options.port), { retry = "none", timeout = 2 }):json()
end

---What the server says first, and then to each request.
local rows = {
  redis = { ask = bide.redis, options = { command = { "GET", "name" } }, "", "$4\r\ndone\r\n" },
  smtp = { ask = bide.smtp, "220 mail ESMTP\r\n", "250-mail\r\n250-SIZE 1000\r\n250 STARTTLS\r\n" },
  imap = { ask = bide.imap, "* OK ready\r\n", tag "* CAPABILITY IMAP4rev1 IDLE\r\nTAG OK done\r\n" },
  nats = { ask = bide.nats, 'INFO {"server_id":"a","version":"2.9.10"}\r\n', "PONG\r\n" },
  ldap = { ask = bide.ldap, options = { base = "o=app,dc=shop" }, "", hex "300c02010261070a010004000400", entry "o=app,dc=shop" },
  mysql = { ask = bide.mysql, options = { user = "root", query = "SELECT 1" },
    hex("640000000a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753100280500006e7b3f655e2c5c6d00feff080200ff8115"
      .. "0000000000001d000000314b622e5b5f4d444b2b366c006d7973716c5f6e61746976655f70617373776f726400"),
    hex "0700000200000002000000",
    hex("010000010117000002036465660000000131000c3f000100000003810000000005000003fe0000020002000004013105000005fe00000200"),
  },
  postgres = { ask = bide.postgres, options = { user = "postgres" }, "",
    hex "52000000080000000053000000167365727665725f76657273696f6e003135004b0000000c000015a572d497675a0000000549",
    hex("540000002100013f636f6c756d6e3f00000000000000000000170004ffffffff0000440000000b00010000000131430000000d53454c45435420"
      .. "31005a0000000549"),
  },
  http = {
    ask = get, "", 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"state":"done"}',
  },
  ["http, in chunks"] = { -- libcurl does not wait for the line feed behind the last chunk, if the server ends there
    ask = get, spare = 1, "", 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"state\r\n9\r\n":"done"}\r\n0\r\n\r\n',
  },
}

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
    if not answer or left < 0 then return end
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
  for name, row in pairs(rows) do
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
end)
