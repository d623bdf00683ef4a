---@meta

---Replacements for functions of `coroutine`: `require("bide.core").coroutine`. With them the coroutines of a script may
---wait, and a deadline or a signal stops them.
---@class bide.core.coroutine
local coroutine = {}

---@param co thread
---@return boolean ok
---@return any ... its results, or the error
function coroutine.resume(co, ...) end

---@param f function
---@return fun(...): ... resume resumes the new coroutine, and raises its error
function coroutine.wrap(f) end

---@param co thread
---@return boolean ok
---@return any? error
function coroutine.close(co) end

return coroutine
