---The reader and the writer agree with plain ones, which predict nothing.

local generate = require "spec.support.oracle.generate"
local json = require("bide.core").json
local oracle = require "spec.support.oracle.json"
local property = require "spec.support.oracle.property"

---A text that is taken as it is written again, and what was repaired; the kind of failure otherwise.
local function read(text, is_lenient)
  local document, failure, note = json.read(text, is_lenient and { lenient = true } or nil)
  if not document then return failure.kind end
  return document:json(), note ~= nil
end

local function expected(text, is_lenient)
  local repairs = is_lenient and { surrogates = 0, numbers = 0 } or nil
  local value, kind = oracle.read(text, repairs)
  if value == nil then return kind end
  return oracle.write(value), repairs and repairs.surrogates + repairs.numbers > 0 or false
end

local function compare(text, is_lenient)
  local got, got_note = read(text, is_lenient)
  local wanted, wanted_note = expected(text, is_lenient)
  if got == wanted and got_note == wanted_note then return nil end
  return ("of %q\nbide makes %s (repaired: %s)\nthe oracle %s (repaired: %s)"):format(text, got, got_note, wanted, wanted_note)
end

describe("the reader agrees with a plain one", function()
  property.holds(it, "over random texts", function() return compare(generate.json(), false) end)
  property.holds(it, "over random texts where it is lenient", function() return compare(generate.json(), true) end)
end)
