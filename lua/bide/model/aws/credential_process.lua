---Runs the credential_process of a profile, a program that prints keys. No message shows what it printed, on standard
---error neither, since it deals in secrets.

local exec = require "bide.exec"
local identity = require "bide.model.aws.identity"
local script_error = require "bide.text.script_error"

local M = {}

---A program may ask the user for a code, but not for ever.
local TIMEOUT = 60 -- seconds

local OUTPUT_LIMIT = 256 * 1024

---Returns the name of the program for messages: its arguments, and variables before it, may be secrets. Of a line with
---quotes, or whatever else only a shell reads, no word is taken for the name.
---@param command string
---@return string
function M.name_of(command)
  for word in command:gmatch "%S+" do
    if word:find "^[%w_./~+@:-]+$" then return word end
    if not word:find "^[%w_]+=[%w_./~+@:,=-]*;?$" then break end
  end
  return "a program"
end

---@return bide.exec.Result?
---@return string? mistake
local function run(command)
  local ok, done = pcall(exec, command, { shell = true, timeout = TIMEOUT, output_limit = OUTPUT_LIMIT })
  if ok then return done end
  script_error.pass_out_of_memory(done)
  if not script_error.is_operation_error(done) then error(done, 0) end
  return nil, ({
    ExecTimeout = ("did not end within %d s"):format(TIMEOUT),
    OutputTooLarge = ("printed more than %d KiB"):format(OUTPUT_LIMIT // 1024),
  })[done.type] or "cannot be run: " .. done.type
end

---@param command string a line of the shell
---@param source string for messages
---@return bide.aws.Identity?
---@return string? mistake
function M.run(command, source)
  local done, mistake = run(command)
  if not done then return nil, ("%s %s"):format(source, mistake) end
  local object
  object, mistake = identity.decode(done.stdout)
  local found, wrong
  if object then found, wrong = identity.of_object(object, source) end -- whose secrets no message below has
  if done.code ~= 0 then
    return nil, ("%s ended with the exit code %d; run it to see why"):format(source, done.code)
  elseif not object then
    return nil, ("%s: on standard output: %s"):format(source, mistake)
  elseif object.Version ~= 1 then
    return nil, ("%s: expected the Version 1 in what it printed"):format(source)
  end
  return found, wrong
end

return M
