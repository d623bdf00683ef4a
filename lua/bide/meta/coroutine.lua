---@meta

---What takes the place of the functions of the same names in `coroutine`: `require("bide.core").coroutine`.
---They let a script's own coroutines wait, and let a deadline or a signal stop them.
---@class bide.core.coroutine
local coroutine = {}

---@param co thread
---@return boolean ok
---@return any ... what it yields or returns, or the error
function coroutine.resume(co, ...) end

---@param f function
---@return fun(...): ... resume what resumes the new coroutine, and raises what that raises
function coroutine.wrap(f) end

---@param co thread
---@return boolean ok
---@return any? error
function coroutine.close(co) end

return coroutine
