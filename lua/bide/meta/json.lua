---@meta bide.core.json

---Faithful JSON: integers stay integers, an empty array stays an array, `null` is `json.null`. For wrong data, functions
---return nil and a failure; misuse raises an error.
---@class bide.core.json
---@field null lightuserdata JSON null; the same value as cjson.null
local json = {}

---An expected failure. `tostring` gives the message with its place.
---@class bide.Failure
---@field kind string "json", "limit", "out-of-memory"; for JMESPath the suite's names too
---@field message string one sentence without a full stop
---@field line? integer from 1
---@field column? integer from 1, in code points
---@field offset? integer from 0, in bytes

---@class bide.json.Options
---@field indent? boolean two spaces a level, a member a line
---@field escape? boolean DEL, C1, bidirectional and zero-width controls are escaped too, as in texts for people
---@field redact? boolean|bide.SecretMask secrets become "[redacted]"; a mask adds values and names
---@field input? boolean it is an input, in which `headers` are those of requests

---A JSON document, immutable. `#document` is the number of its elements or members,
---`tostring(document)` its text.
---@class bide.Document: userdata
local document = {}

---Converts the document, or a part of it, to Lua values. Arrays have the mark that json.is_array recognizes.
---@param ... string the names of the members that lead to the part
---@return any value nil if there is no such part
function document:value(...) end

---Returns the names of the members of an object, in their order.
---@param ... string the names of the members that lead to the object
---@return string[]? names nil if there is no such object
function document:names(...) end

---@param options? bide.json.Options
---@return string? text
---@return bide.Failure? failure
function document:json(options) end

---@return "null"|"boolean"|"number"|"string"|"array"|"object"
function document:type() end

---The names of members that are there twice with different values, a NUL after each; true if not all are known.
---@alias bide.json.Repeated string|true

---Options of reading. `lenient` is for texts of services: a lone surrogate is read as U+FFFD, a number beyond a double as
---the largest double of its sign, and a note says so, and which members are there twice with different values. By default
---the first two are failures. `unique` is for what a person wrote: a member that is given twice is a failure. By default the
---last one counts.
---@class bide.json.ReadOptions
---@field lenient? boolean
---@field unique? boolean

---@param text string
---@param options? bide.json.ReadOptions
---@return any value
---@return bide.Failure? failure if value is nil
---@return string? note the values that were replaced
---@return bide.json.Repeated? repeated
function json.decode(text, options) end

---Writes a value. The members of a plain table are written in the order of their names, and may be documents. An unmarked
---empty table is an object at the top, and an array below it. Bytes that are not UTF-8 become U+FFFD.
---@param value any
---@param options? bide.json.Options
---@return string? text
---@return bide.Failure? failure
function json.encode(value, options) end

---@param text string
---@param options? bide.json.ReadOptions
---@return bide.Document?
---@return bide.Failure? failure
---@return string? note the values that were replaced
---@return bide.json.Repeated? repeated
function json.read(text, options) end

---Reads the document at `position`; returns it and the position of the next one; nil alone at the end of the stream.
---@param text string JSON Lines, or documents with any blank space between
---@param position? integer from 1, the default
---@param options? bide.json.ReadOptions
---@return bide.Document?
---@return integer|bide.Failure|nil position
---@return string? note the values that were replaced
function json.read_next(text, position, options) end

---Converts Lua values to a document; documents among them are borrowed and kept alive.
---@param value any
---@param known? bide.Document is returned if it is the same, to the byte
---@return bide.Document?
---@return bide.Failure? failure
function json.document(value, known) end

---Returns an equal document that is kept as its text, in half the memory, and read anew at each use. A large one is returned
---itself.
---@param document bide.Document
---@return bide.Document
function json.compact(document) end

---Marks a table as an array, which it then is even if it is empty.
---@generic T: table
---@param table? T
---@return T
function json.array(table) end

---@param value any
---@return boolean
function json.is_array(value) end

return json
