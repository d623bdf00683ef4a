---Vocabularies: the names that scripts register for JMESPath functions and matchers. Outside of the sandbox one vocabulary is
---common to all files. A sandboxed file has one of its own, which no other file sees, with the names of the files for
-----with. bide enters the vocabulary of a waiter for as long as it reads its expressions or asks its matchers. Each task has
---entered its own.

local jmespath = require("bide.core").jmespath

local use_vocabulary = jmespath.use_vocabulary
local tables = require "bide.text.tables"

local M = {}

---@class bide.Vocabulary
---@field number integer of the functions, in the core
---@field matchers table<string, function>
---@field taken? table<string, string> the file that registered each matcher, where no other file may register it too

---@type bide.Vocabulary
M.common = { number = 0, matchers = {} }

---@type table<integer, bide.Vocabulary>
local by_number = { [0] = M.common }

---Returns the vocabulary that the running task has entered.
---@return bide.Vocabulary
function M.current()
  return by_number[jmespath.vocabulary()]
end

---Makes a vocabulary.
---@param parent bide.Vocabulary whose names it has as well, those that were registered by now
---@return bide.Vocabulary
function M.new(parent)
  local made = {
    number = jmespath.new_vocabulary(parent.number), matchers = tables.merged(parent.matchers),
    taken = tables.merged(parent.taken),
  }
  by_number[made.number] = made
  return made
end

---Keeps the names that a vocabulary has now.
---@param own bide.Vocabulary
---@return fun() restore takes away the names that were registered since, and puts back the others
function M.keep(own)
  local functions, kept = jmespath.new_vocabulary(own.number), tables.merged(own.matchers)
  local taken = own.taken and tables.merged(own.taken)
  return function()
    jmespath.restore_vocabulary(own.number, functions)
    own.matchers, own.taken = kept, taken
  end
end

local Entered = { __close = function(self) use_vocabulary(self.before) end }

---The values to be closed, by the number of the vocabulary that is entered again then: each wait that a worker claims enters
---its own from the same one.
---@type table<integer, table>
local entered_from = {}

---Enters a vocabulary until the returned value is closed.
---@param vocabulary bide.Vocabulary?
---@return table? entered to be closed; nil if that vocabulary was entered already
function M.enter(vocabulary)
  if not vocabulary then return nil end
  local number <const> = vocabulary.number
  local before <const> = use_vocabulary(number)
  if before == number then return nil end
  local entered = entered_from[before] or setmetatable({ before = before }, Entered)
  entered_from[before] = entered
  return entered
end

---Returns a function that enters a vocabulary for the length of a call, which may not wait.
---@param vocabulary bide.Vocabulary
---@param f function
---@return function
function M.within(vocabulary, f)
  return function(...)
    local _entered <close> = M.enter(vocabulary)
    return f(...)
  end
end

return M
