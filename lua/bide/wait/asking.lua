---Asks the matchers in Lua of a wait where the core cannot decide by itself, and the witness of its operation before a success
---counts, and gives them what they see.

local core = require "bide.core"
local custom = require "bide.recipe.waiter.custom"
local duration = require "bide.text.duration"
local error_class = require "bide.error_class"
local evidence = require "bide.wait.evidence"
local operation = require "bide.probe.asking.operation"
local own_matcher = require "bide.text.own_matcher"
local retries = require "bide.task.retries"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---@param seen bide.Observation
local function context_of(wait, now, seen)
  return {
    input = wait.input:value(), output = seen.output and seen.output:value() or nil, error = seen.failure,
    attempt = wait:made(), elapsed = duration.seconds(now - wait.state:started()),
    remaining = duration.seconds(wait.state:deadline() - now),
    memory = wait.memory, unread = seen.unread,
  }
end

---The input that was read last, and its value: mostly the wait that asks is the one that has asked before. They are members
---of a table because the collector takes for old what is assigned to an upvalue, and collects it late.
local latest = { input = false, value = nil }

local function value_of_input(wait)
  if latest.input ~= wait.input then latest.input, latest.value = wait.input, wait.input:value() end
  return latest.value
end

---Returns what the matchers of bide's own see.
---@param seen bide.Observation
---@return bide.OwnContext
local function own_context(wait, seen)
  return {
    input = value_of_input(wait), document = seen.output or nil, error = seen.failure, unread = seen.unread,
    allowMissing = wait.waiter.allows_missing, before = wait.before or nil,
  }
end

---The memory of a wait whose matchers keep nothing, which is that of most waits.
local unused = {}

---Asks a matcher of bide's own.
---@param context bide.OwnContext
local function ask_own(wait, lua, context)
  context.memory = wait.memory or unused
  local matched, why = lua(context)
  if next(unused) ~= nil then wait.memory, unused = unused, {} end
  return matched, why
end

---Asks a matcher of a script.
local function ask_of_script(wait, now, lua, seen)
  wait:take_seen(seen)
  wait.memory = wait.memory or {}
  return custom.ask(lua, context_of(wait, now, seen))
end

---Keeps why a matcher did not match.
local function keep_why(wait, seen, lua, why)
  if not why then return end
  seen.whys, wait.has_more = seen.whys or {}, true
  seen.whys[lua] = why
  table.insert(seen.whys, why)
end

---Calls custom matchers, from the one at `acceptor` on for which the core asks, until the core has decided.
---@param seen bide.Observation
function M.ask(wait, now, acceptor, note, seen)
  local state, verdict, detail, another = wait.state, "ask"
  local context
  local _entered <close> = vocabulary.enter(wait.waiter.vocabulary)
  while verdict == "ask" do
    local lua = wait.waiter.acceptors[acceptor].matcher.lua
    local matched, why
    if own_matcher.of(lua) then
      context = context or own_context(wait, seen)
      matched, why = ask_own(wait, lua, context)
    else
      matched, why = ask_of_script(wait, now, lua, seen)
    end
    if matched then
      verdict, acceptor, detail, another = state:accept(now, seen, acceptor)
    else
      keep_why(wait, seen, lua, why)
      verdict, acceptor, detail, another = state:observe(now, seen, acceptor + 1)
    end
    note = another or note
  end
  return now, verdict, acceptor, detail, note, seen
end

---The statuses by which a witness is refused, which no waiting changes.
local refusals = { [401] = true, [403] = true }

---Reports whether an acceptor takes an error of the witness, as it would take one of the operation.
---@param context table as a matcher of a script gets it
local function takes_error(matcher, context)
  local failure, status = context.error, matcher.status
  return matcher.success == false
    or matcher.errorType and core.wait.error_name(matcher.errorType) == error_class.name_of(failure)
    or status and tables.has(type(status) == "table" and status or { status }, failure.status)
    or matcher.lua and custom.ask(matcher.lua, context)
end

---Reports whether an error of the witness ends the wait, as one of the operation would that no acceptor takes for a retry.
local function is_final(wait, now, seen, failure)
  if not refusals[failure.status] then return false end
  local context = tables.merged(context_of(wait, now, seen), { error = failure })
  context.output = nil
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    if takes_error(acceptor.matcher, context) then return acceptor.state ~= "retry" end
  end
  return true
end

---Asks the witness of the operation before a success counts. If it does not confirm the success, the attempt is a retry, and
---its note says why; if it is refused for good, the wait ends with its error.
---@param seen bide.Observation
---@return integer now
---@return string? verdict nil if the deadline is over
function M.confirm(wait, now, acceptor, detail, note, seen)
  local failure, wish = operation.unproven(wait.ask_witness, context_of(wait, now, seen), wait.kind.of_operation or nil)
  now = core.loop.update()
  if now > wait.state:deadline() then return now end
  if not failure then return now, "success", acceptor, detail, note, seen end
  seen = tables.merged(seen, { is_plain = false, unproven = failure })
  if wish then seen.retry_after = math.max(seen.retry_after or 0, wish) end
  local words = "not believed: " .. evidence.of_error(failure)
  keep_why(wait, seen, M, words)
  local verdict
  verdict, acceptor, detail = wait.state:take_back(now, seen, acceptor)
  if is_final(wait, now, seen, failure) then
    seen.believed = { output = seen.output, error = seen.error }
    seen.output, seen.error = nil, operation.error_document(failure)
    return now, "failure", nil, "unmatchedError", note, seen
  end
  return now, verdict, acceptor, detail, retries.join(words, note), seen
end

return M
