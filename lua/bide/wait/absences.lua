---Finds what the answer of a success lacks: of a service of AWS what was asked for, where the acceptors of AWS are true
---without it.

local evidence = require "bide.wait.evidence"

local M = {}

---Returns what to do about a success for which an empty list was enough. A condition of AWS over what is in the list has to
---stay, beside a failure; where the status was enough, there is none.
---@param acceptor bide.AcceptorStructure
---@param list string the path of the list
local function advice(acceptor, list)
  local option = acceptor.matcher.output and "--fail '!%s' makes this a failure" or "--until %s waits for them"
  return "check what was asked for; " .. option:format(list)
end

---Returns what the answer of a service of AWS has not of what was asked for.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure
---@param mask bide.SecretMask?
---@return string?
local function of_question(wait, acceptor, mask)
  local waiter = wait.waiter
  local nothing = waiter.found and evidence.value_of(("!(%s)"):format(waiter.found), wait.output)
  local lacking = waiter.lacks and evidence.line_of(waiter.lacks, wait.output, mask)
  if nothing and nothing:value() == true then
    return ("%s: the answer has no %s%s, and the waiter of AWS succeeds without any; %s"):format(waiter.name, waiter.found,
      lacking and (", but says: %s"):format(lacking) or "", advice(acceptor, waiter.found))
  end
  return lacking and ("%s: the answer lacks a part of what was asked for, which the waiter of AWS does not look at: %s")
    :format(waiter.name, lacking)
end

---Returns what is not in the answer by which a wait has succeeded, though a person may think so. A condition of the command
---line has rules of its own, and is not looked at.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure? the one that decided
---@param mask bide.SecretMask? hides the wait's secrets; nil if secrets are shown
---@return string[] warnings
function M.of_success(wait, acceptor, mask)
  if not acceptor or acceptor.option or not wait.output or wait.error then return {} end
  return { of_question(wait, acceptor, mask) }
end

return M
