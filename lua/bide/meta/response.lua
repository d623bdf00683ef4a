---@meta bide.core.response
---Reads the answers of services.

---@class bide.core.response
local response = {}

---Reads a response at once, as an attempt needs it.
---@param value any
---@param known? userdata a document, which is taken as the body's if the two are the same
---@return integer? status nil if the value is not a response
---@return userdata? document its body, if the status is below 300 and the body is JSON
---@return bide.OperationError? error the reason why there is no document below 300
---@return string? note what the reader had to repair
---@return string? retry_after the text of that header
---@return boolean? is_empty whether the body is empty, so that the document is {}
function response.read(value, known) end

return response
