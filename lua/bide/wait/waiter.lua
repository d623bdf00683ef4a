---The waiters that scripts hold: checked definitions with their operations.

local core = require "bide.core"
local definition = require "bide.recipe.waiter.definition"
local error_names = require "bide.text.error_names"
local in_time = require "bide.model.run.in_time"
local declaration = require "bide.recipe.input.declaration"
local policy = require "bide.probe.http.policy"
local limits_of = require "bide.recipe.waiter.limits"
local outcome = require "bide.wait.outcome"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"
local prepared_wait = require "bide.wait.prepared"

local task = core.task

---A waiter is made in four steps, each of which sets the members of one class below. First, its structure is compiled
---(recipe/waiter/definition.lua).
---@class bide.WaiterOfStructure
---@field definition table the structure, as the recipe has it
---@field compiled userdata
---@field acceptors table[]
---@field min_delay integer milliseconds
---@field max_delay integer milliseconds
---@field initial_delay integer? milliseconds
---@field lateness integer? billionths
---@field retry_after_cap integer? milliseconds
---@field watch_delay integer? milliseconds
---@field beyond bide.Beyond its members beyond the specification
---@field documentation string?
---@field deprecated boolean?
---@field tags string[]
---@field opposite string? the waiter of its recipe that waits for the opposite
---@field witness string? the line "Counts as ready: …" or "Counts as gone: …", as the recipe says it

---Then of_checked gives it the operation that it polls. The operation of a model has no call yet.
---@class bide.WaiterOfOperation : bide.WaiterOfStructure
---@field name string
---@field operation string? the operation's name
---@field call? fun(input: any): any
---@field new_call? fun(input: any, wait: bide.OperationWait?): (fun(): any)?, string? its operation's `prepare`
---@field ask_witness? fun(context: bide.MatcherContext): any its operation's `witness`
---@field watched bide.WatchedOperation? hears of events beside the attempts
---@field check (fun(input: table): string?)? finds what is wrong with an input that fits the declaration
---@field inputs bide.Inputs? the inputs of its operation; nil if it takes any
---@field output bide.Inputs? what its operation returns, for `bide check`
---@field policy bide.SendPolicy? how its requests are sent
---@field vocabulary bide.Vocabulary of its expressions and matchers
---@field token_member string? the member of the input that takes an idempotency token
---@field secret string[]? names of members that are secret, at any depth of inputs and outputs
---@field place "local"?
---@field modules string[]?
---@field fact string? a JMESPath over the output: a text that says what a success of its operation means
---@field error_names table<string, string>? of a model: the names of errors by their codes
---@field convert (fun(output: any): any)? of a model: gives what the call returns the form that paths see
---@field read_input (fun(input: bide.Document): bide.Document?, string?)? of a model: reads an input by its shape
---@field sensitive (fun(): string[])? of a model: names of further members that are secret

---The loader says where it comes from (recipe/loader.lua, init.lua for models).
---@class bide.WaiterOfRecipe : bide.WaiterOfOperation
---@field files string[]? those of its recipe
---@field dangers (fun(): table<bide.AcceptorStructure, string>)? the acceptors that cannot match, and why
---@field find_takers bide.FindTakers?
---@field reason string? of a service of AWS: a JMESPath over the output, the text in which it says why it failed
---@field found string? of a service of AWS: a JMESPath over the output, the list that is empty if nothing was found
---@field lacks string? of a service of AWS: a JMESPath over the output, the texts that say what was not found
---@field asked { input: string, found: string }[]? of a service of AWS: members of the input with names, and JMESPaths over the
---output to what was found of them
---@field added integer? of a service of AWS: how many acceptors, the last ones, are not those of the data
---@field connect (fun(): bide.ConnectedOperation?, string?)? of a model: finds the call when the waiter is used first

