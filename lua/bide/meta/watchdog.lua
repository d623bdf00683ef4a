---@meta

---What ends a process that does not come back from a call of C: `require("bide.core").watchdog`.
---Only the program starts it; without that the other functions do nothing that is seen.
---@class bide.core.watchdog
local watchdog = {}

---@param load_timeout integer milliseconds that a file may run while it is being loaded
---@return boolean watches
function watchdog.start(load_timeout) end

---@param text string what the process waits for, safe for a terminal
function watchdog.describe(text) end

---@param file string safe for a terminal
function watchdog.begin_load(file) end

function watchdog.end_load() end

return watchdog
