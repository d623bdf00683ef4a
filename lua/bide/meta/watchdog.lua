---@meta

---The watchdog, which ends a process that does not return from a call of C: `require("bide.core").watchdog`. Only the
---program starts it; without it the other functions have no effect.
---@class bide.core.watchdog
local watchdog = {}

---@param load_timeout integer milliseconds that a file may run while it is being loaded
---@return boolean watches
function watchdog.start(load_timeout) end

---@param text string the words for what the process waits for, safe for a terminal
function watchdog.describe(text) end

---@param file string safe for a terminal
function watchdog.begin_load(file) end

function watchdog.end_load() end

return watchdog
