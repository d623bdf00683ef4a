---What people see: standard error, and standard output where it is not JSON. The only module that
---writes there. What it is given is one line and commands no terminal, wherever it came from; a
---text whose line breaks are bide's own says so by the name of the function.

local core = require "bide.core"

local process, text = core.process, core.text

---What bide complains of has no secrets in it.
local function without_secrets(message)
  return require("bide.secret").text(message)
end

local M = {}

---A text as one line, its control characters escaped; more than 4 KiB is cut.
M.line = text.line

---The same for a text whose line breaks are bide's own.
M.lines = text.lines

---A text in quotes.
---@param value string
---@return string
function M.quote(value)
  return '"' .. text.line(value) .. '"'
end

---A message with its traceback: the message is one line, each frame another. What else breaks a line in
---it came from a script.
---@param message string
---@param traceback string that begins with the message
---@return string
function M.traceback(message, traceback)
  if traceback:sub(1, #message) ~= message then return text.line(traceback) end
  local lines = { text.line(message) }
  for line in traceback:sub(#message + 1):gmatch("[^\n]+") do
    local is_own = line:find "^\t" or line == "stack traceback:"
    if is_own then lines[#lines + 1] = text.lines(line) else lines[#lines] = lines[#lines] .. text.line("\n" .. line) end
  end
  return table.concat(lines, "\n")
end

-- ---- standard error --------------------------------------------------------------------

---What is wrong, in one line.
---@param message string
function M.complain(message)
  io.stderr:write("bide: ", text.line(without_secrets(message)), "\n")
end

---What is wrong, in lines that bide has made.
---@param message string
function M.complain_in_lines(message)
  io.stderr:write("bide: ", text.lines(without_secrets(message)), "\n")
end

---@param message string
function M.warn(message)
  M.complain("warning: " .. message)
end

---A line of progress, or of what a recipe prints.
---@param line string
function M.note(line)
  io.stderr:write(text.line(line), "\n")
end

---The same in lines that bide has made.
---@param lines string
function M.note_in_lines(lines)
  io.stderr:write(text.lines(lines), "\n")
end

---Draws the live line of a terminal anew. One that wrapped could not be redrawn, so the terminal is told
---to cut it at its edge.
---@param line string
function M.draw(line)
  io.stderr:write("\r\27[K\27[?7l", text.line(line), "\27[?7h")
  io.stderr:flush()
end

---Takes the live line away.
function M.erase()
  io.stderr:write("\r\27[K")
end

---`print` for recipes: what they say is no part of the outcome, which has standard output for itself.
function M.print_aside(...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = text.line(tostring(words[position])) end
  io.stderr:write(table.concat(words, "\t"), "\n")
end

-- ---- standard output -------------------------------------------------------------------

---Whether something could not be written, which is reported once. A reader that has closed its pipe wants no more, and
---is no reason for a message.
local is_broken = false

local name_of_output = "standard output"

---Names what is printed from here on, for the message where it cannot be written.
---@param name string
function M.name_output(name)
  name_of_output = name
end

local function note(written, mistake, code)
  if written then return end
  if not is_broken and code ~= process.EPIPE then M.complain(name_of_output .. " cannot be written: " .. mistake) end
  is_broken = true
end

local function write(...)
  note(io.stdout:write(...))
  return M.flush()
end

---Writes what was printed so far.
---@param by_script? boolean whether a script printed as well, past this module
---@return boolean written whether all of it could be written
function M.flush(by_script)
  note(process.flush_output(by_script))
  return not is_broken
end

---Prints lines, each of them one whatever is in it.
---@param ... string
---@return boolean written
function M.print(...)
  local lines = { ... }
  for position, line in ipairs(lines) do lines[position] = text.line(line) end
  return write(table.concat(lines, "\n"), "\n")
end

local function print_words(as_shown, ...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = as_shown(tostring(words[position])) end
  write(table.concat(words, "\t"), "\n")
end

---`print` for a `bide exec` script, whose words are its own.
function M.print_of_script(...)
  print_words(function(word) return word end, ...)
end

---The same for a sandboxed script: its words command nothing.
function M.print_of_sandboxed_script(...)
  print_words(text.lines, ...)
end

---Prints JSON that was written for people, or a text that bide has made as a whole.
---@param ... string
---@return boolean written
function M.print_document(...)
  return write(...)
end

return M
