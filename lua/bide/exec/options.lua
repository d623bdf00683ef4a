---Reads what a script gave to bide.exec: what to run, and how.

local duration = require "bide.duration"
local option = require "bide.option"
local uv = require "luv"

local M = {}

local MEBIBYTE = 1024 * 1024

local kinds = option.kinds

local kind_of = {
  shell = kinds.flag, stdin = kinds.text, env = kinds.table, cwd = kinds.text,
  timeout = kinds.seconds, output_limit = kinds.size,
}

---Splits a table into its list, which is the command, and the options that stand beside it.
local function split(command, options)
  local list, named = {}, {}
  for name, value in pairs(options or {}) do named[name] = value end
  if type(command) == "string" then return { command }, named end
  for name, value in pairs(command) do
    if math.type(name) == "integer" then list[name] = value else named[name] = value end
  end
  return list, named
end

local function check_command(list, is_shell, given)
  if #list == 0 then return "the command must be a list of strings, the program first" end
  for position, word in pairs(list) do
    if type(word) ~= "string" or position < 1 or position > #list then
      return ("the command must be a list of strings, and has %s at [%d]")
        :format(option.describe(word), position)
    end
  end
  if is_shell and #list > 1 then return "with the option 'shell' the command must be one string" end
  if not is_shell and type(given) == "string" then
    return "the command must be a list of strings; a string is for the option 'shell'"
  end
end

local function check_environment(env)
  for name, value in pairs(env) do
    if type(name) ~= "string" or name == "" or name:find("=", 1, true) then
      return "the names in the option 'env' must be strings without '='"
    end
    if type(value) ~= "string" and type(value) ~= "number" and value ~= false then
      return ("the option 'env.%s' must be a string, a number or false, and is %s")
        :format(name, option.describe(value))
    end
  end
end

---The environment of bide with what is added to it; false takes a name out.
local function environment(added)
  if not added then return nil end
  local variables, list = uv.os_environ(), {}
  for name, value in pairs(added) do variables[name] = value end
  for name, value in pairs(variables) do
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

---Returns what is to be run, or nil and the mistake.
---@param command string[]|string
---@param options? bide.exec.Options
---@return table?
---@return string? mistake
function M.read(command, options)
  if type(command) ~= "table" and type(command) ~= "string" then
    return nil, "the command must be a list of strings, and is " .. option.describe(command)
  end
  if options ~= nil and type(options) ~= "table" then
    return nil, "the options must be a table, and are " .. option.describe(options)
  end
  local list, named = split(command, options)
  local mistake = option.check(named, kind_of) or check_command(list, named.shell, command)
    or check_environment(named.env or {})
  if mistake then return nil, mistake end
  return prepare(list, named)
end

return M
