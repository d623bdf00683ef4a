---@meta bide.core.jmespath

---JMESPath. docs/jmespath.md gives the results where implementations differ.
---@class bide.core.jmespath
---@field rules table<bide.jmespath.Yes, true> those that `judge` has
local jmespath = {}

---@class bide.jmespath.Failure: bide.Failure
---@field kind "syntax"|"invalid-type"|"invalid-value"|"invalid-arity"|"unknown-function"|"limit"|"out-of-memory"
---@field expression string
---@field pretty? string kind, message, the line of the expression and a caret below the place

---@class bide.Expression: userdata
---@field text string
local expression = {}

---Searches Lua values or a document. A result of null is json.null, so that nil is always a failure. Raises the errors of
---registered functions.
---@param value any
---@return any result
---@return bide.jmespath.Failure? failure
function expression:search(value) end

---Searches a document, and returns a document. Nothing is copied: the result borrows from the input, and keeps it alive.
---@param input bide.Document
---@return bide.Document?
---@return bide.jmespath.Failure? failure
function expression:query(input) end

---Reports whether the expression calls header(), status() or text().
---@return boolean asks
---@return boolean is_of_answer whether it asks of the answer alone: its result does not depend on the input
function expression:asks_answer() end

---Returns how many members the expression asks for by name; a name counts at each of its places.
---@return integer
function expression:member_count() end

---Reports whether the expression calls a function of bide's own: header(), status(), text(), version_at_least().
---@return boolean
function expression:has_own() end

---The static type of a value. A table may contain itself.
---@alias bide.Shape "any"|"null"|"boolean"|"number"|"string"|"array"|"object"|{ array: bide.Shape }|{ object: table<string, bide.Shape> }|{ map: bide.Shape }

---@class bide.Problem: bide.jmespath.Failure
---@field severity "warning"|"danger"|"error"
---@field kind "unknown-member"|"wrong-access"|"invalid-comparator"|"invalid-argument"|"ended-projection"

---Analyses the expression without running it.
---@param shape? bide.Shape of the input; "any" by default
---@return { type: bide.Shape, problems: bide.Problem[] }
function expression:analyse(shape) end

---A rule for what counts as a yes: for a success `true` and what is a list or an object and not empty; for a failure all but false,
---null, what is empty, 0 and texts such as "false"; what JMESPath counts as true; a scalar with a JSON text; a scalar that
---equals a value; Smithy's comparators; a text or a list of texts.
---@alias bide.jmespath.Yes "success"|"failure"|"truth"|"text"|"value"|"stringEquals"|"booleanEquals"|"allStringEquals"|"anyStringEquals"|"message"

---Decides whether any document makes the expression a yes ("never-yes" if none does), and whether any but null does not
---("never-no" if all do). "maybe" where that cannot be known.
---@param yes bide.jmespath.Yes
---@param wanted? any of "value" the value, of "text" and the comparators the text
---@return "maybe"|"never-yes"|"never-no" verdict
---@return bide.jmespath.Failure? reason unless it is "maybe"; `pretty` begins with the message
function expression:judge(yes, wanted) end

---Finds a member's name that was probably meant as a text: a bare word in a comparison with what is not constant, or as
---the second argument of contains(), starts_with() and ends_with().
---@return bide.jmespath.Failure? mistake
function expression:bare_word() end

---Returns the syntax tree: an object with "type" and "at" for each node.
---@return bide.Document
function expression:tree() end

---@param text string
---@return bide.Expression?
---@return bide.jmespath.Failure? failure
function jmespath.compile(text) end

---Returns the names of all functions, registered ones included.
---@return string[]
function jmespath.functions() end

---A type is any, null, boolean, number, string, array, object, array[number],
---array[string], or several of these with | between.
---@class bide.jmespath.Types
---@field [integer] string the type of each argument
---@field variadic? boolean more arguments of the last type may follow
---@field returns? string for static types; any otherwise

---Adds a function to the language, for expressions that are compiled from now on. It gets Lua values and returns one; it
---may not yield. Its errors end the search, which raises them. For scripts, bide.jmespath.register turns them into script
---errors, and forbids waiting.
---@param name string letters, digits and underscores
---@param types bide.jmespath.Types
---@param f fun(...: any): any
function jmespath.register(name, types, f) end

---Makes a vocabulary: a set of registered functions. Expressions know those of the vocabulary that is in use when they are
---compiled.
---@param parent integer the number of a vocabulary whose functions the new one has too; 0 is the common one
---@return integer number
function jmespath.new_vocabulary(parent) end

---Gives a vocabulary the functions of another one, and no others. Expressions that were compiled before keep theirs.
---@param number integer
---@param from integer
function jmespath.restore_vocabulary(number, from) end

---Returns the vocabulary in use. Each task has its own; a new task has the common one.
---@return integer number
function jmespath.vocabulary() end

---Uses another vocabulary for what is registered and compiled from now on.
---@param number integer
---@return integer before the number of the one that was in use
function jmespath.use_vocabulary(number) end

---Returns the shape of a sample; a null in it may be anything.
---@param sample any
---@return bide.Shape
function jmespath.shape_of(sample) end

return jmespath
