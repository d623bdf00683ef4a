---XPath 1.0 over a text of XML or HTML, by libxml2.

local tables = require "bide.text.tables"
local yield = require "bide.task.yield"

local M = {}

local PIECE = 65536    -- bytes that are parsed at once
local SECONDS = 5      -- of processor time for parsing
local TURN = 16        -- pieces until others get a turn

local xml -- loaded where it is needed

local function load()
  xml = xml or require "bide.xml"
  return xml
end

---@param expression string
---@return string? mistake
function M.mistake(expression)
  if expression:find("\0", 1, true) then return "expected an XPath without NUL bytes" end
  local _, failure = load().check(expression)
  return failure and failure.message or nil
end

---Reports whether a text is HTML, by its type, or by how it begins.
local function is_html(text, content_type)
  local media_type = (content_type or ""):lower():match "^[^;%s]*"
  if media_type == "text/html" then return true end
  local head = text:sub(1, 1024):lower():gsub("^\xEF\xBB\xBF", ""):gsub("^%s+", "")
  return media_type ~= "application/xhtml+xml" and head:find "^<!doctype%s+html" ~= nil or head:find "^<html[%s>]" ~= nil
end

---Returns the encoding that a text was announced in, or that HTML without any has.
local function encoding_of(text, content_type, reads_html)
  local charset = (content_type or ""):match '[cC][hH][aA][rR][sS][eE][tT]%s*=%s*"?([%w_:.+-]+)'
  return charset or reads_html and utf8.len(text) and "UTF-8" or nil
end

---@param document bide.xml.Document
---@return bide.Failure?
local function parse(document, text)
  local spent, began, count = 0, os.clock(), 0
  for at = 1, #text, PIECE do
    local is_read, failure = document:feed(text:sub(at, at + PIECE - 1))
    if not is_read then return failure end
    count = count + 1
    if count % TURN == 0 then
      spent = spent + os.clock() - began
      if spent > SECONDS then return { kind = "limit", message = "the document takes too long" } end
      yield()
      began = os.clock()
    end
  end
  return select(2, document:finish())
end

local function trim(text)
  return type(text) == "string" and text:match "^%s*(.-)%s*$" or text
end

---Returns what an expression finds: a boolean, a number, a text, or the texts of nodes, without blanks around them.
---@param text string
---@param expression string
---@param content_type string? the header of an answer
---@return boolean|number|string|string[]|nil found
---@return bide.Failure? failure of the kind `syntax`, `entity`, `limit` or `xpath`
function M.find(text, expression, content_type)
  local reads_html = is_html(text, content_type)
  local document <close> = load().document(reads_html, encoding_of(text, content_type, reads_html))
  local failure = parse(document, text)
  if failure then return nil, failure end
  local found
  found, failure = document:find(expression)
  if type(found) ~= "table" then return trim(found), failure end
  return tables.mapped(found, trim)
end

return M
