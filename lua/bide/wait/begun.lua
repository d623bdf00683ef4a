---The waits of this process that have begun and not ended. Anybody may wake them: a script, or `--wake-on SIGNAL`.

---Its function in `bide`.
---@class bide
---@field wake fun() asks every wait of the process for an attempt, now

local M = {}

---The waits, but for those of fleets.
---@type table<bide.Wait, true>
M.waits = {}

---The tables of waits that fleets have: very many waits are not listed twice.
---@type table<table<any, bide.Wait>, true>
M.fleets = {}

---The number of calls of `M.wake` that are still to come, as far as is known.
local expected = 0

---Announces that `M.wake` will be called, so that waits last until their deadlines, or that the call has come.
---@param change 1|-1
function M.expect(change) expected = expected + change end

---@return boolean
function M.is_expected() return expected > 0 end

---Asks every wait of the process for an attempt, now, but none that a worker has from a store, which may be another's. An
---attempt that is woken comes neither before a Retry-After nor before its turn by a rate, and many in a row are at least
---minDelay apart.
function M.wake()
  for wait in pairs(M.waits) do wait:wake() end
  for waits in pairs(M.fleets) do
    for _, wait in pairs(waits) do wait:wake() end
  end
end

return M
