---@meta bide.core.process

---@class bide.core.process
local process = {}

---Runs a program in place of this process; returns only if it cannot be run.
---@param arguments string[] the program, looked up in PATH, and its arguments
---@return string message the words of the system
function process.execute(arguments) end

---Ends the process without closing anything, after flushing standard output.
---@param code integer
function process.leave(code) end

---Writes to a descriptor, or to a file without a buffer. Stops where its reader has taken nothing for some milliseconds, or
---where a signal comes while nothing is taken.
---@param descriptor integer|file*
---@param text string
---@param patience? integer milliseconds; without it, the reader may take its time
---@return integer? written the number of bytes
---@return string? mistake
---@return integer? code
function process.write(descriptor, text, patience) end

---Flushes standard output.
---@param ever boolean? whether an earlier failure counts as well
---@return boolean? written
---@return string? message
---@return integer? code
function process.flush_output(ever) end

---@type integer the code of a write to a pipe that its reader has closed
process.EPIPE = nil

---@type integer the code of a process that does not exist
process.ESRCH = nil

---Opens a process, of any user: its descriptor can be read from once it has ended, even if no process has collected it.
---Programs that are started do not inherit it.
---@param pid integer
---@return integer? descriptor
---@return string? message
---@return integer? code ESRCH if there is no such process; any other if the system cannot open it
function process.open_process(pid) end

---Reports whether a process that was opened has ended, though the loop may not have noticed it yet.
---@param descriptor integer of open_process
---@return boolean
function process.has_ended(descriptor) end

---Returns how a child ended that the loop has not collected yet.
---@param pid integer
---@return integer|"collected"|nil code nil while it runs; "collected" if the loop has just done so, and will say how it ended
---@return integer? signal 0 if none ended it
function process.end_of_child(pid) end

---Opens a file to write to, created or emptied. Programs that are started do not inherit it.
---@param name string
---@return file*? file
---@return string? message
---@return integer? code
function process.create_file(name) end

---Truncates a file.
---@param file file*
---@param length integer
---@return boolean truncated false for a pipe or a device
function process.truncate(file, length) end

---@param signal integer
---@return boolean ignored whether this process ignores it
function process.ignores(signal) end

---Prepares the start of a program: it gets descriptors 0, 1 and 2 and no others, and if there is a supervisor, it ends
---with this process even before its group is added.
---@param role "member"|"leader"|"gentle" whether it stays in the group of this process, or leads its own or the gentle one
function process.prepare_child(role) end

---Marks this process as the bide program, whose supervisor is its child.
---@param limit integer of descriptors, for those programs
function process.declare_program(limit) end

---@return integer limit the number of descriptors that this process may have
function process.descriptor_limit() end

---Reports whether the system refuses to open that number of descriptors.
---@param count integer
---@return "EMFILE"|"ENFILE"|nil limit the limit that is reached
function process.lacks_descriptors(count) end

---Makes room for process groups, and starts the supervisor that ends them with bide, unless it is running.
---@return true?
---@return string? message the words of the system
function process.open_groups() end

---Ends the supervisor, before the process ends or becomes another program.
function process.dismiss_supervisor() end

---Kills a process group and collects its leader, without the loop.
---@param leader integer the process id of its leader
function process.kill_group(leader) end

---Adds the process group of a child to those that are killed when this process ends, however it ends. The child has
---entered itself as newborn, which this ends.
---@param leader integer? the process id of its leader; nil if it could not be started
function process.add_group(leader) end

---Removes a process group of which no member is left.
---@param leader integer
function process.remove_group(leader) end

---Sets the one group that gets TERM when this process ends, however it ends, and KILL 10 s later.
---@param leader integer? its process id; nil once no member is left
function process.set_gentle_group(leader) end

---Returns the size of a terminal, asked anew at each call.
---@param descriptor integer
---@return integer? columns nil if it is not a terminal, or one that does not know its size
---@return integer? rows
function process.window(descriptor) end

return process
