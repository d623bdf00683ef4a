---@meta bide.core.service

---What a worker tells its supervisor, and learns from it. Without a supervisor, its functions do nothing.
---@class bide.core.service
local service = {}

---Sets the memory that both share.
---@param page lightuserdata which the program has set as "bide.service" in package.loaded
function service.open(page) end

---From now on, the end of this process is an accident of that worker: another process follows it.
---@param worker integer
function service.serve(worker) end

---From now on, the end of this process is that of the command.
function service.leave() end

---Returns how the process before this one ended, unless that was settled.
---@return integer? worker nil if there was no accident
---@return integer? wait whose code was running
---@return string? how "by signal 11 (Segmentation fault)", "with exit code 3"
function service.accident() end

---Forgets the accident, since the store knows of it.
function service.settle() end

return service
