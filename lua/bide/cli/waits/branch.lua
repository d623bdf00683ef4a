---One wait as the command line gives it: a waiter with its operation, its input and its limits. Every command that runs
---waits gets them here.

local acceptors = require "bide.cli.words.acceptors"
local bide = require "bide"
local connection = require "bide.cli.words.connection"
local core = require "bide.core"
local evidence = require "bide.wait.evidence"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.ending.exit_code"
local handing = require "bide.cli.words.handing"
local input = require "bide.cli.words.input"
local declaration = require "bide.recipe.input.declaration"
local limits_of = require "bide.recipe.waiter.limits"
local named_secret = require "bide.recipe.input.named_secret"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local possible = require "bide.recipe.expression.possible"
local process = require "bide.cli.ending.process"
local recipe = require "bide.recipe.loader"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local waiter_module = require "bide.wait.waiter"

local M = {}

---@class bide.cli.Branch
---@field waiter bide.Waiter
---@field input userdata a document
---@field limits bide.Limits
---@field token string? the idempotency token of --token
---@field codes table<string, integer>? the exit codes of its named outcomes
---@field handed bide.cli.Handed[]? what COMMAND gets of its output
---@field recipe string as it was given
---@field with string[]
---@field given bide.cli.Given[]? the options of the wait

local with_of = {}

---Returns the files for --with, which are run once for all waits that name the same ones.
---@param names string[]
---@return bide.With
local function read_with(names)
  local key = table.concat(names, "\n")
  local with, mistake = with_of[key], nil
  if not with then with, mistake = recipe.read_with(names) end
  if not with then parser.fail_in_lines(mistake) end
  with_of[key] = with
  return with
end

---Loads a recipe; ends the process if that fails.
---@param options table of the command line
---@param may_be_list? boolean whether it may be a list of waits
---@param needs_one? boolean whether only the waiter is needed that the words name
---@return bide.Recipe? recipe
---@return bide.WaitList? list
function M.load(options, may_be_list, needs_one)
  process.restrain_recipes()
  local words = needs_one and options.words or nil
  local loaded, mistake, _, list = bide.load(options.recipe, { with = read_with(options.with), words = words })
  if list and may_be_list then return nil, list end
  if not loaded then parser.fail_in_lines(mistake) end
  for _, warning in ipairs(loaded.warnings) do shown.warn(warning) end
  return loaded
end

