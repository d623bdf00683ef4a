---The `xpath` of an input, which decides on a page of XML or HTML.

local json = require("bide.core").json
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"
local wanted = require "bide.wait.expect.wanted"
local xpath = require "bide.probe.asking.xpath"

local M = {}

---The longest text of a node that a message shows, in characters.
local LONGEST = 80

---Returns the texts of what an XPath found: those of nodes, or that of one number, text or boolean.
---@return string[]
local function texts_of(found)
  if type(found) == "table" then return found end
  local whole = math.type(found) == "float" and math.tointeger(found)
  return { tostring(whole or found) }
end

---Shows what an XPath found, in a few words.
local function words_of(texts)
  if #texts == 0 then return "nothing" end
  local more = #texts > 1 and (" and %d more"):format(#texts - 1) or ""
  local text = secret.any():text(texts[1])
  if #text > LONGEST then text = text:sub(1, utf8.offset(text, 0, LONGEST) - 1) .. "…" end
  return json.encode(text) .. more
end

---Decides on a page by `xpath`, and by `expect` and `failed` if there is one.
---@param page string
---@param input table
---@param content_type string? the header of the answer
---@return any found nil if the page is not as expected
---@return "limit"|"failed"|"unexpected"|nil verdict why it is not
---@return string? message
function M.judge(page, input, content_type)
  local found, failure = xpath.find(page, input.xpath, content_type)
  if failure then return nil, failure.kind == "limit" and "limit" or "unexpected", "xpath: " .. failure.message end
  local texts, is_found = texts_of(found), found == true or type(found) == "table" and #found > 0
  for _, text in ipairs(wanted.failed_texts(input)) do
    if text == "true" and is_found or tables.has(texts, text) then
      return nil, "failed", ("%s is %s"):format(input.xpath, words_of(texts))
    end
  end
  if input.expect == nil then
    if is_found then return found end
    local advice = type(found) ~= "table" and type(found) ~= "boolean" and ": write expect=VALUE" or ""
    return nil, "unexpected", ("%s finds %s%s"):format(input.xpath, words_of(texts), advice)
  end
  if tables.has(texts, wanted.text_of(input.expect)) then return found end
  return nil, "unexpected",
    ("%s: expected %s, found %s"):format(input.xpath, json.encode(input.expect), words_of(texts))
end

---Reports whether an XPath, and `expect` if there is one, hold for a page without anything in it, as `not(//error)`: they
---would hold for the page of any other program, too.
local function holds_for_nothing(input)
  local _, verdict = M.judge("<nothing/>", { xpath = input.xpath, expect = input.expect }, "application/xml")
  return verdict == nil
end

---Returns what is wrong with an input's `xpath`. What `matches` demands beside it has to be in the page.
---@param input table
---@return string? mistake
function M.mistake(input)
  if not input.xpath then return nil end
  if input.path then return "path and xpath exclude each other" end
  local mistake = xpath.mistake(input.xpath)
  if not mistake and not (input.matches or input.matches_lua) and holds_for_nothing(input) then
    mistake = "it holds for a page without anything in it; name what a page that is ready has as well, as in //status and "
      .. "not(//error)"
  end
  return mistake and ("xpath: expected an XPath, found %s: %s"):format(json.encode(input.xpath), mistake)
end

return M
