---The options that commands share: the limits of waits, what is reported of them, and the kinds of arguments.

local duration = require "bide.text.duration"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local secret = require "bide.text.secret"
local spelling = require "bide.recipe.spelling"

local M = {}

---Adds an option whose argument is a duration.
function M.add_duration(command, name, description, read)
  command:option(name, description):argname("DURATION"):reads(read or duration.parse)
end

---Reads the text of a whole number.
---@param kind bide.OptionKind
local function number_of(kind)
  return function(text)
    local number = math.tointeger(tonumber(text))
    if number and kind[2](number) then return number end
    return nil, option.expected(kind[1], text)
  end
end

---Adds an option whose argument is a whole number above 0.
---@return table option
function M.add_count(command, name, description)
  return command:option(name, description):argname("N"):reads(number_of(option.kinds.size))
end

---Reads a token, which is sent as it is. The name of a source would be the same token for every request.
---@param text string
---@return string? token
---@return string? mistake
function M.read_token(text)
  if not text:find "^@env:" and not text:find "^@file:" then return text end
  return nil, option.expected("the token itself, which a shell puts in the place of \"$ID\"", text)
end

---Adds the recipe, and the words behind it.
---@param words? string the help of the latter, where they may not be incomplete
---@return table argument of the recipe
function M.add_recipe(command, words)
  local recipe = command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("WAITER, KEY=VALUE", words or "The waiter, which may be left out if the recipe has a default or only one, "
    .. "and inputs, which may be incomplete."):args("*"):target "words"
  return recipe
end

---Adds `--with FILE`, which may be repeated.
function M.add_with(command, description)
  command:begin_section "Recipe and input"
  command:option("--with", description or "A Lua file that defines operations for waiters without one, or "
    .. "registers matchers. A name is looked up like a recipe's. May be repeated."):argname("FILE"):count("*")
end

---Adds `--each FILE`.
function M.add_each(command)
  command:begin_section "Several waits"
  command:option("--each", "Run one wait for each line of FILE, JSON Lines; - is standard input. A line is the input; "
    .. "without a RECIPE it is a whole wait: {\"recipe\": …, \"input\": …}."):argname("FILE")
end

---@return bide.RequestRate|false|nil rate false for none
---@return string? mistake
local function read_rate(text)
  if text == "none" then return false end
  local rate, mistake = require("bide.probe.http.rate").parse(text)
  return rate, mistake and (mistake:gsub("burst=10, found", "burst=10, or none, found"))
end

---Adds `--rate`. Its grammar is loaded only if the option is given.
function M.add_rate(command)
  command:begin_section "Recipe and input"
  command:option("--rate", "Send at most this many HTTP requests to one host: 5/s, 100/m, 1/2s. 5/s,burst=10 sends "
    .. "up to 10 at once after a pause. Overrides the rates of recipes and requests, and the 100/s to one remote host "
    .. "that more than ten waits have by default; none is no limit."):argname("RATE"):reads(read_rate)
end

---The options that scripts have in another form.
local other_names = { retryAfter = "--retry-after-cap" }

---`maxWait` is `--max-wait`, and with a value `--max-wait 5m`.
---@param name string of a row of bide.recipe.waiter.limits
---@param value? string
---@return string
function M.option_of(name, value)
  local option_name = other_names[name] or "--" .. name:gsub("%u", function(letter) return "-" .. letter:lower() end)
  return value and ("%s %s"):format(option_name, value) or option_name
end

---@param row bide.LimitRow
---@param help string
---@param members_of fun(row: bide.LimitRow, value: any): table?, string?
local function add_limit(command, row, help, members_of)
  local read = row.kind and number_of(row.kind) or row.of_option or function(text) return text end
  local element = command:option(M.option_of(row.name), help):target(row.name):argname(row.argument):reads(function(text)
    local value, mistake = read(text)
    if value == nil then return nil, mistake end
    return members_of(row, value)
  end)
  if not row.flag then return end
  command:mutex(element, command:flag(row.flag, row.flag_help):target(row.name):action(function(result, target)
    result[target] = assert(members_of(row, row.flag_value))
  end))
end

