---@meta bide.core.jmespath

---JMESPath; docs/jmespath.md says what it answers where implementations disagree.
---@class bide.core.jmespath
local jmespath = {}

---@class bide.jmespath.Failure: bide.Failure
---@field kind "syntax"|"invalid-type"|"invalid-value"|"invalid-arity"|"unknown-function"|"limit"|"out-of-memory"
---@field expression string
---@field pretty? string kind, message, the line of the expression and a caret below the place

---@class bide.Expression: userdata
---@field text string
local expression = {}

---Searches Lua values or a document. A result of null is json.null, so that nil is
---always a failure. Raises what a registered function raised.
---@param value any
---@return any result
---@return bide.jmespath.Failure? failure
function expression:search(value) end

---The same from document to document: nothing is copied, and the result keeps alive
---what it borrows from.
---@param input bide.Document
---@return bide.Document?
---@return bide.jmespath.Failure? failure
function expression:query(input) end

---What is known of a value before there is one. A table may hold itself.
---@alias bide.Shape "any"|"null"|"boolean"|"number"|"string"|"array"|"object"|{ array: bide.Shape }|{ object: table<string, bide.Shape> }|{ map: bide.Shape }

---@class bide.Problem: bide.jmespath.Failure
---@field severity "warning"|"danger"|"error"
---@field kind "unknown-member"|"wrong-access"|"invalid-comparator"|"invalid-argument"|"ended-projection"

---What can be told before the expression runs.
---@param shape? bide.Shape of the input; "any" otherwise
---@return { type: bide.Shape, problems: bide.Problem[] }
function expression:analyse(shape) end

---How the expression is understood: an object with "type" and "at" for each node.
---@return bide.Document
function expression:tree() end

---@param text string
---@return bide.Expression?
---@return bide.jmespath.Failure? failure
function jmespath.compile(text) end

---The names of all functions, registered ones included.
---@return string[]
function jmespath.functions() end

---A type is any, null, boolean, number, string, array, object, array[number],
---array[string], or several of these with | between.
---@class bide.jmespath.Types
---@field [integer] string the type of each argument
---@field variadic? boolean more arguments of the last type may follow
---@field returns? string for static types; any otherwise

---Adds a function to the language, for expressions that are compiled from now on.
---It gets Lua values and returns one; it may not yield. What it raises ends the
---search, and is raised by it. bide.jmespath.register adds what scripts should know:
---it may not wait, and what it raises is a script error.
---@param name string letters, digits and underscores
---@param types bide.jmespath.Types
---@param f fun(...: any): any
function jmespath.register(name, types, f) end

---The shape of a sample: a null may be anything.
---@param sample any
---@return bide.Shape
function jmespath.shape_of(sample) end

return jmespath
