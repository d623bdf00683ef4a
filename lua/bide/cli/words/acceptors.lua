---Acceptors from the command line: `--until "state=done" --fail "state=failed" --retry-on NotFound`. They come before
---those of the waiter. All --until are one acceptor, which is tried after every failure. It replaces the waiter's own
---acceptors for success, unless an input says what to wait for: then both must match.

local core = require "bide.core"
local error_names = require "bide.text.error_names"
local matchers = require "bide.recipe.waiter.matchers"
local parser = require "bide.cli.words.parser"
local possible = require "bide.recipe.expression.possible"
local secret = require "bide.text.secret"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"
local waiter_module = require "bide.wait.waiter"

local M = {}

---@param command table
function M.add_options(command)
  command:begin_section "Acceptors"
  command:option("--until", "Succeed when EXPRESSION, a JMESPath over the output, is true, or a list or an object that is "
    .. "not empty. EXPRESSION=TEXT: when its value is TEXT. Replaces the waiter's acceptors for success, but not what inputs "
    .. "ask for. May be repeated: all of them must hold in one answer. What no answer can decide is a mistake.")
    :argname("EXPRESSION"):count("*")
  command:option("--fail", "Fail when EXPRESSION is anything but false, null, empty, 0, or a text such as no; "
    .. "EXPRESSION=TEXT as for --until. May be repeated: any of them fails the wait, before --until is looked at.")
    :argname("EXPRESSION"):count("*")
  command:option("--fail-message", "With --fail: report the value of EXPRESSION as the reason."):argname("EXPRESSION")
  command:flag("--allow-missing", "Let --until hold because a member is absent, as in '!pending', even if no answer has "
    .. "had that member. Without it such a member counts as misspelt.")
  command:option("--retry-on", "Try again after errors of TYPE. May be repeated."):argname("TYPE"):count("*")
end

---Adds all that decides how a wait ends: its limits, these options, and `--invert`.
---@param command table
---@param of_max_wait? string the help of --max-wait where it may be left out
function M.add_decisions(command, of_max_wait)
  shared.add_limits(command, of_max_wait)
  M.add_options(command)
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

---Returns an expression as the options take it.
local function written(expression, wanted)
  return wanted and ("%s=%s"):format(expression, wanted) or expression
end

---Returns a mistake in a text, and what to write if it is an expression of another language.
local function explain(mistake, text)
  return require("bide.recipe.expression.foreign").explain(tostring(mistake), text, written)
end

---@param text string
---@return { path: string, text: string? }? expect of a matcher
---@return string? mistake with a caret below the place
local function read_condition(text)
  local expression, mistake = core.jmespath.compile(text)
  if expression then return { path = text } end
  local at = find_single_equals(text)
  if not at then return nil, explain(mistake, text) end
  local path = text:sub(1, at - 1)
  if not path:find "%S" then
    return nil, ("syntax: found no expression before '='\n  %s\n  %s^"):format(text, path)
  end
  expression, mistake = core.jmespath.compile(path)
  if not expression then return nil, explain(mistake, text) end
  local wanted = text:sub(at + 1)
  if not wanted:find "%S" then
    return nil, ("expected a text after %s=, found %s; write %s == '%s' to say so on purpose"):format(path,
      wanted == "" and "an empty text" or "blanks alone", path, wanted)
  end
  local is_foreign = path == "jsonpath" and wanted:find "^{"
  if is_foreign then return nil, explain("bide reads JMESPath, not JSONPath", text) end
  mistake = possible.mistake_of_text(path, wanted)
  if mistake then return nil, mistake end
  return { path = path, text = wanted }
end

-- ---- the acceptors -----------------------------------------------------------------------------

---Returns the option as outcomes show it. The text of a secret member is a secret.
local function describe(option, text, expect)
  if expect and expect.text and not secret.are_shown and secret.is_in_path(expect.path, expect.text) then
    text = expect.path .. "=[redacted]"
  end
  return ("%s %s"):format(option, shown.quote(text))
end

