---Finds what the answer of a success lacks: of a service of AWS what was asked for, where the acceptors of AWS are true
---without it, of any service the pages that follow a list, and of the service of a model the thing whose absence is the
---success, if no attempt has seen it.

local core = require "bide.core"
local shown_value = require "bide.wait.shown_value"
local matchers = require "bide.recipe.waiter.matchers"

local M = {}

---Returns what to do about a success for which an empty list was enough. A condition of AWS over what is in the list has to
---stay, beside a failure; where the status was enough, there is none.
---@param acceptor bide.AcceptorStructure
---@param list string the path of the list
local function advice(acceptor, list)
  local option = acceptor.matcher.output and "--fail '!%s' makes this a failure" or "--until %s waits for them"
  return "check what was asked for; " .. option:format(list)
end

---@param list any nil if the input has no such list
---@return integer count how many different elements it has
local function count_different(list)
  local known, count = {}, 0
  for _, element in ipairs(type(list) == "table" and list or {}) do
    if not known[element] then known[element], count = true, count + 1 end
  end
  return count
end

---Returns the words for names that a service of AWS has left out of its answer.
---@param wait bide.Wait
---@return string?
local function of_count(wait)
  for _, asked in ipairs(wait.waiter.asked or {}) do
    local value = shown_value.at(("length(%s)"):format(asked.found), wait.output)
    local found, wanted = value and value:value(), count_different(wait.input:value(asked.input))
    if found and found < wanted then
      return ("%s: the answer has %d of the %d in %s, and the waiter of AWS does not look for the others"):format(
        wait.waiter.name, found, wanted, asked.input)
    end
  end
end

---Returns what the answer of a service of AWS has not of what was asked for.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure
---@param mask bide.SecretMask?
---@return string?
local function of_question(wait, acceptor, mask)
  local waiter = wait.waiter
  local nothing = waiter.found and shown_value.at(("!(%s)"):format(waiter.found), wait.output)
  local lacking = waiter.lacks and shown_value.line_at(waiter.lacks, wait.output, mask)
  if nothing and nothing:value() == true then
    return ("%s: the answer has no %s%s, and the waiter of AWS succeeds without any; %s"):format(waiter.name, waiter.found,
      lacking and (", but says: %s"):format(lacking) or "", advice(acceptor, waiter.found))
  end
  return lacking and ("%s: the answer lacks a part of what was asked for, which the waiter of AWS does not look at: %s")
    :format(waiter.name, lacking) or of_count(wait)
end

---The members by which the answers of AWS's services say that a page follows.
M.tokens = { "NextToken", "nextToken", "Marker", "NextMarker" }

---Returns an answer in which each list is empty.
---@param output bide.Document
---@param has_lists_alone boolean? whether all other members are left out
local function without_elements(output, has_lists_alone)
  local emptied = {}
  for name, value in pairs(output:value()) do
    local is_list = core.json.is_array(value)
    if is_list or not has_lists_alone then emptied[name] = is_list and core.json.array {} or value end
  end
  return assert(core.json.document(emptied))
end

---Reports whether an acceptor holds only while no element of a list is in the way: a further page may have one.
---@param acceptor bide.AcceptorStructure
---@param output bide.Document
local function is_over_all(acceptor, output)
  return acceptor.matcher.output.comparator == "allStringEquals" or matchers.holds(acceptor, without_elements(output))
end

---Returns the member by which an answer says that a page follows.
---@param wait bide.Wait
---@return string?
local function token_of(wait)
  for _, name in ipairs(M.tokens) do
    local token = wait.output:value(name)
    if type(token) == "string" and token ~= "" then return name end
  end
  local path = wait.waiter.page_token
  local found = path and shown_value.at(path, wait.output)
  local token = found and found:value()
  local is_there = token and token ~= core.json.null and token ~= "" and (type(token) ~= "table" or next(token) ~= nil)
  return is_there and path or nil
end

---Returns the words for the pages that were not asked for.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure
---@return string?
local function of_pages(wait, acceptor)
  local name = acceptor.matcher.output and token_of(wait)
  if not name or not is_over_all(acceptor, wait.output) then return nil end
  return ("%s: the answer has a %s: a further page follows, and a waiter looks at the first one alone"):format(
    wait.waiter.name, name)
