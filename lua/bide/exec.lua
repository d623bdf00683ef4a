---Runs a program and waits until it has ended, while other tasks continue.
---
---    local exec = require "bide.exec"
---    local done = exec({ "kubectl", "get", "pod", "web", "-o", "json" }, { timeout = 10 })
---    if done.code ~= 0 then error { type = "PodNotRead", message = done.stderr } end
---    return done:json()
---
---The program is run without a shell, unless `shell = true` is given; then the command is a string.
---
---The program leads a process group of its own, without a terminal. When the call ends, for whatever reason (the program
---ended, a limit was exceeded, the wait was cut or cancelled), the rest of the group gets TERM, and KILL shortly after.
---If bide itself is killed, its supervisor, a child process, kills the group. A program that should outlive the call
---leaves the group, as setsid(1) does. The program has the standard descriptors and no others.
---
---Returns the result of a program that ran, whatever its exit code. Raises these operation errors:
---
---    ProgramNotFound    the program, or the interpreter that it names, does not exist
---    PermissionDenied   the program, or the folder to run it in, may not be used
---    NotFound           the folder `cwd` does not exist
---    ExecTimeout        it did not end within `timeout`
---    OutputTooLarge     it wrote more than `output_limit` to standard output or error
---    InvalidCommand     the command, the folder or a variable contains a NUL byte
---    ExecFailed         the system could not start it for another reason

local core = require "bide.core"
local duration = require "bide.text.duration"
local operation = require "bide.probe.asking.operation"
local option = require "bide.text.option"
local answer = require "bide.probe.asking.answer"
local own_error = require "bide.text.own_error"
local running = require "bide.probe.exec.running"
local shortage = require "bide.task.shortage"
local tables = require "bide.text.tables"
local uv = require "luv"

---Its function in `bide`.
---@class bide
---@field exec fun(command: string[]|string, options: bide.exec.Options?): bide.exec.Result

local loop, task = core.loop, core.task

-- ---- what to run -----------------------------------------------------------------------------

local MEBIBYTE = 1024 * 1024

local kinds = option.kinds

local kind_of = {
  shell = kinds.flag, stdin = kinds.text, env = kinds.table, cwd = kinds.text,
  timeout = kinds.seconds, output_limit = kinds.size,
}

---Splits a table into its list, which is the command, and the options beside that.
local function split(command, options)
  local list, named = {}, tables.merged(options)
  if type(command) == "string" then return { command }, named end
  for name, value in pairs(command) do
    if math.type(name) == "integer" then list[name] = value else named[name] = value end
  end
  return list, named
end

local function check_command(list, is_shell, given)
  if #list == 0 then return "command: expected a list of strings, the program first, found an empty list" end
  for position, word in pairs(list) do
    if type(word) ~= "string" or position < 1 or position > #list then
      return ("command[%d]: %s"):format(position, option.expected("a list of strings", word))
    end
  end
  if is_shell and #list > 1 then return ("command: expected one string, since shell is set, found %d"):format(#list) end
  if not is_shell and type(given) == "string" then
    return "command: expected a list of strings, found a string, for which shell = true has to be set"
  end
end

local function check_environment(env)
  for name, value in pairs(env) do
    if type(name) ~= "string" or name == "" or name:find("=", 1, true) then
      return "env: " .. option.expected("names that are strings without \"=\"", name)
    end
    if type(value) ~= "string" and type(value) ~= "number" and value ~= false then
      return ("env.%s: %s"):format(name, option.expected("a string, a number or false", value))
    end
  end
end

