---Compares the answers of a name server with the one that a person expects, which may be written as another program shows it:
---a name with a dot at its end or in capital letters, a text in quotes, an IPv6 address in another of its forms.
---
---    local answer = require "bide.dns.answer"
---    answer.has({ "2001:db8::1" }, "AAAA", "2001:DB8:0::1")   --> true
---    answer.mistake("MX", "mail.example.org")                 --> 'expected PREFERENCE NAME, such as "10 mail.exam…'

local ip = require "bide.text.ip"
local option = require "bide.text.option"

local M = {}

---The forms of answers, by the type of record.
---@type table<string, { pattern: string, expected: string }>
local forms = {
  MX = { pattern = "^%d+%s+%S+$", expected = 'PREFERENCE NAME, such as "10 mail.example.org"' },
  SRV = { pattern = "^%d+%s+%d+%s+%d+%s+%S+$",
    expected = 'PRIORITY WEIGHT PORT NAME, such as "0 5 5060 sip.example.org"' },
  TXT = { pattern = "", expected = "a text" },
  A = { pattern = "^%d+%.", expected = "an address, such as 10.0.0.1" },
  AAAA = { pattern = ":", expected = "an address of IPv6, such as 2001:db8::1" },
}
local of_addresses = { pattern = "", expected = "an address" }
local of_names = { pattern = "^%S+$", expected = "a name" }

---@param kind string?
local function is_address(kind)
  return kind == nil or kind == "A" or kind == "AAAA"
end

---Finds what is wrong with an expected answer: nothing is ever this text, which would always be gone.
---@param kind string? of record; that of any address by default
---@param expect string
---@return string? mistake
function M.mistake(kind, expect)
  local form = kind == nil and of_addresses or forms[kind] or of_names
  local fits = expect:find(form.pattern) and (not is_address(kind) or ip.canonical(expect))
  return not fits and option.expected(form.expected, expect) or nil
end

---Returns the one text of all that are the same answer.
local function canonical(kind, text)
  if is_address(kind) then return ip.canonical(text) or text end
  if kind == "TXT" then return (text:match '^"(.*)"$' or text):gsub('"%s+"', "") end
  return (text:lower():gsub("%s+", " "):gsub("%.$", ""))
end

---Reports whether an expected answer is among those of a type.
---@param answers string[]
---@param kind string? of record; that of any address by default
---@param expect string
---@return boolean
function M.has(answers, kind, expect)
  local wanted = canonical(kind, expect)
  for _, answer in ipairs(answers) do
    if canonical(kind, answer) == wanted then return true end
  end
  return false
end

return M