end

---The statuses with which services say that something is not there; AWS's protocols have 400 for most errors.
local of_absence = { [400] = true, [404] = true, [410] = true }

---Reports whether a success says that something is not there: an error, or an acceptor that holds for empty lists alone.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure
local function is_absence(wait, acceptor)
  local failure = wait:failure()
  if failure then return failure.status == nil or of_absence[failure.status] == true end
  for _, value in pairs(wait.output and wait.output:value() or {}) do
    if core.json.is_array(value) and #value > 0 then return false end
  end
  return acceptor.matcher.output ~= nil and matchers.holds(acceptor, without_elements(wait.output, true))
end

---Reports whether an acceptor may say that something is not there: of an error, or of lists without elements, unless a
---success without them has a warning of its own.
---@param acceptor bide.AcceptorStructure
---@param waiter bide.Waiter
local function may_be_absence(acceptor, waiter)
  local matcher = acceptor.matcher
  if matcher.output and waiter.found then return false end
  if not matcher.output then return matcher.errorType ~= nil or matcher.success == false or of_absence[matcher.status] == true end
  local emptied = {}
  for name in matcher.output.path:gmatch "[%a_][%w_]*" do emptied[name] = core.json.array {} end
  return matchers.holds(acceptor, assert(core.json.document(emptied)))
end

---Reports whether a success of a waiter is warned of that no attempt has seen.
---@param waiter bide.Waiter
---@return boolean
function M.are_warned_of(waiter)
  for _, acceptor in ipairs((waiter.files or {}).of_model and waiter.acceptors or {}) do
    if acceptor.state == "success" and not acceptor.option and may_be_absence(acceptor, waiter) then return true end
  end
  return false
end

---Reports whether an attempt before the last one had an answer in which something was. A record that lacks attempts may
---lack that one.
---@param record table
local function has_been_seen(record)
  local history = record.history
  if record.omitted or #history < record.attempts then return true end
  for position = 1, #history - 1 do
    if not history[position].error and history[position].acceptor ~= record.acceptor then return true end
  end
  return false
end

---Returns the words for a thing that is gone, if it may as well never have been there.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure
---@param record table
---@return string?
local function of_absent(wait, acceptor, record)
  local waiter = wait.waiter
  if not (waiter.files or {}).of_model or not is_absence(wait, acceptor) or has_been_seen(record) then return nil end
  local host = waiter.host_of and waiter.host_of(wait.input:value())
  return ("%s: no attempt has seen it: it was gone before this wait, or its name, region or account is wrong%s; "
    .. "to tell these apart, ask before it is deleted"):format(waiter.name, host and (" (asked: %s)"):format(host) or "")
end

---Merges the warnings that differ in nothing but the host that was asked: each bucket of a fleet has a host of its own.
---@param warnings string[]
---@return string[] merged in the same order
function M.merged(warnings)
  local merged, groups = {}, {}
  for _, warning in ipairs(warnings) do
    local front, host, rest = warning:match "^(.- %(asked: )([^)]+)(%).*)$"
    local group = host and groups[front .. rest]
    if group then
      group.others = group.others + 1
      merged[group.position] = ("%s%s and %d more%s"):format(front, group.host, group.others, rest)
    else
      merged[#merged + 1] = warning
      if host then groups[front .. rest] = { position = #merged, host = host, others = 0 } end
    end
  end
  return merged
end

---Returns what is not in the answer by which a wait has succeeded, though a person may think so. A condition of the command
---line has rules of its own, and is not looked at.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure? the one that decided
---@param record table of the outcome
---@param mask bide.SecretMask? hides the wait's secrets; nil if secrets are shown
---@return string[] warnings
function M.of_success(wait, acceptor, record, mask)
  local warnings = { wait.caution and ("%s: %s"):format(wait.waiter.name, wait.caution) or nil }
  if not acceptor or acceptor.option then return warnings end
  if wait.output and not wait.error then
    warnings[#warnings + 1] = of_question(wait, acceptor, mask)
    warnings[#warnings + 1] = of_pages(wait, acceptor)
  end
  if not warnings[1] then warnings[1] = of_absent(wait, acceptor, record) end
  return warnings
end

return M
