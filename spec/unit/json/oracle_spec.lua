---The reader and the writer agree with plain ones, which predict nothing.

local generate = require "spec.support.oracle.generate"
local json = require("bide.core").json
local oracle = require "spec.support.oracle.json"
local property = require "spec.support.oracle.property"

---A text that is taken as it is written again, and whether something was repaired; the kind of failure otherwise.
local function read(text, options)
  local document, failure, note = json.read(text, options)
  if not document then return failure.kind end
  return document:json(), note ~= nil
end

---What a strict reader makes of a text, and a lenient one, which differ where the strict one refuses.
local function expected(text)
  local value, kind = oracle.read(text)
  local repairs = { surrogates = 0, numbers = 0, repeated = 0 }
  local lenient, lenient_kind = oracle.read(text, repairs)
  if value ~= nil then
    local written = oracle.write(value)
    return written, written, repairs.repeated > 0
  end
  if lenient == nil then return kind, lenient_kind end
  return kind, oracle.write(lenient), true
end

local lenient = { lenient = true }

describe("the reader agrees with a plain one, strict and lenient,", function()
  property.holds(it, "over random texts", function()
    local text = generate.json()
    local strict_wanted, lenient_wanted, is_repaired = expected(text)
    local strict_got = read(text)
    local lenient_got, has_note = read(text, lenient)
    if strict_got == strict_wanted and lenient_got == lenient_wanted and has_note == is_repaired then return nil end
    return ("of %q\nbide makes %s and %s (repaired: %s)\nthe oracle %s and %s (repaired: %s)"):format(text, strict_got,
      lenient_got, has_note, strict_wanted, lenient_wanted, is_repaired)
  end)
end)