---Finds the waiter among the words. If there are more words than positional inputs, one that looks like the name of a
---waiter is one that the recipe does not define. Operations of a model have no positional inputs.
---@param words bide.cli.Words
---@return bide.Waiter? waiter
---@return string? mistake
local function find_among(loaded, words)
  local waiter, mistake = loaded:find(words.waiter)
  if words.waiter then return waiter, mistake end
  if not waiter and loaded.facts and words.others[1] then return loaded:find(words.others[1]) end
  local names = declaration.positional(waiter and waiter.inputs)
  local takes_all = #names > 0 and declaration.takes_rest(waiter.inputs, names[#names])
  if takes_all or not words.others[#names + 1] then return waiter, mistake end
  for _, word in ipairs(words.others) do
    if input.is_name(word) then return loaded:find(word) end
  end
  return waiter, mistake
end

---Returns the words, with the names of waiters in their first spelling; ends the process if a word can be nothing else, and
---means no waiter.
---@return string[]
local function spelled(loaded, words)
  local list, is_named = {}, false
  for position, word in ipairs(words) do
    list[position] = loaded:spelled(word) or parser.fail(is_named
      and input.unexpected(word, "the waiter is given already; a list is KEY=ONE,TWO") or select(2, loaded:find(word)))
    is_named = is_named or loaded.waiters[list[position]] ~= nil
  end
  return list
end

---Finds the waiter, and gives it the acceptors of the command line; ends the process if that fails.
---@return bide.Waiter
---@return bide.cli.Words words what the words are
local function find(options, loaded)
  local words, mistake = input.classify(spelled(loaded, options.words or {}), loaded.names)
  if words and options.waiter then
    if words.waiter then parser.fail(input.unexpected(words.waiter, "the waiter is " .. options.waiter)) end
    words.waiter = options.waiter
  end
  if not words then parser.fail(mistake) end
  local waiter
  waiter, mistake = find_among(loaded, words)
  if not waiter then parser.fail(mistake) end
  if options.invert then waiter = acceptors.invert(options, loaded, waiter) end
  core.watchdog.describe(shown.line(table.concat({ options.recipe, table.unpack(options.with) }, ", ") .. ": " .. waiter.name))
  if waiter.deprecated then shown.warn(("the waiter %s is deprecated"):format(waiter.name)) end
  waiter = acceptors.apply(options, waiter)
  for _, list in ipairs { evidence.dangers(waiter), possible.warnings(waiter) } do
    for _, danger in ipairs(list) do shown.warn(("%s, %s"):format(waiter.name, danger)) end
  end
  return waiter, words
end

---Loads the recipe and finds the waiter; ends the process if that fails.
---@param options table of the command line: recipe, words, and waiter if it has its own argument
---@return bide.Waiter
---@return bide.cli.Words words what the words are
function M.find_waiter(options)
  return find(options, M.load(options))
end

---Reads the input; ends the process if there is a mistake in it. Values that came from the environment or a file are
---hidden by their names, too.
---@param options table of the command line
---@param waiter bide.Waiter
---@param words bide.cli.Words
---@return userdata document
function M.read_input(options, waiter, words)
  for _, word in ipairs(waiter.inputs and words.members or {}) do
    if parts.of_wait["--" .. word.key] and not waiter.inputs[word.key] then
      parser.fail(("unknown input %q: the option is --%s"):format(word.key, word.key))
    end
  end
  local reading, mistake = input.read(words, options.input, waiter.inputs, waiter.find_takers)
  if not reading then parser.fail(mistake) end
  waiter:hide(reading.hidden)
  return reading.document
end

---@param options table of the command line
---@param waiter bide.Waiter
---@return bide.Limits
function M.limits(options, waiter)
  local limits, mistake = limits_of.merge(waiter, options, shared.option_of)
  if not limits then parser.fail(mistake) end
  return limits
end

---Returns the input with the token of `--token`; ends the process if the input has no member for it.
---@param branch bide.cli.Branch
---@param document userdata the input, an object
---@return userdata document
local function with_token(branch, document)
  local token, member = branch.token, branch.waiter.token_member
  if not token then return document end
  if not member then
    parser.fail(("--token: the operation of %s declares no idempotencyToken"):format(branch.waiter.name))
  end
  local members = document:value()
  if members[member] ~= nil and members[member] ~= core.json.null and members[member] ~= token then
    parser.fail(("--token: the input already has a different %s"):format(member))
  end
  members[member] = token
  return assert(core.json.document(members))
end

---Gives the waiter of a model the call of its operation; ends the process if the operation cannot be called.
---@param limits bide.Limits
---@return bide.Waiter
local function connect(options, loaded, waiter, limits)
  if waiter_module.is_callable(waiter) or not loaded.facts then
    connection.refuse(options, loaded)
    return waiter
  end
  local connected = connection.connect(options, loaded, waiter, limits)
  connected.service = connection.describe(options)
  return connected
end

---Warns of a wait that ends after one poll, if that is the doing of a model, whose delays are not the user's own, or of a
---delay on the command line.
---@param limits bide.Limits
local function warn_of_one_poll(loaded, waiter, limits, options)
  if limits.max_attempts == 1 or limits.max_wait > limits.min_delay then return end
  local delay, given = duration.format(limits.min_delay), options.interval and "interval" or options.minDelay and "minDelay"
  if given then
    shown.warn(("%s polls only once: %s is not below --max-wait %s"):format(waiter.name,
      shared.option_of(given, duration.argument(limits.min_delay)), duration.argument(limits.max_wait)))
  elseif loaded.facts then
    shown.warn(("%s polls only once: its least delay, %s, is not below the max wait; --min-delay shortens it")
      :format(waiter.name, delay))
  end
end

---Returns the wait of a command line; ends the process if there is a mistake in it.
---@param loaded bide.Recipe
---@param options table of the command line: words (the waiter and the input), and the options of a wait
---@param given? bide.Answer[] replace the operation; its input is checked by its declaration alone
---@return bide.cli.Branch
function M.of(loaded, options, given)
  local waiter, words = find(options, loaded)
  if given then require("bide.record.answers").replace(waiter, given) end
  local document = M.read_input(options, waiter, words)
  local limits = M.limits(options, waiter)
  if not given then waiter = connect(options, loaded, waiter, limits) end
  if not waiter_module.is_callable(waiter) then
    parser.fail(("waiter %s has no operation; give one with --with FILE.lua"):format(waiter.name))
  end
  local codes, mistake = exit_code.named(options, waiter)
  if mistake then parser.fail(mistake) end
  warn_of_one_poll(loaded, waiter, limits, options)
  local handed
  handed, waiter = handing.read(options, waiter)
  return {
    waiter = waiter, input = document, limits = limits, token = options.token, codes = codes, handed = handed,
    recipe = options.recipe, with = options.with, given = options.given,
  }
end

---Returns the wait, ready to begin; ends the process if the waiter refuses the input.
---@param branch bide.cli.Branch
---@param document? userdata another input
---@return bide.PreparedWait
function M.prepare(branch, document)
  local checked, mistake = named_secret.substitute(document or branch.input)
  if not checked then parser.fail(mistake) end
  local prepared
  prepared, mistake = waiter_module.prepared(branch.waiter, with_token(branch, checked), branch.limits)
  if not prepared then parser.fail(mistake) end
  prepared:shrink()
  return prepared
end

return M
