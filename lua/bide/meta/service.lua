---@meta bide.core.service

---Reports a worker to its supervisor, and how the one before it ended. Without a supervisor, its functions do nothing.
---@class bide.core.service
local service = {}

---Takes the memory that both share out of package.loaded, where the program has set it.
function service.open() end

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
