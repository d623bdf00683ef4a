---@meta bide.core.text

---@class bide.core.text
local text = {}

---Text as one line that commands no terminal: control characters, line breaks and tabs among them, are
---escaped, and more than 4 KiB is cut and followed by its length.
---@param value string
---@return string
function text.line(value) end

---The same where the line breaks and tabs are bide's own, and stay.
---@param value string
---@return string
function text.lines(value) end

return text
