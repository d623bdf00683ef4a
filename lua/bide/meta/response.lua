---@meta bide.core.response
---Reads the answers of services.

---@class bide.core.response
local response = {}

---Reads a response at once, as an attempt needs it.
---@param value any
---@param known? userdata a document, which is taken as the body's if the two are the same; without one, that of the
---response that was read last is
---@return integer? status nil if the value is not a response
---@return userdata? document its body, if the status is below 300 and the body is JSON
---@return bide.OperationError? error the reason why there is no document below 300
---@return string? note what the reader had to repair
---@return string? retry_after the text of that header
---@return boolean? is_empty whether the body is empty, so that the document is {}
function response.read(value, known) end

---Returns a view of a document: the same value, with the answer of which header(), status() and text() ask.
---@param answer bide.http.Response|bide.AnswerParts
---@param document userdata
---@return userdata document
function response.answered(answer, document) end

---Returns the document without its answer.
---@param document userdata
---@return userdata document
function response.plain(document) end

---Makes a response, for a test that has no network.
---@param status integer
---@param url string
---@param headers string lines of the form "Name: value\r\n"
---@param body string
---@return bide.http.Response
function response.make(status, url, headers, body) end

---The parts of an answer. Each may be absent.
---@class bide.AnswerParts
---@field status? integer
---@field headers? string lines of the form "Name: value"
---@field text? string the body

---Returns the parts of the answer that a document is a view with; nil for any other document.
---@param document userdata
---@return bide.AnswerParts?
function response.answer(document) end

return response