---Warns of a number in an expression that two different numbers of an answer may equal.
local function warn_of_large_numbers(option, tree)
  if type(tree) ~= "table" then return end
  local value = tree.type == "literal" and tree.value
  if math.type(value) == "float" and math.abs(value) >= 2.0 ^ 64 then
    shown.warn(("%s: numbers from 2^64 on are compared as doubles, so that others near %.17g equal it"):format(option, value))
  end
  for _, member in pairs(tree) do warn_of_large_numbers(option, member) end
end

---Reads the arguments of an option as one condition each.
---@return bide.AcceptorStructure[]? parts
---@return string? mistake
local function conditions(option, state, texts, allows_missing)
  local parts = {}
  for position, text in ipairs(texts) do
    local expect, mistake = read_condition(text)
    if not expect then return nil, ("%s: %s"):format(option, mistake) end
    mistake = possible.mistake(option, expect.path, state, expect.text)
    if mistake then return nil, mistake end
    local tree = assert(core.jmespath.compile(expect.path)):tree()
    warn_of_large_numbers(option, tree and tree:value())
    parts[position] = {
      state = state, option = describe(option, text, expect),
      matcher = { conditions = { rule = state, all = { expect }, allowMissing = allows_missing } },
    }
  end
  return parts
end

---Joins conditions to one acceptor, which matches if all of them hold. Reports show each of them alone.
---@param parts bide.AcceptorStructure[]
---@return bide.AcceptorStructure
local function join(parts)
  local all, words = {}, {}
  for position, part in ipairs(parts) do
    all[position], words[position] = part.matcher.conditions.all[1], part.option
  end
  return {
    state = "success", ["until"] = true, parts = parts, option = table.concat(words, ", "),
    matcher = { conditions = { rule = "success", all = all, allowMissing = parts[1].matcher.conditions.allowMissing } },
  }
end

