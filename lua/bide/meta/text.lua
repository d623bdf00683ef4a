---@meta bide.core.text

---@class bide.core.text
local text = {}

---Returns a text as one line that cannot control a terminal: control characters, line breaks and tabs included, are
---escaped, and a text of more than 4 KiB is cut and followed by its length.
---@param value string
---@return string
function text.line(value) end

---Escapes and cuts a text as `line` does, but keeps its line breaks and tabs, which are bide's own.
---@param value string
---@return string
function text.lines(value) end

---Returns the bytes that pairs of hexadecimal digits are; nil if the text has others, or an odd number of them.
---@param value string
---@param first integer the position of the first digit
---@return string?
function text.unhex(value, first) end

---Returns each byte as two hexadecimal digits, of small letters.
---@param bytes string
---@return string
function text.hex(bytes) end

return text
