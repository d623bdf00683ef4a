---JSON as `bide query` reads and prints it: the documents of a text or a stream, each as soon as it has come, and
---colours on a terminal.

local core = require "bide.core"
local end_of_string = require("bide.recipe.file.places").end_of_string
local whole_file = require "bide.text.whole_file"

local json = core.json

local LARGEST <const> = whole_file.DOCUMENT

---The size beyond which more input is awaited before a document is parsed again.
local LARGE = 1 << 20

---The largest distance, two escapes, between the end of a truncated text and the mistake found in it.
local LONGEST_PIECE = 12

---Most documents come from services.
local lenient = { lenient = true }

local M = {}

local Documents = {}
Documents.__index = Documents

---Drops the text that has been read, except the line in which the next document begins: mistakes name its column.
local function drop_lines(stream)
  local read = stream.text:sub(1, stream.position - 1)
  local begin = read:match("^.*\n()") or 1
  stream.lines = stream.lines + select(2, read:sub(1, begin - 1):gsub("\n", ""))
  stream.text = stream.text:sub(begin)
  stream.position = stream.position - begin + 1
end

local function fill(stream)
  drop_lines(stream)
  local parts, missing = { stream.text }, math.max(1, #stream.text > LARGE and #stream.text // 4 or 0)
  while missing > 0 and not stream.has_ended do
    local part = stream.read()
    parts[#parts + 1] = part
    missing = missing - #(part or "")
    stream.has_ended = part == nil
  end
  stream.text = table.concat(parts)
end

---Reports whether no later input can belong to the document, as more digits would.
local function is_whole(stream, following)
  return stream.has_ended or following <= #stream.text or stream.text:find('[%s%]}"]$') ~= nil
end

local function is_mistake(stream, failure)
  return stream.has_ended or failure.offset and failure.offset + LONGEST_PIECE < #stream.text
end

---@return bide.Document? document nil at the end
---@return string? mistake with its position
---@return string? note on a text that was read leniently
function Documents:next()
  while true do
    local document, following, note = json.read_next(self.text, self.position, lenient)
    if document and is_whole(self, following) then
      self.position = following
      return document, nil, note
    elseif not document and following and is_mistake(self, following) then
      return nil, following.line and ("%s, at line %d, column %d"):format(following.message, following.line + self.lines,
        following.column) or tostring(following)
    elseif self.has_ended then
      return nil
    elseif #self.text - self.position >= LARGEST then
      return nil, "a document: " .. whole_file.too_large(LARGEST)
    end
    fill(self)
  end
end

---@param read fun(): string? waits for more input and returns it; nil at the end
function M.documents(read)
  return setmetatable({ text = "", read = read, has_ended = false, position = 1, lines = 0 }, Documents)
end

-- ---- colours --------------------------------------------------------------------------------

local RESET = "\27[0m"
local colours = { name = "\27[34;1m", string = "\27[32m", number = "\27[36m", word = "\27[35m" }

---@param text string JSON
---@return string
function M.coloured(text)
  local parts, at = {}, 1
  while at <= #text do
    local stop, kind
    if text:find('^"', at) then
      stop = end_of_string(text, at)
      kind = text:find("^:", stop + 1) and "name" or "string"
    elseif text:find("^[%d-]", at) then
      stop, kind = select(2, text:find("^[%d%.eE+-]+", at)), "number"
    elseif text:find("^%a", at) then
      stop, kind = select(2, text:find("^%a+", at)), "word"
    else
      stop = select(2, text:find('^[^"%w-]+', at))
    end
    local part = text:sub(at, stop)
    parts[#parts + 1] = kind and colours[kind] .. part .. RESET or part
    at = stop + 1
  end
  return table.concat(parts)
end

return M