---A waiter of a recipe, or one that bide.waiter has made. Options of the command line and the first use may change a copy
---of it.
---@class bide.Waiter : bide.WaiterOfRecipe
---@field other_acceptors { asked: bide.AcceptorStructure[]?, earlier: bide.AcceptorStructure[]? }? of options of the command
---line: where an input says what to wait for, and as an earlier release made them
---@field variants table<string, bide.Waiter>? the same waiter with those
---@field allows_missing boolean? whether conditions may rest on members that no answer has had
---@field of_operation bide.OperationWait? what its operation gets beside the input, where that is not the usual
---@field lack string? what bide itself did not get for the call of a model before the deadline
---@field host_of? fun(input: table): string? of a model whose call was found: the host that is asked
---@field page_token? string the path of the output by which the service of a model says that a page follows
---@field latest table? the common part of waits that are prepared like the last one
local Waiter = {}
local class = { __index = Waiter }

local M = {}

---Sees the waits that scripts begin, so that `bide exec` shows their progress.
---@type table?
M.observer = nil

---An operation as a recipe has it.
---@class bide.RecipeOperation : bide.Operation
---@field waitable? table<string, bide.WaiterStructure>
---@field default? string the waiter that runs if none is named

---The table that a recipe in Lua returns: operations by name.
---@alias bide.RecipeTable table<string, bide.RecipeOperation>

---@class bide.Operation
---@field name? string of a recipe's operation, which is not a member of it
---@field call? fun(input: any): any makes an attempt
---@field prepare? fun(input: table): (fun(): any)?, string? in place of call: reads an input once, when a wait begins, and
---returns the function that makes each of its attempts; or nil and the mistake in the input. It may not wait
---@field witness? fun(context: bide.MatcherContext): any asks a second question before a success counts, which it does only if
---this returns exactly `true`; else the attempt leads to another one, or ends the wait after a 401 or 403. It may wait
---@field watch? fun(input: any, wake: bide.Wake) runs beside a wait, and calls `wake` when something has happened
---@field watch_key? fun(input: any): string? waits with the same key share one watch
---@field watch_name? fun(input: any): string? the name by which a shared watch wakes a wait
---@field input? bide.Inputs
---@field output? bide.Inputs the members of its output, for `bide check`
---@field check? fun(input: table): string?
---@field error_names? table<string, string> those of a model: the names of errors by their codes
---@field convert? fun(output: any): any of a model
---@field read_input? fun(input: bide.Document): bide.Document?, string? of a model
---@field sensitive? fun(): string[] of a model
---@field idempotencyToken? string
---@field secret? string[]
---@field place? "local" where the machine that makes the attempts matters, as for its files and processes
---@field modules? string[] the modules beside the recipe that no literal `require` names
---@field fact? string a JMESPath over the output: a text that says what a success means, as "the port is open"
---@field rate? string
---@field share? boolean
---@field retry? string|bide.RetryOptions

---@return string[]? joined nil if both are empty
local function join(names, others)
  if #names + #others == 0 then return nil end
  return tables.joined(names, others)
end

---Makes a waiter of a definition that has been checked.
---@param name string
---@param checked table
---@param operation bide.Operation
---@return bide.Waiter
function M.of_checked(name, checked, operation)
  local waiter = definition.compile(checked)
  waiter.name, waiter.operation, waiter.call, waiter.new_call = name, operation.name, operation.call, operation.prepare
  waiter.ask_witness = operation.witness
  waiter.vocabulary = vocabulary.current()
  waiter.check = operation.check
  if operation.watch then
    waiter.watched = { watch = operation.watch, watch_key = operation.watch_key, watch_name = operation.watch_name }
  end
  waiter.inputs = declaration.of(operation.input, operation.idempotencyToken)
  waiter.output = operation.output
  waiter.secret = join(operation.secret or {}, declaration.secrets(waiter.inputs))
  waiter.fact, waiter.place, waiter.modules = operation.fact, operation.place, operation.modules
  waiter.token_member, waiter.policy = operation.idempotencyToken, policy.read(operation)
  waiter.error_names, waiter.convert = operation.error_names, operation.convert
  waiter.read_input, waiter.sensitive = operation.read_input, operation.sensitive
  if waiter.error_names then return M.with_acceptors(waiter, waiter.acceptors) end
  return setmetatable(waiter, class)
