---Hides secrets in everything that is shown of a wait: its outcome, events, journal, progress and errors. The rules are
---in docs/secrets.md; a mask of bide.core.secret applies them to one wait.

local core = require "bide.core"
local tables = require "bide.text.tables"

local new_mask = core.secret.mask

local M = {
  ---True if the outcome and the progress show secrets (`--show-secrets`). Events and the journal never do.
  are_shown = false,
  ---The mask for texts that do not belong to a wait; nil if the known values have changed since it was made.
  ---@type bide.SecretMask?
  mask_of_any = nil,
}

---The most values from earlier answers that are remembered for a wait.
local MOST_REMEMBERED = 32

-- ---- values ------------------------------------------------------------------------------

local known = {}

---Adds a value that is secret wherever it appears, such as an input given by `@env:` or `@file:`.
---@param value string
function M.remember(value)
  if known[value] then return end
  known[#known + 1], known[value], M.mask_of_any = value, true, nil
end

---Reports whether a value is secret wherever it appears.
---@param value string
---@return boolean
function M.is_remembered(value)
  return known[value] or false
end

---The most values of one name that are remembered, if others replace them.
local MOST_RENEWED = 16

---The values that others replace, the latest first, by their name.
---@type table<string, string[]>
local renewed = {}

---Adds a value that is secret, and that others of the same name will replace, as a session token. The latest of
---them stay secret; a wait of days does not collect them all.
---@param name string
---@param value string
function M.remember_latest(name, value)
  local latest = renewed[name] or {}
  if tables.has(latest, value) then return end
  table.insert(latest, 1, value)
  latest[MOST_RENEWED + 1], renewed[name], M.mask_of_any = nil, latest, nil
end

local function with_known(mask)
  for _, value in ipairs(known) do mask:add(value) end
  for _, latest in pairs(renewed) do
    for _, value in ipairs(latest) do mask:add(value) end
  end
  return mask
end

---Returns the mask for texts that do not belong to a wait.
---@return bide.SecretMask
function M.any()
  M.mask_of_any = M.mask_of_any or with_known(new_mask())
  return M.mask_of_any
end

-- ---- attempts ----------------------------------------------------------------------------

---The waits of the tasks that attempts start.
local of_child = setmetatable({}, { __mode = "k" })

---Returns the wait that the running task belongs to. The task of an attempt was started with it.
---@return table? wait as secret.of_wait takes it
local function running_wait()
  local running = core.task.current()
  if not running then return nil end
  local wait = of_child[running] or core.task.argument(running)
  return type(wait) == "table" and wait.waiter and wait.input and wait or nil
end

---Passes the wait of the running task to a task that it starts.
---@param child bide.Task
function M.inherit(child)
  of_child[child] = running_wait()
end

---Returns a text with the secrets hidden that are known where it is made: those of the running attempt. Code that cuts
---a text calls this before, since the beginning of a secret could not be found.
---@param text string
---@return string
function M.before_cut(text)
  if M.are_shown then return text end
  local wait = running_wait()
  return (wait and M.of_wait(wait) or M.any()):text(text)
end

---Reports whether something was taken out of a text: a secret, or a text that is too long to be searched for secrets.
---@param text string
---@return boolean
function M.is_masked(text)
  return (text:find("[redacted]", 1, true) or text:find("[left out: ", 1, true)) ~= nil
end

---Reports whether a name in a path is that of a secret. The texts of some names are secret, and their numbers are not.
---@param path string
---@param value any what the path is compared with; nil if that is not known
---@return boolean
function M.is_in_path(path, value)
  for name in path:gmatch "[%w_%-]+" do
    local kind = core.secret.kind(name)
    if kind == "any" or kind and type(value) == "string" then return true end
  end
  return false
end

---Returns a text that does not belong to a wait, with its secrets hidden.
---@param text string
---@return string
function M.text(text)
  return M.are_shown and text or M.any():text(text)
end

-- ---- waits -------------------------------------------------------------------------------

---For each waiter, masks that its waits share, one without values and one with those that are secret anywhere, and a
---mask to which the values of each wait are added.
---@type table<bide.Waiter, { clean: bide.SecretMask, common: bide.SecretMask?, any: bide.SecretMask?, tried: bide.SecretMask }>
local of_waiter = setmetatable({}, { __mode = "k" })

---Returns the names of a waiter's secrets: those that its recipe names, and those that its model calls sensitive.
---@param waiter bide.Waiter
---@return string[]?
local function names_of(waiter)
  local named, sensitive = waiter.secret or {}, waiter.sensitive and waiter.sensitive() or {}
  if #sensitive == 0 then return waiter.secret end
  return tables.joined(named, sensitive)
end

local function masks_of(waiter)
  local masks = of_waiter[waiter]
  if not masks then
    masks = { clean = new_mask(names_of(waiter), waiter.token_member) }
    of_waiter[waiter] = masks
  end
  masks.tried = masks.tried or new_mask(names_of(waiter), waiter.token_member)
  return masks
end

---Returns the mask for the inputs of a waiter, without values.
---@param waiter bide.Waiter
---@return bide.SecretMask
function M.of_names(waiter)
  return masks_of(waiter).clean
end

---Remembers the secret values of a wait's answers, since a later answer may repeat them; if there are too many, the latest.
---@param count integer the number of the mask's values that are not from the input
local function remember(wait, mask, count)
  local newest_first, values = mask:values(), {}
  for position = count, math.max(count - MOST_REMEMBERED, 0) + 1, -1 do values[#values + 1] = newest_first[position] end
  wait.secrets = values
end

---Adds the secret values of a wait to a mask: from its input, its last answer, and its earlier answers.
---@return integer count the number of the mask's values
local function collect(mask, wait, history)
  local of_input = mask:collect(wait.input, true)
  local count, before = of_input, wait.secrets or {}
  if wait.output then count = mask:collect(wait.output) end
  if wait.error then count = mask:collect(wait.error) end
  for _, entry in ipairs(history) do
    if entry.error then count = mask:collect(entry.error) end
  end
  for _, value in ipairs(before) do count = mask:add(value) end
  if count - of_input > #before or count > of_input and #before == MOST_REMEMBERED then
    remember(wait, mask, count - of_input)
  end
  return count
end

---Returns the mask of a waiter with the values that are secret anywhere.
local function common(masks, waiter)
  if #known == 0 and not next(renewed) then return masks.clean end
  if masks.any ~= M.any() then
    masks.common, masks.any = with_known(new_mask(names_of(waiter), waiter.token_member)), M.any()
  end
  return masks.common
end

---Returns the mask of a wait as it is now. A wait without secret values, as most are, has its waiter's mask.
---@param wait { waiter: bide.Waiter, input: userdata, output: userdata?, error: userdata?, secrets: string[]? }
---@param history? table[] of attempts whose errors are shown with it
---@return bide.SecretMask
function M.of_wait(wait, history)
  local masks = masks_of(wait.waiter)
  local count = collect(masks.tried, wait, history or {})
  if count == 0 and not wait.secrets and not wait.waiter.token_member then return common(masks, wait.waiter) end
  local mask = masks.tried
  masks.tried = nil
  return with_known(mask)
end

---The masks of records, for the code that shows them later.
---@type table<table, bide.SecretMask>
local of_record = setmetatable({}, { __mode = "k" })

---@param record table an outcome, or an entry of a history
---@param mask bide.SecretMask
function M.keep(record, mask)
  of_record[record] = mask
end

---@param record table
---@return bide.SecretMask
function M.of(record)
  return of_record[record] or M.any()
end

---Returns the mask of a wait after an attempt, which all its observers share.
---@param wait bide.Wait
---@param entry table of the history
---@return bide.SecretMask
function M.of_entry(wait, entry)
  local mask = of_record[entry] or M.of_wait(wait)
  of_record[entry] = mask
  return mask
end

---The members of records with their secrets, for `--show-secrets`.
---@type table<table, table>
local clear_of = setmetatable({}, { __mode = "k" })

---@param record table
---@param members table
function M.keep_clear(record, members)
  clear_of[record] = setmetatable(members, { __index = record })
end

---Returns a record with its secrets if they are to be shown; otherwise the record itself.
---@param record table
---@return table
function M.clear(record)
  return M.are_shown and clear_of[record] or record
end

return M
