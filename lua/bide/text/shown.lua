---Writes everything that people see: standard error, and standard output unless it is JSON. No other module writes there.
---A text is escaped to one line that cannot control a terminal, wherever it came from. Functions for texts of several
---lines have that in their name; the line breaks must be bide's own.

local core = require "bide.core"

local process, text = core.process, core.text

---Returns a message with its secrets hidden.
local function without_secrets(message)
  return require("bide.text.secret").text(message)
end

local M = {}

---Returns a text as one line, with its control characters escaped; cuts it after 4 KiB.
M.line = text.line

---Escapes and cuts a text as `line` does, but keeps its line breaks, which are bide's own.
M.lines = text.lines

---Returns a word as a shell takes it, in quotes where it needs them.
---@param word string
---@return string
function M.word(word)
  return word:find "[^%w_./:=@,…+-]" and "'" .. word:gsub("'", "'\\''") .. "'" or word
end

---Returns a text in quotes, escaped.
---@param value string
---@return string
function M.quote(value)
  return '"' .. text.line(value) .. '"'
end

---Escapes a message and its traceback: the message becomes one line, and each frame another. Any other line break came
---from a script.
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

-- ---- workflows of GitHub ---------------------------------------------------------------

---True if the output is the log of a GitHub workflow, whose runner takes some lines as its commands.
M.is_in_workflow = os.getenv "GITHUB_ACTIONS" == "true"

---Escapes what the runner would take as a command: "::" at the beginning of a line, after blanks of any kind, and "##["
---anywhere.
local function guard(line)
  return (line:gsub("^([%s\128-\255]*):(:)", "%1\\x3A%2"):gsub("##%[", "#\\x23["))
end

---@param texts string lines that are already escaped for a terminal
local function guarded(texts)
  return M.is_in_workflow and texts:gsub("[^\n]+", guard) or texts
end

---Escapes the same in JSON, which no line of begins with "::".
---@param document string
---@return string
function M.json(document)
  return M.is_in_workflow and document:gsub("##%[", "#\\u0023[") or document
end

---Escapes the data of a command, or with `others` the value of one of its properties.
local function for_command(value, others)
  return (text.line(value):gsub("##%[", "#\\x23["):gsub("[%%" .. (others or "") .. "]", function(character)
    return ("%%%02X"):format(character:byte())
  end))
end

-- ---- standard error --------------------------------------------------------------------

---True while lines of progress are drawn on the terminal. The cursor is then at the beginning of the first, so that
---everything from there on is theirs, however the terminal wraps them when its size changes.
local is_drawn = false

---The text that a slow reader of standard error has not taken yet. While waits run bide does not wait for a reader:
---deadlines and signals come first. So progress is left out meanwhile, and other lines are kept for the next time.
local unread = ""

---The most bytes that are kept.
local MOST_UNREAD = 64 * 1024

---The milliseconds for which the end of bide waits for a reader that takes nothing, once.
local PATIENCE = 1000

---The milliseconds after which a slow reader of standard output is looked at again.
local STEP = 5

local is_impatient = false

