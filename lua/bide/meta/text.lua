---@meta bide.core.text

---@class bide.core.text
local text = {}

---Returns a text as one line that cannot control a terminal: control characters, line breaks and tabs included, are
---escaped, and a text of more than 4 KiB is cut and followed by its length.
---@param value string
---@return string
function text.line(value) end

---Escapes a text likewise, but keeps its line breaks and tabs, which are bide's own.
---@param value string
---@return string
function text.lines(value) end

return text
