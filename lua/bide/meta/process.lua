---@meta bide.core.process

---@class bide.core.process
local process = {}

---Runs a program in place of this process; returns only where it cannot be run.
---@param arguments string[] the program, looked up in PATH, and its arguments
---@return string message what the system says
function process.execute(arguments) end

---Ends the process without closing anything; what was written so far is flushed.
---@param code integer
function process.leave(code) end

---Writes what stands in the buffer of standard output.
---@param ever boolean? whether an earlier failure counts as well
---@return boolean? written
---@return string? message
---@return integer? code
function process.flush_output(ever) end

---@type integer the code of a write to a pipe that its reader has closed
process.EPIPE = nil

---Creates a file, or empties it, to write to; no program that is started inherits it.
---@param name string
---@return file*? file
---@return string? message
---@return integer? code
function process.create_file(name) end

---Lets a file end at a length.
---@param file file*
---@param length integer
---@return boolean truncated false for a pipe or a device
function process.truncate(file, length) end

---What is to be done before a process is started: it gets descriptors 0, 1 and 2 and no others, and where there is
---a supervisor it does not outlive this process even before its group is known.
function process.prepare_child() end

---Says that this process is bide's own, which may have a supervisor for the programs that it starts.
function process.declare_program() end

---Makes room for process groups, and starts the supervisor that ends them with bide, where there is none yet.
---@return true?
---@return string? message what the system says
function process.open_groups() end

---Ends the supervisor, before the process ends or becomes another program.
function process.dismiss_supervisor() end

---Adds a process group to those that are killed when this process ends, however it ends.
---@param leader integer the process id of its leader
function process.add_group(leader) end

---Removes it, once none of its members is left.
---@param leader integer
function process.remove_group(leader) end

---Returns the size of a terminal, asked anew at each call.
---@param descriptor integer
---@return integer? columns nil if it is not a terminal, or one that does not know its size
---@return integer? rows
function process.window(descriptor) end

return process