end

---Returns the same waiter with other acceptors.
---@param waiter bide.Waiter
---@param acceptors bide.AcceptorStructure[] checked ones
---@return bide.Waiter
function M.with_acceptors(waiter, acceptors)
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local copy = tables.merged(waiter)
  acceptors = error_names.of_acceptors(waiter.error_names, acceptors)
  copy.acceptors, copy.latest, copy.variants = acceptors, nil, nil
  copy.compiled = core.wait.definition(waiter.min_delay, waiter.max_delay, acceptors, waiter.beyond)
  return setmetatable(copy, class)
end

---Returns the same waiter with other acceptors that the command line gives it; the waiter itself if it has none by that
---name.
---@param waiter bide.Waiter
---@param name "asked"|"earlier"
---@return bide.Waiter
function M.variant(waiter, name)
  local acceptors = (waiter.other_acceptors or {})[name]
  if not acceptors then return waiter end
  waiter.variants = waiter.variants or {}
  local variant = waiter.variants[name] or M.with_acceptors(waiter, acceptors)
  waiter.variants[name], variant.secret = variant, waiter.secret
  return variant
end

---Returns the waiter for an input: another variant if the input says what to wait for.
---@param waiter bide.Waiter
---@param document userdata the input, as it was given
---@return bide.Waiter
function M.for_input(waiter, document)
  if not waiter.other_acceptors or not waiter.other_acceptors.asked then return waiter end
  local given = document:value()
  for name, member in pairs(waiter.inputs or {}) do
    if member.asks and type(given) == "table" and given[name] ~= nil and given[name] ~= core.json.null then
      return M.variant(waiter, "asked")
    end
  end
  return waiter
end

---Reports whether a waiter has an operation that can be called.
---@param waiter bide.Waiter
---@return boolean
function M.is_callable(waiter)
  return waiter.call ~= nil or waiter.new_call ~= nil
end

---Returns the same waiter with the call of its operation, whose outputs have the form that paths see. A service has its
---own defaults, and is not sent them.
---@param waiter bide.Waiter
---@param connected bide.ConnectedOperation
---@return bide.Waiter
function M.with_call(waiter, connected)
  local copy = tables.merged(waiter)
  copy.call, copy.new_call, copy.check = connected.call, connected.prepare, nil
  copy.convert, copy.latest, copy.variants, copy.watched = nil, nil, nil, nil
  copy.lack, copy.host_of, copy.page_token = connected.lack, connected.host_of, connected.page_token
  copy.inputs = declaration.without_defaults(waiter.inputs)
  return setmetatable(copy, class)
end

---Prepares a wait whose limits have been read.
---@param waiter bide.Waiter
---@param document userdata the input
---@param limits bide.Limits
---@return bide.PreparedWait? prepared
---@return string? mistake in the input
function M.prepared(waiter, document, limits)
  return prepared_wait.new(waiter, M.for_input(waiter, document), document, limits)
end

---Reads the input of a wait that continues at once, with its token if its operation takes one.
---@param waiter bide.Waiter
---@param document userdata the input
---@param limits bide.Limits
---@return userdata? input complete
---@return (fun(): any)|string|nil call makes its attempts, if its operation prepares them; or the mistake in the input
---@return bide.Waiter? variant which the input asks for
function M.read_input(waiter, document, limits)
  local variant = waiter.other_acceptors and M.for_input(waiter, document) or waiter
  if not waiter.token_member then
    local input, call = prepared_wait.read(waiter, variant, document)
    return input, call, variant
  end
  local prepared, mistake = prepared_wait.new(waiter, variant, document, limits)
  if not prepared then return nil, mistake end
  return prepared.input, prepared.call, variant
