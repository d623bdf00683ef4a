---Prepared waits: an input that was checked and completed, with its limits, its token and the call of its attempts. A prepared
---wait begins, continues one of an earlier process, or makes one step.

local Wait = require "bide.wait.run"
local before = require "bide.recipe.before"
local core = require "bide.core"
local inputs = require "bide.recipe.input.inputs"
local new_token = require("bide.probe.asking.operation").new_token
local tables = require "bide.text.tables"
local option = require "bide.text.option"
local secret = require "bide.text.secret"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---A prepared wait: it has its input and its limits, and has not begun. Many of them find their common part by their
---metatable.
---@class bide.PreparedWait
---@field waiter bide.Waiter
---@field input userdata a document
---@field limits bide.Limits
---@field call (fun(): any)? makes its attempts, if its operation prepares them
---@field token string? the idempotency token of its request
---@field is_new_token boolean? whether the token was drawn for it
---@field has_begun boolean? only if the token was drawn for it
---@field from bide.Resumption?
local Prepared = {}
local class = { __index = Prepared }

---Returns the common part of the waits of a waiter with some limits. The waits of a fleet mostly have the limits of the
---wait that was prepared before.
local function common(waiter, limits)
  local latest = waiter.latest
  if latest and (latest.limits == limits or tables.equals(latest.limits, limits)) then return latest end
  latest = setmetatable({ waiter = waiter, limits = limits }, class)
  latest.__index = latest
  waiter.latest = latest
  return latest
end

---Puts a token into the input.
---@param text string
local function put_token(prepared, text)
  local members = prepared.input:value()
  members[prepared.waiter.token_member] = text
  prepared.input, prepared.token = assert(core.json.document(members)), text
end

---Gives a prepared wait a new idempotency token if the operation takes one and the caller gave none. A wait is one request,
---so all its attempts have the same token.
---@return string? mistake
local function fill_in_token(prepared)
  local member = prepared.waiter.token_member
  if not member or prepared.input:type() ~= "object" then return end
  local given = prepared.input:value()[member]
  prepared.is_new_token = given == nil or given == core.json.null
  if prepared.is_new_token then return put_token(prepared, new_token()) end
  if option.mistake(given, option.kinds.identifier) then
    return ("%s: %s"):format(member, option.expected("a string that is not empty, the idempotency token", given))
  end
  prepared.token = given
end

---Returns the name of a waiter's recipe, for messages.
local function place_of(waiter)
  return waiter.files and waiter.files[1] or waiter.name
end

---Masks the secrets of a wait in a mistake.
local function masked(waiter, input, mistake)
  return mistake and secret.of_wait({ waiter = waiter, input = input }):text(mistake)
end

---Checks an input by the declaration of its operation, and completes it, within the vocabulary of its waiter.
---@return userdata? document
---@return string? mistake
---@return table? value of the document, where that was at hand
local function complete(waiter, document)
  local completed, mistake, value = inputs.complete(waiter.inputs, document, waiter.token_member, waiter.find_takers)
  if not completed or not (waiter.read_input or waiter.check) then return completed, mistake, value end
  local read = completed
  if waiter.read_input then read, mistake = waiter.read_input(completed) end
  if read and waiter.check then
    mistake = before.check(waiter.check, read, place_of(waiter))
  end
  if not mistake then return read, nil, read == completed and value or nil end
  return nil, masked(waiter, completed, mistake)
end

---Prepares the attempts of a wait, if its operation does, within the vocabulary of its waiter. Raises a script error.
---@param input userdata
---@param value? table of the input
---@return (fun(): any)? call
---@return string? mistake
local function prepare_attempts(waiter, input, value)
  local prepare <const> = waiter.new_call
  if not prepare then return nil end
  local call, mistake = before.prepare(prepare, value or input:value(), waiter.of_operation, place_of(waiter))
  if call then return call end
  return nil, masked(waiter, input, mistake)
end

---Makes the wait ready to begin in place of an earlier one: with the token of that one, if it is given. Without one, a wait
---that has begun before gets a new token if it was drawn.
---@param token? string
function Prepared:renew(token)
  if not token and not self.has_begun then return end
  put_token(self, token or new_token())
  self.call = nil
end

---Returns the call of a wait that begins, which is the wait's from then on: that of another one is prepared anew.
---@return (fun(): any)?
local function take_prepared_call(prepared)
  if not prepared.call then
    local _entered <close> = vocabulary.enter(prepared.waiter.vocabulary)
    local mistake
    prepared.call, mistake = prepare_attempts(prepared.waiter, prepared.input)
    assert(not mistake)
  end
  local call = prepared.call
  prepared.has_begun, prepared.call = prepared.is_new_token, nil
  return call
end

---@param waiter bide.Waiter
---@param variant bide.Waiter of it, which the input asks for
---@param document userdata the input
---@param limits bide.Limits
---@return bide.PreparedWait? prepared
---@return string? mistake in the input
function M.new(waiter, variant, document, limits)
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local completed, mistake, value = complete(waiter, document)
  if not completed then return nil, mistake end
  local prepared = setmetatable({ input = completed, call = nil }, common(variant, limits))
  mistake = fill_in_token(prepared)
  if not mistake then
    prepared.call, mistake = prepare_attempts(variant, prepared.input, prepared.input == completed and value or nil)
  end
  if mistake then return nil, mistake end
  return prepared
