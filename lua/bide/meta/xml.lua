---@meta bide.xml

---Documents of XML and HTML, and XPath 1.0. No document may declare an entity, and nothing is loaded from elsewhere.
---@class bide.xml
local xml = {}

---@class bide.xml.Document
local document = {}

---@param is_html boolean
---@param encoding? string the name of an encoding; without it, or if it is not known, the document's own
---@return bide.xml.Document
function xml.document(is_html, encoding) end

---Checks the syntax of an expression.
---@param expression string
---@return true?
---@return bide.Failure? failure
function xml.check(expression) end

---Parses a part of the text. The failure is of the kind `syntax`, `entity` or `limit`.
---@param bytes string
---@return true?
---@return bide.Failure? failure
function document:feed(bytes) end

---Ends the text.
---@return true?
---@return bide.Failure? failure
function document:finish() end

---Evaluates an expression. It may use the prefixes that the root element declares. The failure is of the kind `xpath`,
---`limit`, or `syntax` for a document without elements.
---@param expression string
---@return boolean|number|string|string[]|nil value the texts of nodes as a list
---@return bide.Failure? failure
function document:find(expression) end

---Frees the document.
function document:close() end

return xml
