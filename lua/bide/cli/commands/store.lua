---bide store: prepares a database as a store, for an administrator.

local administration = require "bide.record.store.postgres.administration"
local client = require "bide.cli.store.client"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.ending.exit_code"
local luv = require "luv"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local script_limits = require "bide.task.script_limits"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local urls = require "bide.record.store.url"
local verbs = require "bide.record.store.verbs"

local M = { summary = "prepare PostgreSQL as a store, grant rights on it, check it" }

function M.new_parser()
  local command = parser.new("store", "Prepare a database of PostgreSQL as a store of waits.",
    "bide store init --print")
  command:argument("action", "init makes the schema, its functions and roles. migrate upgrades the schema to "
    .. "this release, beside workers of the one before. check looks for what makes a store slow or unsafe, and exits with 1 "
    .. "if it finds something. grant gives ROLE rights on a queue. set changes a setting, or prints them all.")
    :one_of({ "init", "migrate", "check", "grant", "set" }, "the first word")
  command:argument("WORD", "With grant: the role. With set: the setting and its value."):args("*"):target "words"
  command:option("--store", "The database: postgres://ROLE@HOST/DATABASE. Default: BIDE_STORE. With init, ?cell=N after "
    .. "DATABASE is its number."):argname("URL"):count "*"
  command:flag("--print", "With init: print the statements for an administrator, and do nothing.")
  command:flag("--finish", "With migrate: write states as this release does, once no worker of the one before is left.")
  command:option("--queue", "With grant: the queue, which is made if there is none. Default: default."):argname "Q"
  command:flag("--submit", "With grant: the role may submit waits, and watch and cancel its own.")
  command:flag("--work", "With grant: the role may work. Without --submit and --work it loses its rights on the queue.")
  shared.add_count(command, "--most-open", "With grant: the role may have N open waits in the queue."):argname "N"
  shared.add_count(command, "--submits-a-minute", "With grant: the role may submit N runs a minute."):argname "N"
  command:option("--most-kept", "With grant: the recipes of the role may take SIZE in the store, such as 64M.")
    :argname("SIZE"):reads(script_limits.read_size)
  command:usage("Usage: bide store init|migrate|check|grant|set [WORD ...] --store URL [options]")
  return command
end

---The options that belong to one action.
local action_of = { print = "init", finish = "migrate", queue = "grant", submit = "grant", work = "grant", most_open = "grant",
  submits_a_minute = "grant", most_kept = "grant" }

local option_of = { most_open = "--most-open", submits_a_minute = "--submits-a-minute", most_kept = "--most-kept" }

---The least and the most words of each action.
local words_of = { init = { 0, 0 }, migrate = { 0, 0 }, check = { 0, 0 }, grant = { 1, 1 }, set = { 0, 2 } }

---Ends the process if an option or a word belongs to no or to another action.
local function check_words(options)
  for name, action in pairs(action_of) do
    if options[name] and options.action ~= action then
      parser.fail(("%s belongs to bide store %s"):format(option_of[name] or "--" .. name, action))
    end
  end
  local bounds, count = words_of[options.action], #options.words
  if count < bounds[1] or options.action == "grant" and not options.words[1]:find "%S" then parser.fail "grant needs a ROLE" end
  if count > bounds[2] then parser.fail(("unexpected word: %s"):format(options.words[bounds[2] + 1])) end
  if options.action == "set" and count == 1 then parser.fail "set needs a NAME and a VALUE, or none of them" end
  local mistake = options.queue and verbs.mistake_of_name(options.queue)
  if mistake then parser.fail("--queue: " .. mistake) end
end

---Returns a number of bytes as it may be given.
---@param bytes integer
---@return string
local function size_of(bytes)
  for exponent, unit in ipairs { "G", "M", "K" } do
    local factor = 1 << (40 - 10 * exponent)
    if bytes % factor == 0 then return bytes // factor .. unit end
  end
  return tostring(bytes)
end