---Returns the mistake of --until that asks, together with --fail, for more members than the core keeps in mind.
local function mistake_of_count(options, failing, all)
  if options.allow_missing then return nil end
  local paths = {}
  for _, acceptor in ipairs(failing) do paths[#paths + 1] = acceptor.matcher.conditions.all[1].path end
  for _, condition in ipairs(all) do paths[#paths + 1] = condition.path end
  local mistake = possible.too_many_members("--until", paths)
  return mistake and mistake .. "; --allow-missing accepts that"
end

---@param failing bide.AcceptorStructure[] those of --fail
---@return bide.AcceptorStructure[]? acceptors none, or the one of all --until
---@return string? mistake
local function successes(options, failing)
  local parts, mistake = conditions("--until", "success", options["until"], options.allow_missing or nil)
  if not parts then return nil, mistake end
  if options.invert and #parts > 0 then
    return nil, "--invert and --until exclude each other: --until says itself what to wait for"
  end
  if #parts == 0 then return {} end
  local joined = join(parts)
  local all = joined.matcher.conditions.all
  mistake = possible.contradiction("--until", all) or mistake_of_count(options, failing, all)
  if mistake then return nil, mistake end
  return { joined }
end

local function failures(options)
  local message = options.fail_message
  if message then
    if #options.fail == 0 then return nil, "--fail-message needs --fail" end
    local _, mistake = core.jmespath.compile(message)
    if mistake then return nil, "--fail-message: " .. tostring(mistake) end
    mistake = possible.mistake("--fail-message", message, "message")
    if mistake then return nil, mistake end
  end
  local acceptors, mistake = conditions("--fail", "failure", options.fail, options.allow_missing or nil)
  for _, acceptor in ipairs(acceptors or {}) do acceptor.message = message end
  return acceptors, mistake
end

local function retries(options)
  local acceptors = {}
  for position, name in ipairs(options.retry_on) do
    if name == "" then return nil, '--retry-on: expected the type of an error, found ""' end
    local renamed = error_names.renamed[core.wait.error_name(name)]
    if renamed then shown.warn(("--retry-on: the error type %s is called %s now"):format(name, renamed)) end
    acceptors[position] = {
      state = "retry", matcher = { errorType = name }, option = describe("--retry-on", name),
    }
  end
  return acceptors
end

---Returns acceptors, followed by the waiter's own.
---@param leaves_out_success boolean
local function with_own(acceptors, waiter, leaves_out_success)
  local all = tables.joined(acceptors)
  for _, acceptor in ipairs(waiter.acceptors) do
    if not leaves_out_success or acceptor.state ~= "success" then all[#all + 1] = acceptor end
  end
  return all
end

---Returns the acceptors as releases up to 0.2 made them, by which their journals are found and continued: a success for
---each --until, of which any decides, and the truth of JMESPath.
local function of_earlier_releases(acceptors, waiter, has_until)
  local earlier = {}
  for _, acceptor in ipairs(acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local given = part.matcher.conditions
      earlier[#earlier + 1] = given and {
        state = part.state, matcher = { expect = given.all[1] }, message = acceptor.message, option = part.option,
      } or part
    end
  end
  return with_own(earlier, waiter, has_until)
end

---Reports whether --until can have a meaning for a waiter: not if only errors make it succeed, as those of PortClosed do.
---@param waiter bide.Waiter
---@return boolean
function M.takes_until(waiter)
  for _, acceptor in ipairs(waiter.acceptors) do
    if acceptor.state == "success" and matchers.subject_of(acceptor) ~= "error" then return true end
  end
  return false
end

---@return string? mistake
local function mistake_of_absence(waiter)
  if M.takes_until(waiter) then return nil end
  return ("--until looks into an answer, and %s succeeds only by an error, without one%s"):format(waiter.name,
    waiter.opposite and ("; %s has answers"):format(waiter.opposite) or "")
end

---Reports whether an input of the waiter says what to wait for.
local function has_asking_input(waiter)
  for _, member in pairs(waiter.inputs or {}) do
    if member.asks then return true end
  end
  return false
end

---Returns the waiter with the acceptors that the options give.
---@param options { until: string[], fail: string[], fail_message: string?, retry_on: string[], allow_missing: boolean? }
---@param waiter bide.Waiter
---@return bide.Waiter? waiter the same one if the options give none
---@return string? mistake of one line, or of several that bide wrote
function M.derive(options, waiter)
  local failing, mistake = failures(options)
  if not failing then return nil, mistake end
  local succeeding, retrying
  succeeding, mistake = successes(options, failing)
  if not succeeding then return nil, mistake end
  retrying, mistake = retries(options)
  if not retrying then return nil, mistake end
  local has_until = #succeeding > 0
  mistake = has_until and mistake_of_absence(waiter)
  if mistake then return nil, mistake end
  local acceptors = tables.joined(failing, succeeding, retrying)
  if #acceptors == 0 and not options.allow_missing then return waiter end
  local derived = waiter_module.with_acceptors(waiter, with_own(acceptors, waiter, has_until))
  derived.allows_missing = options.allow_missing or nil
  derived.other_acceptors = {
    asked = has_until and has_asking_input(waiter) and with_own(acceptors, waiter, false) or nil,
    earlier = of_earlier_releases(acceptors, waiter, has_until),
  }
  if has_until or #failing > 0 then
    derived.of_operation = { own_success = not has_until, conditions = has_until and options["until"] or nil }
  end
  return derived
end

---Returns the waiter with the acceptors of the options; ends the process if there is a mistake.
---@param options table of the command line
---@param waiter bide.Waiter
---@return bide.Waiter
function M.apply(options, waiter)
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local derived, mistake = M.derive(options, waiter)
  if not derived then parser.fail_in_lines(mistake) end
  return derived
end

---Returns a line for each acceptor, with its position as outcomes count it; conditions that must hold together have a line
---each.
---@param waiter bide.Waiter
---@return string[]
function M.lines(waiter)
  local lines = {}
  for position, acceptor in ipairs(waiter.acceptors) do
    for number, part in ipairs(matchers.parts(acceptor)) do
      local head = ("acceptor %d: %-7s"):format(position, acceptor.state)
      if number > 1 then head = (" "):rep(#head - 3) .. "and" end
      lines[#lines + 1] = ("%s  %s"):format(head, matchers.words(part))
    end
  end
  return lines
end

return M
