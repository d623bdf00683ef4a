---`--exit-code NAME=N`: the exit code of an outcome that has a name, as with
---`--exit-code Complete=0 --exit-code Failed=1`. Any code is the user's to give, those that bide
---itself uses included: who gives one knows what is then told apart by it, and what no more.

local nearest = require "bide.nearest"
local parser = require "bide.cli.parser"

local M = {}

local function read(text)
  local name, number = text:match("^([^=]+)=(%d+)$")
  local code = tonumber(number)
  if code and code <= 255 then return { name = name, code = code } end
  return nil, ("--exit-code: found %q, wanted NAME=N with N from 0 to 255"):format(text)
end

---@param command table
function M.add_option(command)
  command:option("--exit-code", "Exit with N where the acceptor that ended the wait is called NAME. May be given "
    .. "many times."):argname("NAME=N"):count("*"):convert(read)
end

local function refuse(waiter, name, names)
  local near = nearest(name, names)
  parser.fail(("--exit-code: no acceptor that ends %s is called %q; %s"):format(waiter.name, name,
    near and ("did you mean %q?"):format(near) or #names > 0 and "they are called " .. table.concat(names, ", ")
    or "none of them has a name"))
end

---@param options table of the command line
---@param waiter bide.Waiter
---@return table<string, integer>? codes by name; nil where none is given
function M.of(options, waiter)
  if #options.exit_code == 0 then return nil end
  local names, known = waiter:outcome_names()
  local codes = {}
  for _, given in ipairs(options.exit_code) do
    if not known[given.name] then refuse(waiter, given.name, names) end
    if codes[given.name] then parser.fail(("--exit-code: %s is given twice"):format(given.name)) end
    codes[given.name] = given.code
  end
  return codes
end

return M