---@param name string
---@param text string
---@return integer
local function read_setting(name, text)
  local bounds = administration.settings[name]
  if not bounds then
    parser.fail(("%s: %s"):format(name, option.unknown("setting", name, option.sorted_names(administration.settings))))
  end
  local value, least, most
  if bounds.is_count then
    value, least, most = math.tointeger(tonumber(text)), tostring(bounds.least), tostring(bounds.most)
  elseif bounds.is_size then
    value, least, most = script_limits.read_size(text), size_of(bounds.least), size_of(bounds.most)
  else
    local milliseconds = duration.parse(text)
    value = milliseconds and milliseconds * 1000
    least, most = duration.format(bounds.least // 1000), duration.format(bounds.most // 1000)
  end
  if not value or value < bounds.least or value > bounds.most then
    parser.fail(("%s: %s"):format(name, option.expected(("%s to %s"):format(least, most), text)))
  end
  return value
end

local function words_of_setting(row)
  local bounds = administration.settings[row.name]
  local value = tostring(row.value)
  if bounds and bounds.is_size then
    value = size_of(row.value)
  elseif bounds and not bounds.is_count then
    value = duration.format(row.value // 1000)
  end
  return ("%-10s %s\n"):format(row.name, value)
end

---The actions. Each returns the text to print and its exit code, or nil and the failure.
---@type table<string, fun(session: bide.postgres.session.Session, options: table): string?, integer|bide.record.Failure|nil>
local actions = {}

function actions.init(session, options)
  local done, failure = administration.init(session, options.cell)
  if not done then return nil, failure end
  return ("%s\nnext: bide store grant ROLE --queue default --submit --work%s\n"):format(done,
    #options.store > 0 and " --store " .. shown.word(options.url) or "")
end

function actions.migrate(session, options)
  local done, failure = administration[options.finish and "finish" or "migrate"](session)
  if not done then return nil, failure end
  return done .. "\n"
end

---@return integer microseconds since 1970
local function clock()
  local seconds, microseconds = luv.gettimeofday()
  return seconds * 1000000 + microseconds
end

function actions.check(session, options)
  local findings, failure = administration.check(session, administration.role_of(options.url), clock())
  if not findings then return nil, failure end
  if #findings == 0 then return "nothing found\n" end
  return shown.document(findings), exit_code.FAILURE
end

function actions.grant(session, options)
  local queue = options.queue or "default"
  local done, failure = administration.grant(session, {
    role = options.words[1], queue = queue, submit = options.submit or false, work = options.work or false,
    most_open = options.most_open, submits_a_minute = options.submits_a_minute, most_kept = options.most_kept,
  })
  if not done then return nil, failure end
  local rights = options.submit and options.work and "submit and work" or options.submit and "submit" or options.work and "work"
  local words = rights and ("may %s in"):format(rights) or "has no rights on"
  return ("%s %s the queue %s\n"):format(shown.line(options.words[1]), words, queue)
end

function actions.set(session, options)
  local name, text = table.unpack(options.words)
  if name then
    local done, failure = administration.set(session, name, read_setting(name, text))
    if not done then return nil, failure end
  end
  local rows, failure = administration.get(session)
  if not rows then return nil, failure end
  return table.concat(tables.mapped(rows, words_of_setting))
end

---Prints the statements that make the schema of a store, of which nothing but its number as a cell is of use.
---@return integer code
local function print_schema(options)
  local others, cell = urls.cut_cell(options.store[1] or "")
  if not others then parser.fail("--store: " .. cell) end
  shown.print_document("BEGIN;\n" .. administration.schema(cell --[[@as integer?]]) .. "COMMIT;\n")
  return exit_code.SUCCESS
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  check_words(options)
  if options.print then return print_schema(options) end
  options.url = client.url(options, "bide store")
  if options.action == "set" and options.words[1] then read_setting(options.words[1], options.words[2]) end
  local session, cell = administration.open(options.url)
  if not session then parser.fail((tostring(cell):gsub("^expected", "--store: expected"))) end
  options.cell = cell
  local text, code = actions[options.action](session --[[@as bide.postgres.session.Session]], options)
  session:close()
  shown.print_document(client.check(text, code --[[@as bide.record.Failure]]))
  return code or exit_code.SUCCESS
end

return M