---@param texts string
---@param is_kept boolean whether it is kept if there is no room for it now
---@param patience? integer milliseconds, none by default
---@return boolean? written
---@return string? mistake
---@return integer? code
local function put(texts, is_kept, patience)
  local all = unread .. texts -- in one piece, since others may write there
  local count, mistake, code = process.write(2, all, not is_impatient and patience or 0)
  if not count then
    unread = ""
    return nil, mistake, code
  end
  local is_begun = count > #unread
  local rest = (is_begun or is_kept) and all:sub(count + 1) or unread:sub(count + 1)
  unread = #rest <= MOST_UNREAD and rest or unread:sub(count + 1)
  is_impatient = is_impatient or (patience ~= nil and count < #all)
  return count == #all
end

---True after a text that another program wrote and that has not ended its line.
local is_midline = false

---Returns what begins a line of bide's own: it takes the place of the drawn ones, and does not continue another program's.
local function beginning()
  local before = is_drawn and "\r\27[J" or is_midline and "\n" or ""
  is_drawn, is_midline = false, false
  return before
end

---Writes a line.
---@param texts string
---@param is_progress? boolean whether it may be left out
---@param patience? integer
---@return boolean? written
---@return string? mistake
---@return integer? code
local function say(texts, is_progress, patience)
  return put(beginning() .. texts .. "\n", not is_progress, patience)
end

---Complains, in one line.
---@param message string
function M.complain(message)
  say(guarded("bide: " .. text.line(without_secrets(message))))
end

---Complains in several lines, whose line breaks are bide's own.
---@param message string
function M.complain_in_lines(message)
  say(guarded("bide: " .. text.lines(without_secrets(message))))
end

---@param message string
function M.warn(message)
  M.complain("warning: " .. message)
end

---Writes a line of progress, or of what a recipe prints.
---@param line string
---@param style? bide.Style
---@return boolean? written
function M.note(line, style)
  return say(M.styled(guarded(text.line(line)), style), true)
end

---The lines of the outcome that were written before the end.
---@type table<string, true>
local early = {}

---Writes a line of the outcome before the end, which M.note_rest leaves out then.
---@param line string
---@param style? bide.Style
function M.note_early(line, style)
  early[line] = M.note(line, style) or nil
end

---Writes a failure before the end as an annotation of a workflow, whose runner shows it as a line.
---@param message string
---@param title string
---@param line string of the outcome, which says the same
function M.annotate(message, title, line)
  early[line] = true
  M.command("error", message, title)
end

---Writes several lines, whose line breaks are bide's own.
---@param lines string
function M.note_in_lines(lines)
  say(guarded(text.lines(lines)))
end

---Gives the runner of a workflow a command.
---@param name string "group", "endgroup" or "error"
---@param data string
---@param title? string
function M.command(name, data, title)
  local properties = title and " title=" .. for_command(title, ":,") or ""
  say(("::%s%s::%s"):format(name, properties, for_command(data)))
end

---True while a group of lines is open in the log of a workflow.
local has_group = false

---Begins a group of lines in the log of a workflow, unless one is open. Elsewhere it does nothing.
---@param title string
function M.begin_group(title)
  if M.is_in_workflow and not has_group then M.command("group", title) end
  has_group = M.is_in_workflow
end

---Ends the group, if one is open.
function M.end_group()
  if has_group then M.command("endgroup", "") end
  has_group = false
end

-- ---- the terminal ----------------------------------------------------------------------

---@alias bide.Style "succeeded"|"failed"

---A part of a line.
---@class bide.Span
---@field [1] string
---@field style? bide.Style

local RESET = "\27[0m"
local colours = { succeeded = "\27[32m", failed = "\27[31m" }

local function is_terminal(descriptor)
  return os.getenv "TERM" ~= "dumb" and require("luv").guess_handle(descriptor) == "tty"
end

---Reports whether standard error can redraw lines.
---@return boolean
function M.is_live()
  return not M.is_in_workflow and is_terminal(2)
end

---Reports whether a descriptor is a terminal whose user has not set NO_COLOR (no-color.org).
---@param descriptor integer
---@return boolean
function M.is_coloured(descriptor)
  local refused = os.getenv "NO_COLOR"
  return (refused == nil or refused == "") and is_terminal(descriptor)
end

---@param part string already escaped
---@param style? bide.Style
---@return string
function M.styled(part, style)
  if not style then return part end
  if M.has_colours == nil then M.has_colours = M.is_coloured(2) end
  return M.has_colours and colours[style] .. part .. RESET or part
end

---Returns the size of the terminal, which may change at any time.
---@return integer columns
---@return integer rows
function M.window()
  local columns, rows = core.process.window(2)
  return columns or 80, rows or 24
end

local function painted(line)
  local parts = {}
  for position, span in ipairs(line) do parts[position] = M.styled(text.line(span[1]), span.style) end
  return table.concat(parts) .. "\27[K"
end

---Draws lines in place of those that were drawn before. A line that wrapped would take the place of two, so the terminal
---is set to cut lines at its edge.
---@param lines bide.Span[][]
function M.draw(lines)
  local rows = {}
  for position, line in ipairs(lines) do rows[position] = painted(line) end
  local back = #rows > 1 and ("\27[%dA"):format(#rows - 1) or ""
  local start = is_midline and "\r\n" or "\r"
  local drawn = put(start .. "\27[?7l" .. table.concat(rows, "\r\n") .. "\27[J\r" .. back .. "\27[?7h", false)
  if drawn then is_drawn, is_midline = true, false end
end

---Removes the drawn lines.
function M.erase()
  if not is_drawn then return end
  put("\r\27[J", true)
  is_drawn = false
end

---Passes on what another program wrote, unchanged, as far as the reader of standard error takes it now.
---@param bytes string
---@param patience? integer milliseconds to wait for the reader, none by default
---@return integer? taken bytes; nil if standard error is broken
function M.pass(bytes, patience)
  M.erase()
  if unread ~= "" and not put("", true, patience) then return 0 end
  local count = process.write(2, bytes, patience or 0)
  if count and count > 0 then is_midline = bytes:byte(count) ~= 10 end
  return count
end

---Replaces `print` in recipes: writes to standard error, since standard output is for the outcome alone.
function M.print_aside(...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = text.line(tostring(words[position])) end
  say(guarded(table.concat(words, "\t")))
end

-- ---- standard output -------------------------------------------------------------------

---True if something could not be written, which is reported once. It is not reported if the reader has closed its pipe.
local is_broken = false

local name_of_output = "standard output"

---Names the output that follows, for the message if it cannot be written.
---@param name string
function M.name_output(name)
  name_of_output = name
end

local function check(written, mistake, code)
  if written then return end
  if not is_broken and code ~= process.EPIPE then M.complain(name_of_output .. " cannot be written: " .. mistake) end
  is_broken = true
end

---True while a task is in the middle of a text.
local is_writing = false

---Lets other tasks continue for a moment.
local function pause()
  local waker = core.task.waker()
  local alarm <close> = core.loop.alarm(waker)
  alarm:start(core.loop.update() + STEP)
  core.task.pause(waker)
end

local Writing = { __close = function() is_writing = false end }

---Writes a text at the pace of its reader, while other tasks continue.
local function write_slowly(texts)
  while is_writing do pause() end
  is_writing = true
  local _writing <close> = setmetatable({}, Writing)
  while true do
    local count, mistake, code = process.write(1, texts, 0)
    if not count or count == #texts then return count, mistake, code end
    texts = texts:sub(count + 1)
    pause()
  end
end

---Writes a text to standard output, and waits for its reader. A signal ends that: what bide does then is the signal's.
---@param may_wait boolean whether other tasks continue meanwhile, if the running code is one that may wait
local function write(texts, may_wait)
  M.erase()
  if not M.flush() then return false end
  may_wait = may_wait and core.task.current() ~= nil and not core.task.forbidden_by() and not core.task.stopping()
  local count, mistake, code
  if may_wait then count, mistake, code = write_slowly(texts) else count, mistake, code = process.write(1, texts) end
  check(count, mistake, code)
  is_broken = is_broken or not may_wait and count < #texts
  return not is_broken
end

---Flushes what was printed so far.
---@param by_script? boolean whether a script printed as well, past this module
---@return boolean written whether all of it could be written
function M.flush(by_script)
  if unread ~= "" then put("", true, PATIENCE) end
  check(process.flush_output(by_script))
  return not is_broken
end

---Reports whether standard output and standard error are one file, as with 2>&1 or on a terminal.
---@return boolean
function M.has_one_output()
  local luv = require "luv"
  local output, error_output = luv.fs_fstat(1), luv.fs_fstat(2)
  return output ~= nil and error_output ~= nil and output.dev == error_output.dev and output.ino == error_output.ino
end

---Returns the lines that M.note_early has not written.
---@param lines string[]
---@return string[]
local function rest_of(lines)
  local rest = {}
  for _, line in ipairs(lines) do
    if not early[line] then rest[#rest + 1] = line end
  end
  return rest
end

---Prints lines, but not those that the same file has already.
---@param lines string[]
---@return boolean written
function M.print_rest(lines)
  return M.print(table.unpack(next(early) and M.has_one_output() and rest_of(lines) or lines))
end

---Writes lines to standard error, but not those that M.note_early has written there.
---@param lines string[]
---@return boolean written
function M.note_rest(lines)
  for _, line in ipairs(rest_of(lines)) do
    local written, mistake, code = say(guarded(text.line(line)), false, PATIENCE)
    check(written, mistake or "its reader has read nothing for 1 s", code)
    if not written then break end
  end
  return not is_broken
end

---Returns a document of lines, of which each is escaped to one line.
---@param lines string[]
---@return string
function M.document(lines)
  local escaped = {}
  for position, line in ipairs(lines) do escaped[position] = text.line(line) .. "\n" end
  return table.concat(escaped)
end

---Prints lines, and escapes each to one line.
---@param ... string
---@return boolean written
function M.print(...)
  return write(guarded(M.document { ... }), false)
end

local function print_words(as_shown, ...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = as_shown(tostring(words[position])) end
  write(table.concat(words, "\t") .. "\n", true)
end

---Replaces `print` in a script of `bide exec`: prints its text unchanged.
function M.print_of_script(...)
  print_words(function(word) return word end, ...)
end

---Replaces `print` in a sandboxed script: escapes its text.
function M.print_of_sandboxed_script(...)
  print_words(function(word) return guarded(text.lines(word)) end, ...)
end

---Prints JSON, or a text made by bide, unchanged.
---@param ... string
---@return boolean written
function M.print_document(...)
  return write(table.concat { ... }, false)
end

return M
