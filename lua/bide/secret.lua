---What is secret in what is shown of a wait: in its outcome, events, journal, progress and errors.
---docs/secrets.md has the rules; a mask of bide.core.secret holds them for one wait.

local core = require "bide.core"

local new_mask = core.secret.mask

local M = {
  ---Whether the outcome and the progress show secrets (`--show-secrets`); events and the journal never do.
  are_shown = false,
}

---How many values that were seen in earlier answers are remembered for a wait.
local MOST_REMEMBERED = 32

-- ---- values ------------------------------------------------------------------------------

local known, any_mask = {}, nil

---A value that is secret wherever it stands, as of an input that came by `@env:` or `@file:`.
---@param value string
function M.remember(value)
  known[#known + 1], any_mask = value, nil
end

local function with_known(mask)
  for _, value in ipairs(known) do mask:add(value) end
  return mask
end

---The mask for what belongs to no wait.
---@return bide.SecretMask
function M.any()
  any_mask = any_mask or with_known(new_mask())
  return any_mask
end

---A text for people that belongs to no wait.
---@param text string
---@return string
function M.text(text)
  return M.are_shown and text or M.any():text(text)
end

-- ---- waits -------------------------------------------------------------------------------

---A mask without values that the waits of a waiter have in common, and one that is tried on each of them.
---@type table<bide.Waiter, { clean: bide.SecretMask, tried: bide.SecretMask }>
local of_waiter = setmetatable({}, { __mode = "k" })

local function masks_of(waiter)
  local masks = of_waiter[waiter]
  if not masks then
    masks = { clean = new_mask(waiter.secret, waiter.token_member) }
    of_waiter[waiter] = masks
  end
  masks.tried = masks.tried or new_mask(waiter.secret, waiter.token_member)
  return masks
end

---What is secret in the inputs of a waiter by its name alone.
---@param waiter bide.Waiter
---@return bide.SecretMask
function M.of_names(waiter)
  return masks_of(waiter).clean
end

---Remembers the values of a wait's answers, which a later one may repeat; of too many the latest.
---@param count integer how many of the mask's values are not of the input
local function remember(wait, mask, count)
  local newest_first, values = mask:values(), {}
  for position = count, math.max(count - MOST_REMEMBERED, 0) + 1, -1 do values[#values + 1] = newest_first[position] end
  wait.secrets = values
end

---Adds the values of a wait to a mask: of its input, of what was seen last, and of what was seen before.
---@return integer count of the mask's values
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

---What is secret in a wait now. Where it has no secret values, which is so of most, the mask is that of its waiter.
---@param wait { waiter: bide.Waiter, input: userdata, output: userdata?, error: userdata?, secrets: string[]? }
---@param history? table[] of attempts whose errors are shown with it
---@return bide.SecretMask
function M.of_wait(wait, history)
  local masks = masks_of(wait.waiter)
  if collect(masks.tried, wait, history or {}) == 0 and #known == 0 and not wait.secrets and not wait.waiter.token_member then
    return masks.clean
  end
  local mask = masks.tried
  masks.tried = nil
  return with_known(mask)
end

---What is secret in a record, for whoever shows it later.
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

---What is secret after an attempt; its observers share the mask.
---@param wait bide.Wait
---@param entry table of the history
---@return bide.SecretMask
function M.of_entry(wait, entry)
  local mask = of_record[entry] or M.of_wait(wait)
  of_record[entry] = mask
  return mask
end

---The members of a record that are shown otherwise where secrets are.
---@type table<table, table>
local clear_of = setmetatable({}, { __mode = "k" })

---@param record table
---@param members table
function M.keep_clear(record, members)
  clear_of[record] = setmetatable(members, { __index = record })
end

---The record with its secrets, where they are to be shown; the record itself otherwise.
---@param record table
---@return table
function M.clear(record)
  return M.are_shown and clear_of[record] or record
end

return M