end

---Takes the call of a model's operation.
---@param max_wait integer milliseconds
---@return bide.Waiter? waiter another one if the deadline came before the call
---@return integer|string spent milliseconds; without a waiter, why there is no call
local function take_call(waiter, max_wait)
  if not waiter.connect then return nil, ("the waiter %s has no operation"):format(waiter.name) end
  local connected, mistake, spent = in_time.connect(max_wait, waiter.connect)
  if not connected then return nil, ("the waiter %s: %s"):format(waiter.name, mistake) end
  if connected.warning then shown.warn(connected.warning) end
  if connected.lack then return M.with_call(waiter, connected), spent end
  waiter.call, waiter.new_call, waiter.check, waiter.convert = connected.call, connected.prepare, nil, nil
  waiter.host_of = connected.host_of
  return waiter, spent
end

---Prepares a wait. Raises a mistake in the input or the options at the level of the caller's caller.
local function prepare(waiter, input, options)
  local ok, limits = pcall(limits_of.read, waiter, options or {})
  if not ok then
    script_error.pass_out_of_memory(limits)
    error(limits, 3)
  end
  local spent
  if not M.is_callable(waiter) then
    waiter, spent = take_call(waiter, limits.max_wait)
    if not waiter then error(spent, 3) end
  end
  local document, mistake = core.json.document(input == nil and {} or input)
  if not document then error("input: " .. tostring(mistake), 3) end
  local prepared
  prepared, mistake = M.prepared(waiter, document, limits)
  if not prepared then error(mistake, 3) end
  if spent then prepared:count(spent) end
  prepared:shrink()
  return prepared
end

---Prepares a wait for bide.all, bide.any and bide.some, which begin it.
---@param input any the input of the operation; nil is an empty object
---@param options bide.WaitOptions
---@return bide.PreparedWait
function Waiter:prepare(input, options)
  return (prepare(self, input, options))
end

---Waits by a store, whose workers make the attempts; set by `bide`.
---@type fun(waiter: bide.Waiter, input: any, options: table): bide.Outcome?, bide.Outcome|string|nil
M.wait_in_store = nil

---Waits until an acceptor or a limit decides. Other tasks continue meanwhile. With `store`, the workers of that store make the
---attempts, and the wait outlives this process.
---@param input any the input of the operation; nil is an empty object
---@param options bide.WaitOptions
---@return bide.Outcome? outcome nil if the wait failed
---@return bide.Outcome|string|nil failure the outcome of a failure, so that assert raises it; of a store also the words of why it
---is not known how the wait ended
function Waiter:wait(input, options)
  if type(options) == "table" and options.store ~= nil then return M.wait_in_store(self, input, options) end
  local prepared = prepare(self, input, options)
  local waker = task.waker()
  local _running <close> = M.closing(prepared:start(waker, M.observer))
  local ended = outcome.of_record(task.pause(waker))
  if ended.state == "success" then return ended end
  return nil, ended
end

---Adds names of secret members.
---@param names string[]
function Waiter:hide(names)
  self.secret = join(self.secret or {}, names)
end

---Returns the names of the possible outcomes of its acceptors, each once, in their order.
---@return string[] names
---@return table<string, true> known the names as a set
function Waiter:outcome_names()
  local names, known = {}, {}
  for _, acceptor in ipairs(self.acceptors) do
    local name = acceptor.state ~= "retry" and acceptor.name or nil
    if name and not known[name] then
      known[name] = true
      names[#names + 1] = name
    end
  end
  return names, known
end

local Closing = { __close = core.task.whole(function(closing) closing.wait:abandon() end) }

---Returns a variable to be closed, which abandons a wait or a fleet if the task that waits for it ends.
---@param wait bide.Wait|bide.Fleet
function M.closing(wait)
  return setmetatable({ wait = wait }, Closing)
end

return M
