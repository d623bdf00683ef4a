---Values of paths as they may be shown: briefly, and without secrets.

local core = require "bide.core"
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---The longest values in a line, and the longest sentence of a service, in bytes.
M.LONGEST_FACT = 400

local LONGEST = 80

---Shortens a text without cutting a character.
function M.shorten(text, longest)
  local cut = longest or LONGEST
  if #text <= cut then return text end
  while cut > 0 and (text:byte(cut + 1) & 0xC0) == 0x80 do cut = cut - 1 end
  return text:sub(1, cut) .. "…"
end

---The value in the place of one that is hidden.
M.REDACTED = assert(json.document("[redacted]"))

local redacted = M.REDACTED

---Returns the document without its secrets, so that no expression can reveal them; the document itself if it
---has no secret.
local function without_secrets(document, mask)
  local text = document:json { redact = mask }
  if not text or not secret.is_masked(text) then return document end
  return json.read(text) or redacted
end

---Returns the lines of headers without the values of those that are secret by their names.
local function harmless_headers(lines, mask)
  local kept, is_hidden = {}, false
  for line in lines:gmatch "[^\n]*\n?" do
    local name = line:match "^([^%s:]+):"
    if name then is_hidden = core.secret.kind(name) == "any" end
    if not is_hidden then
      kept[#kept + 1] = line
    elseif name then
      kept[#kept + 1] = name .. ": [redacted]\r\n"
    end
  end
  return mask:text(table.concat(kept))
end

---Returns a body without its secrets: a text without the values that are known, or nothing if it is JSON that has secrets
---by their names.
local function harmless_text(text, mask)
  local document = json.read(text, { lenient = true })
  if document and without_secrets(document, mask) ~= document then return "[redacted]" end
  return mask:text(text)
end

---Returns a view of a document with an answer without secrets; the subject itself if neither has any.
---@param subject userdata a document
---@param mask bide.SecretMask
local function harmless_view(subject, mask)
  local plain, parts = without_secrets(subject, mask), core.response.answer(subject)
  if not parts then return plain end
  local headers = parts.headers and harmless_headers(parts.headers, mask)
  local text = parts.text and harmless_text(parts.text, mask)
  if plain == subject and headers == parts.headers and text == parts.text then return subject end
  return core.response.answered({ status = parts.status, headers = headers, text = text }, plain)
end

local builtin = tables.set(core.jmespath.functions())

---Reports whether a path calls a function of a script. It may run only within an attempt, where the deadline
---can stop it, and not again for a report.
function M.calls_script(path)
  for name in path:gmatch("([%a_][%w_]*)%s*%(") do
    if not builtin[name] then return true end
  end
  return false
end

---Evaluates an expression. A value that depends on a secret is hidden: it is shown only if "[redacted]" in place
---of the secret gives the same value.
local function value_without_secrets(path, expression, subject, mask)
  if secret.is_in_path(path) then return redacted end
  local harmless = (expression:asks_answer() and harmless_view or without_secrets)(subject, mask)
  local value = expression:query(subject)
  if harmless == subject or not value then return value end
  local shown = expression:query(harmless)
  local same = shown and shown:json { redact = mask } == value:json { redact = mask }
  return same and shown or redacted
end

---Returns the value of a path without secrets; nil if it cannot be evaluated here.
---@param path string
---@param subject userdata a document
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return userdata? value a document
function M.at(path, subject, mask)
  if M.calls_script(path) then return mask and secret.is_in_path(path) and redacted or nil end
  local expression = core.jmespath.compile(path)
  if not expression or expression:asks_answer() and not core.response.answer(subject) then
    return nil -- a resumed wait does not know the answer of the output before
  end
  if not mask then return (expression:query(subject)) end
  return value_without_secrets(path, expression, subject, mask)
end

---Returns the text at a path: a string, or strings in a list.
---@param path string
---@param subject userdata a document
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string? text nil if it is empty or something else
function M.text_at(path, subject, mask)
  local value = M.at(path, subject, mask)
  value = value and value:value()
  if type(value) == "table" then
    for _, text in ipairs(value) do
      if type(text) ~= "string" then return nil end
    end
    value = #value > 0 and table.concat(value, ", ") or nil
  end
  return type(value) == "string" and value ~= "" and value or nil
end

---Returns the text at a path in one line, shortened; nil if there is none.
---@param path string
---@param subject userdata a document
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string?
function M.line_at(path, subject, mask)
  local text = M.text_at(path, subject, mask)
  text = text and text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  return text and text ~= "" and M.shorten(text, M.LONGEST_FACT) or nil
end

return M
