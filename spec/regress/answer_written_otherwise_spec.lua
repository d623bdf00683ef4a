---dns NameGone with expect= succeeded while the name server gave the very answer that was expected: written with a dot at its
---end or in quotes, as dig shows it, in capital letters, or in another of the forms of an IPv6 address. It always succeeded with
---an answer that no record of the type can be, such as a host without its preference for MX.

local DatagramServer = require "spec.support.datagram_server"
local Workspace = require "spec.support.workspace"

local types = { A = 1, CNAME = 5, MX = 15, TXT = 16, AAAA = 28, SRV = 33 }

local function name(text) return text:gsub("([^.]+)%.?", function(label) return string.pack("s1", label) end) .. "\0" end

local records = {
  A = "\10\0\0\1",
  AAAA = "\x20\x01\x0d\xb8" .. ("\0"):rep(11) .. "\1",
  CNAME = name "Web.example",
  MX = "\0\10" .. name "mail.example",
  TXT = string.pack("s1s1", "v=spf1 ", "-all"),
  SRV = string.pack(">I2I2I2", 0, 5, 5060) .. name "sip.example",
}

---The types, what is expected, and the exit codes of NameKnown and NameGone.
local rows = {
  { "AAAA", "2001:DB8::1", 0, 124 },
  { "AAAA", "2001:0db8:0:0::1", 0, 124 },
  { "AAAA", "2001:db8::2", 124, 0 },
  { "AAAA", "10.0.0.1", 2, 2 },
  { "A", "10.0.0.1", 0, 124 },
  { "A", "10.0.0.01", 0, 124 },
  { "A", "10.0.0.256", 2, 2 },
  { "A", "2001:db8::1", 2, 2 },
  { nil, "10.0.0.1", 0, 124 },
  { nil, "2001:DB8::1", 0, 124 },
  { nil, "2001:db8::2", 124, 0 },
  { "CNAME", "web.example.", 0, 124 },
  { "CNAME", "WEB.example", 0, 124 },
  { "CNAME", "web.example.org", 124, 0 },
  { "CNAME", "two words", 2, 2 },
  { "MX", "10 mail.example.", 0, 124 },
  { "MX", "10  MAIL.example", 0, 124 },
  { "MX", "20 mail.example", 124, 0 },
  { "MX", "mail.example", 2, 2 },
  { "TXT", '"v=spf1 " "-all"', 0, 124 },
  { "TXT", "v=spf1 -all", 0, 124 },
  { "TXT", "V=spf1 -all", 124, 0 },
  { "SRV", "0 5 5060 sip.example.", 0, 124 },
  { "SRV", "sip.example:5060", 2, 2 },
}

describe("an expected answer of the DNS", function()
  local workspace = Workspace.of_block()
  local server = DatagramServer.of_block(function(question, reply)
    local asked, body = string.unpack(">I2", question, #question - 3), ""
    for kind, number in pairs(types) do
      if number == asked then body = records[kind] end
    end
    reply(question:sub(1, 2) .. string.pack(">I2I2I2I2I2", 0x8400, 1, 1, 0, 0) .. question:sub(13)
      .. "\xc0\x0c" .. string.pack(">I2I2I4s2", asked, 1, 60, body))
  end)

  for _, row in ipairs(rows) do
    for position, waiter in ipairs { "NameKnown", "NameGone" } do
      local kind, expect, code = row[1], row[2], row[position + 2]
      it(("is %s %s: %s: %d"):format(kind or "any", expect, waiter, code), function()
        local words = { "run", "dns", waiter, "web.example", "server=127.0.0.1:" .. server.port, "expect=" .. expect,
          kind and "type=" .. kind or "timeout=1s", "--max-wait", code == 124 and "300ms" or "9s" }
        workspace:bide(words):ends(code)
      end)
    end
  end
end)