---Returns the environment of bide with changes; false removes a name.
local function environment(added)
  if not added then return nil end
  local list = {}
  for name, value in pairs(tables.merged(uv.os_environ(), added)) do
    if value then list[#list + 1] = ("%s=%s"):format(name, value) end
  end
  return list
end

local function prepare(list, options)
  if options.shell then list = { "/bin/sh", "-c", list[1] } end
  return {
    program = list[1], arguments = table.move(list, 2, #list, 1, {}),
    stdin = options.stdin, environment = environment(options.env), directory = options.cwd,
    timeout = duration.of_seconds(options.timeout), seconds = options.timeout,
    output_limit = math.tointeger(options.output_limit or MEBIBYTE),
  }
end

---Returns the prepared command, or nil and the mistake.
---@param command string[]|string
---@param options? bide.exec.Options
---@return table?
---@return string? mistake
local function read(command, options)
  if type(command) ~= "table" and type(command) ~= "string" then
    return nil, "command: " .. option.expected("a list of strings", command)
  end
  if options ~= nil and type(options) ~= "table" then
    return nil, option.check(options, kind_of)
  end
  local list, named = split(command, options)
  local mistake = option.check(named, kind_of) or check_command(list, named.shell, command)
    or check_environment(named.env or {})
  if mistake then return nil, mistake end
  return prepare(list, named)
end

-- ---- running it -----------------------------------------------------------------------------

---Unknown options and wrong types raise. They may also be in the table of the command.
---@class bide.exec.Options
---@field shell? boolean the command is a string for /bin/sh
---@field stdin? string the input of the program; empty by default
---@field env? table<string, string|number|false> changes to the environment; false removes a name
---@field cwd? string the folder to run in
---@field timeout? number seconds, and at most the time left to a wait
---@field output_limit? integer bytes of standard output, and of standard error; 1 MiB by default

---The result of a program that ran.
---@class bide.exec.Result
---@field code integer the exit code, or 128 plus the number of the signal that ended it
---@field signal? integer the signal that ended it
---@field stdout string
---@field stderr string
local Result = {}
Result.__index = Result

---Reads the output of the program as JSON. Raises the operation error InvalidOutput. If the program has succeeded, that is no
---failure of it.
---@return any
function Result:json()
  local value, mistake = answer.decode(self.stdout)
  if not mistake then return value end
  local failure = { type = "InvalidOutput", message = "the output is not JSON: " .. tostring(mistake) }
  error(self.code == 0 and own_error.mark(failure) or failure, 0)
end

---Returns the JSON that the program printed, which Lua has not read.
---@return bide.Document? document
---@return bide.Failure? failure where it is not JSON
function Result:document()
  return answer.read(self.stdout)
end

---Returns the output of an attempt: the JSON that the program printed; {} if it printed none, in which conditions
---find no answer.
---@return any
function Result:output()
  return self:document() or operation.unread(operation.NO_JSON)
end

local function fail(kind, format, ...)
  error({ type = kind, message = format:format(...) }, 0)
end

local types = { ENOENT = "ProgramNotFound", EACCES = "PermissionDenied", EPERM = "PermissionDenied" }

---Raises the error of a program that did not run, which answers nothing, whatever its type. Finds out whether the folder is
---missing, which the system reports as a missing program.
local function fail_to_start(prepared, failure)
  local directory = prepared.directory
  local code, words = failure:match("^(%u%w*): (.*)$")
  local kind, where = types[code] or "ExecFailed", ""
  if directory and not uv.fs_stat(directory) then
    kind, where, words = "NotFound", " in " .. directory, "no such folder"
  end
  error(own_error.mark { type = kind, message = ("cannot run %s%s: %s"):format(prepared.program, where, words or failure) },
    0)
end

local function check_bytes(prepared)
  local texts = table.pack(prepared.program, prepared.directory or "", table.unpack(prepared.arguments))
  tables.append(texts, prepared.environment)
  for _, text in ipairs(texts) do
    if text:find("\0", 1, true) then
      fail("InvalidCommand", "cannot run %s: there is a NUL byte in its arguments, environment or folder",
        prepared.program:gsub("%z.*", ""))
    end
  end
end

---@param program bide.exec.Running
---@return bide.exec.Result
local function result_of(program)
  local prepared = program.prepared
  if program.too_large then
    fail("OutputTooLarge", "%s wrote more than %d bytes to %s", prepared.program, prepared.output_limit,
      program.too_large == "stdout" and "standard output" or "standard error")
  end
  if not program.code then
    fail("ExecTimeout", "%s did not end within %s", prepared.program, duration.format(prepared.timeout))
  end
  local signal = program.signal ~= 0 and program.signal or nil
  return setmetatable({
    code = signal and 128 + signal or program.code, signal = signal,
    stdout = program:text "stdout", stderr = program:text "stderr",
  }, Result)
end

---@return bide.exec.Result?
---@return string? failure why it was not started
local function try(prepared)
  local waker = task.waker()
  local program <close> = running.new(prepared, waker)
  local alarm <close> = loop.alarm(waker)
  loop.update()
  if prepared.timeout then alarm:start(loop.now() + prepared.timeout) end
  program:start()
  task.pause(waker)
  if program.failure then return nil, program.failure end
  return result_of(program)
end

local function run(prepared)
  check_bytes(prepared)
  local result, failure = shortage.wait_out(try, prepared)
  if not result then fail_to_start(prepared, failure) end
  return result
end

---@param command string[]|string the program and its arguments; with `shell` a line of the shell
---@param given? bide.exec.Options
---@return bide.exec.Result
return function(command, given)
  local prepared, mistake = read(command, given)
  if not prepared then error("bide.exec: " .. mistake, 2) end
  return run(prepared)
end