end

---Reads the input of a wait that continues at once, of an operation without an idempotency token.
---@param waiter bide.Waiter
---@param variant bide.Waiter of it, which the input asks for
---@param document userdata the input
---@return userdata? input complete
---@return (fun(): any)|string|nil call makes its attempts, if its operation prepares them; or the mistake in the input
function M.read(waiter, variant, document)
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local input, mistake, value = complete(waiter, document)
  if not input then return nil, mistake end
  local call
  call, mistake = prepare_attempts(variant, input, value)
  if mistake then return nil, mistake end
  return input, call
end

---Keeps the input as its text, which is less: very many waits may sleep.
function Prepared:shrink()
  self.input = core.json.compact(self.input)
end

---Counts time before the wait towards its max wait. A wait that another process began has counted it.
---@param spent integer milliseconds
function Prepared:count(spent)
  local from = self.from
  if spent == 0 or from and from.is_resumed then return end
  self.from = from or { state = Wait.new_record(self.waiter, self.limits), attempts = 0, history = {} }
  self.from.elapsed = spent
end

---@param value any
---@return boolean
function M.is_one(value)
  return getmetatable(getmetatable(value)) == class
end

---Begins the wait. If it is begun again, that is another wait with another request: it gets a new token, and is prepared
---anew.
---@param kind bide.WaitKind
---@param key any by which `done` identifies it
---@return bide.Wait
function Prepared:begin(kind, key)
  self:renew()
  return assert(Wait.of_kind(kind, self.input, key, self.from, take_prepared_call(self)))
end

---Returns the wait as a store is given it: with a new token if the one that was drawn is that of another request.
---@param is_taken? boolean whether the same list has it before
---@return bide.PreparedWait
function Prepared:for_store(is_taken)
  if not self.is_new_token or not (self.has_begun or is_taken) then return self end
  local other = setmetatable(tables.merged(self), getmetatable(self))
  put_token(other, new_token())
  return other
end

---Notes that a store has the wait. If that is not known, the next try has the same token.
function Prepared:note_submitted()
  self.has_begun = self.is_new_token
end

---Continues the wait alone from a state, in which an earlier process left it.
---@param from bide.Resumption
---@param done fun(record: table, wait: bide.Wait)
---@param observer? table
---@return bide.Wait
function Prepared:continue(from, done, observer)
  return assert(self:continue_as(self:kind(done, observer), nil, from))
end

---Returns the common part of waits that are prepared alike.
---@param done fun(record: table, wait: bide.Wait)
---@param observer? table
---@return bide.WaitKind
function Prepared:kind(done, observer)
  return Wait.new_kind(self.waiter, self.limits, done, observer)
end

---Continues the wait as one of a kind.
---@param kind bide.WaitKind
---@param key any by which `done` and the observer identify it
---@param from bide.Resumption
---@return bide.Wait? wait
---@return bide.Failure? failure if its state cannot be read
function Prepared:continue_as(kind, key, from)
  return Wait.of_kind(kind, self.input, key, from, take_prepared_call(self))
end

---The result of `prepared:step`.
---@class bide.Step
---@field outcome bide.Outcome of the attempt; its state is "retry" if the wait has not ended
---@field next number? the seconds until the next step; nil if the wait has ended
---@field state string for the next step

---@class bide.StepOptions
---@field key? string signs the state, and refuses one that was not signed with it
---@field withOutput? boolean whether the state has the last output as well, so that the next outcome has it

---Makes the steps of waits; set by `bide`.
---@type fun(prepared: bide.PreparedWait, state: string?, options: bide.StepOptions): bide.Step?, string?
M.make_step = nil

local kinds_of_step = { key = option.kinds.text, withOutput = option.kinds.flag }

---Makes one attempt of the wait and returns, for a program that keeps the time itself: it sleeps for `next` seconds, on any
---machine, and gives `state` to the next step. A chain of steps decides as one wait would.
---
---A step that comes too early by less than a second waits for its time; by more, it returns at once, without an attempt.
---A state whose wait has ended gives the same end again, without an attempt.
---@param state string? that of the last step; nil begins the wait
---@param options? bide.StepOptions
---@return bide.Step? step
---@return string? mistake if the state cannot be used: it is damaged, or of another wait
function Prepared:step(state, options)
  if state ~= nil and type(state) ~= "string" then error("step: state: " .. option.expected("a string", state), 2) end
  local mistake = options and option.check(options, kinds_of_step)
  if mistake then error("step: " .. mistake, 2) end
  return M.make_step(self, state, options or {})
end

---Begins the wait alone, without a fleet.
---@param done fun(record: table, wait: bide.Wait)
---@param observer? table
---@return bide.Wait
function Prepared:start(done, observer)
  return self:begin(self:kind(done, observer))
end

return M