---Adds the options of every wait, each under the name of its row. `--max-wait` is checked by hand, so that the message
---can give the reason.
---@param of_max_wait string? the help of --max-wait where it may be left out
function M.add_limits(command, of_max_wait)
  local limits = require "bide.recipe.waiter.limits"
  command:begin_section "Limits and delays"
  for _, row in ipairs(limits.rows) do
    add_limit(command, row, row.name == "maxWait" and of_max_wait or row.help, limits.members_of)
  end
  M.add_with(command)
end

---Adds `--show-secrets`.
---@param where string
function M.add_show_secrets(command, where)
  command:begin_section "Report"
  command:flag("--show-secrets", ("Show secrets %s."):format(where)):action(function(result, name)
    result[name], secret.are_shown = true, true
  end)
end

---Adds `--quiet`.
function M.add_quiet(command)
  command:begin_section "Report"
  command:flag("-q --quiet", "Print no progress, only errors and the outcome.")
end

---Adds `--quiet` and `--silent`, which is more of the same.
function M.add_silent(command)
  M.add_quiet(command)
  command:flag("--silent", "Print no progress and no success, only errors and failures."):action(function(result)
    result.silent, result.quiet = true, true
  end)
end

---Adds `--events`.
---@param command table
---@param words? string what else the help says
function M.add_events(command, words)
  command:begin_section "Report"
  command:option("--events", "Write a line of JSON to FILE for each attempt, as it happens; - is standard output."
    .. (words or "")):argname("FILE")
end

function M.add_reporting(command)
  M.add_events(command)
  M.add_silent(command)
  command:flag("-v --verbose", "Print a line of progress for every attempt, and list every wait of a fleet at the end.")
  command:flag("--explain", "At the end print each attempt, and for each acceptor the value that it looked at and why it "
    .. "did or did not match; with several waits, only for those that failed.")
  M.add_show_secrets(command, "in the outcome and in progress; never in events, recordings or the journal")
end

---Ends the process if a command that runs no COMMAND is given one.
---@param arguments string[]
function M.refuse_command(arguments)
  for _, word in ipairs(arguments) do
    if word == "--" then parser.fail("found --, but only bide run has a COMMAND after it") end
  end
end

---Parses the line of a command that runs no COMMAND.
---@param command bide.cli.Parser
---@param arguments string[]
---@return table options
function M.parse(command, arguments)
  M.refuse_command(arguments)
  return command:parse(arguments)
end

---Returns the option with the time that botocore waits for the waiter, if the recipe is botocore's or a service of AWS.
---@return string?
local function max_wait_of_botocore(options)
  local longest = options.recipe and require("bide.model").longest_waits(options.recipe)
  if not longest then return nil end
  local names = option.sorted_names(longest)
  for _, word in ipairs { options.waiter or "", table.unpack(options.words or {}) } do
    local name = longest[word] and word or spelling.find(word, names)
    if name then
      return ("--max-wait %s, as long as botocore waits for %s"):format(duration.argument(longest[name] * 1000), name)
    end
  end
end

---Returns the max wait of the environment, as words of a command line and as the option has it.
---@return string[]? words nil if there is none, or a mistake in it
---@return table<string, integer>|string|nil members or the mistake
function M.max_wait_of_environment()
  local text = os.getenv "BIDE_MAX_WAIT"
  if not text then return nil end
  local milliseconds, mistake = duration.parse(text)
  if not milliseconds then return nil, "BIDE_MAX_WAIT: " .. mistake end
  return { "--max-wait", text }, { max_wait = milliseconds }
end

---Gives a wait the max wait of the environment if the command line has none; ends the process if neither has.
---@param options table
---@param command? string[] COMMAND, in which an option of bide may have got lost
function M.require_max_wait(options, command)
  if options.maxWait then return end
  local words, found = M.max_wait_of_environment()
  if words then
    options.maxWait = found
    return
  end
  if found then parser.fail(found) end
  for _, word in ipairs(command or {}) do
    if word:find "^%-*max%-wait" then parser.fail "--max-wait is missing: found one after --, where words belong to COMMAND" end
  end
  for _, word in ipairs(options.words or {}) do
    local text = word:match "^max[-_]?[wW]ait=(.+)$"
    if text then parser.fail(("--max-wait is missing: %s is no input, write --max-wait %s"):format(word, text)) end
  end
  parser.fail("--max-wait is missing: every wait needs a limit; give for example "
    .. (max_wait_of_botocore(options) or "--max-wait 5m"))
end

return M
