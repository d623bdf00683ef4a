---Acceptors from the command line: `--until "state=done" --fail "state=failed" --retry-on NotFound`. They come before
---those of the waiter, of which --until replaces the ones for success.

local core = require "bide.core"
local evidence = require "bide.outcome.evidence"
local error_class = require "bide.error_class"
local matchers = require "bide.recipe.matchers"
local parser = require "bide.cli.parser"
local secret = require "bide.secret"
local shown = require "bide.shown"
local waiter_module = require "bide.waiter"

local M = {}

---@param command table
function M.add_options(command)
  command:begin_section "Acceptors"
  command:option("--until", "Succeed when EXPRESSION is true: a JMESPath over the output. EXPRESSION=TEXT succeeds when "
    .. "its value is TEXT. Replaces the waiter's acceptors for success. May be repeated."):argname("EXPRESSION"):count("*")
  command:option("--fail", "Fail when EXPRESSION is true; EXPRESSION=TEXT as for --until. May be repeated.")
    :argname("EXPRESSION"):count("*")
  command:option("--fail-message", "With --fail: report the value of EXPRESSION as the reason."):argname("EXPRESSION")
  command:option("--retry-on", "Try again after errors of TYPE. May be repeated."):argname("TYPE"):count("*")
end

---@param command table
function M.add_invert(command)
  command:begin_section "Acceptors"
  command:flag("--invert", "Wait for the opposite: PortClosed for PortOpen. bide list shows which waiters have one.")
end

---Returns the opposite of a waiter; ends the process if it has none, or if --until says already what succeeds.
---@param options table of the command line
---@param recipe bide.Recipe
---@param waiter bide.Waiter
---@return bide.Waiter
function M.invert(options, recipe, waiter)
  if options["until"][1] then
    parser.fail "--invert and --until exclude each other: give --until the opposite condition, and no --invert"
  end
  if waiter.opposite then return recipe.waiters[waiter.opposite] end
  local names = {}
  for _, name in ipairs(recipe.names) do
    if recipe.waiters[name].opposite then names[#names + 1] = name end
  end
  parser.fail(("--invert: %s has no opposite; %s"):format(waiter.name,
    #names > 0 and "waiters that have one: " .. table.concat(names, ", ") or "no waiter of this recipe has one"))
end

-- ---- EXPRESSION and EXPRESSION=TEXT ------------------------------------------------------------

---Returns the position after the quoted text that begins at `at`.
local function after_quotes(text, at)
  local quote = text:sub(at, at)
  at = at + 1
  while at <= #text do
    local byte = text:sub(at, at)
    if byte == quote then return at + 1 end
    at = at + (byte == "\\" and 2 or 1)
  end
  return at
end

---Finds the first "=" outside quotes, backticks and brackets that is not part of ==, !=, <= or >=.
---@param text string
---@return integer? position
local function find_single_equals(text)
  local at, depth = 1, 0
  while at <= #text do
    local byte, pair = text:sub(at, at), text:match("^[=!<>]=", at)
    if byte:find "['\"`]" then
      at = after_quotes(text, at)
    elseif pair then
      at = at + 2
    else
      if byte == "=" and depth == 0 then return at end
      if byte:find "[%(%[{]" then depth = depth + 1 elseif byte:find "[%)%]}]" then depth = math.max(depth - 1, 0) end
      at = at + 1
    end
  end
end

---@param text string
---@return { path: string, text: string? }? expect of a matcher
---@return string? mistake with a caret below the place
local function read_condition(text)
  local expression, mistake = core.jmespath.compile(text)
  if expression then return { path = text } end
  local at = find_single_equals(text)
  if not at then return nil, tostring(mistake) end
  local path = text:sub(1, at - 1)
  if not path:find "%S" then
    return nil, ("syntax: found no expression before '='\n  %s\n  %s^"):format(text, path)
  end
  expression, mistake = core.jmespath.compile(path)
  if not expression then return nil, tostring(mistake) end
  return { path = path, text = text:sub(at + 1) }
end

-- ---- the acceptors -----------------------------------------------------------------------------

---Returns the option as outcomes show it. The text of a secret member is a secret.
local function describe(option, text, expect)
  if expect and expect.text and not secret.are_shown and evidence.is_secret(expect.path) then
    text = expect.path .. "=[redacted]"
  end
  return ("%s %s"):format(option, shown.quote(text))
end

---@return bide.AcceptorStructure[]? acceptors
---@return string? mistake
local function conditions(option, state, texts, message)
  local acceptors = {}
  for position, text in ipairs(texts) do
    local expect, mistake = read_condition(text)
    if not expect then return nil, ("%s: %s"):format(option, mistake) end
    acceptors[position] = {
      state = state, matcher = { expect = expect }, message = message, option = describe(option, text, expect),
    }
  end
  return acceptors
end

local function failures(options)
  local message = options.fail_message
  if message then
    if #options.fail == 0 then return nil, "--fail-message needs --fail" end
    local _, mistake = core.jmespath.compile(message)
    if mistake then return nil, "--fail-message: " .. tostring(mistake) end
  end
  return conditions("--fail", "failure", options.fail, message)
end

local function retries(options)
  local acceptors = {}
  for position, name in ipairs(options.retry_on) do
    if name == "" then return nil, '--retry-on: expected the type of an error, found ""' end
    local renamed = error_class.renamed[core.wait.error_name(name)]
    if renamed then shown.warn(("--retry-on: the error type %s is called %s now"):format(name, renamed)) end
    acceptors[position] = {
      state = "retry", matcher = { errorType = name }, option = describe("--retry-on", name),
    }
  end
  return acceptors
end

---Adds the waiter's own acceptors; those for success only if no --until replaces them.
local function add_own(acceptors, waiter, options)
  for _, acceptor in ipairs(waiter.acceptors) do
    if #options["until"] == 0 or acceptor.state ~= "success" then acceptors[#acceptors + 1] = acceptor end
  end
  return acceptors
end

---Returns the waiter with the acceptors that the options give.
---@param options { until: string[], fail: string[], fail_message: string?, retry_on: string[] }
---@param waiter bide.Waiter
---@return bide.Waiter? waiter the same one if the options give none
---@return string? mistake of one line, or of several that bide wrote
function M.derive(options, waiter)
  local failing, mistake = failures(options)
  if not failing then return nil, mistake end
  local succeeding, retrying
  succeeding, mistake = conditions("--until", "success", options["until"])
  if not succeeding then return nil, mistake end
  retrying, mistake = retries(options)
  if not retrying then return nil, mistake end
  local acceptors = {}
  for _, list in ipairs { failing, succeeding, retrying } do table.move(list, 1, #list, #acceptors + 1, acceptors) end
  if #acceptors == 0 then return waiter end
  local derived = waiter_module.with_acceptors(waiter, add_own(acceptors, waiter, options))
  if #succeeding > 0 then derived.of_operation = { own_success = false } end
  return derived
end

---Does the same; ends the process if there is a mistake.
---@param options table of the command line
---@param waiter bide.Waiter
---@return bide.Waiter
function M.apply(options, waiter)
  local derived, mistake = M.derive(options, waiter)
  if not derived then parser.fail_in_lines(mistake) end
  return derived
end

---Returns a line for each acceptor, with its position as outcomes count it.
---@param waiter bide.Waiter
---@return string[]
function M.lines(waiter)
  local lines = {}
  for position, acceptor in ipairs(waiter.acceptors) do
    lines[position] = ("acceptor %d: %-7s  %s"):format(position, acceptor.state, matchers.words(acceptor))
  end
  return lines
end

return M
