---One wait as the command line gives it: a waiter with its operation, its input and its limits. Every command that runs
---waits gets them here.

local acceptors = require "bide.cli.acceptors"
local bide = require "bide"
local core = require "bide.core"
local exit_code = require "bide.cli.exit_code"
local input = require "bide.cli.input"
local limits_of = require "bide.wait.limits"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local shown = require "bide.shown"
local waiter_module = require "bide.waiter"

local M = {}

---@class bide.cli.Branch
---@field waiter bide.Waiter
---@field input userdata a document
---@field limits bide.Limits
---@field codes table<string, integer>? the exit codes of its named outcomes

---Loads the recipe and finds the waiter, and gives it the acceptors of the command line; ends the process if that fails.
---@param options table of the command line
---@param name string? of the waiter
---@return bide.Waiter
function M.find_waiter(options, name)
  process.restrain_recipes()
  local loaded, mistake = bide.load(options.recipe, { with = options.with })
  if not loaded then parser.fail_in_lines(mistake) end
  for _, warning in ipairs(loaded.warnings) do shown.warn(warning) end
  local waiter
  waiter, mistake = loaded:find(name)
  if not waiter then parser.fail(mistake) end
  core.watchdog.describe(shown.line(table.concat({ options.recipe, table.unpack(options.with) }, ", ") .. ": " .. waiter.name))
  if waiter.deprecated then shown.warn(("the waiter %s is deprecated"):format(waiter.name)) end
  return acceptors.apply(options, waiter)
end

---@param options table of the command line
---@param waiter bide.Waiter
---@return bide.Limits
function M.limits(options, waiter)
  local limits, mistake = limits_of.merge(waiter, options)
  if not limits then parser.fail(mistake) end
  return limits
end

---Returns the input with the token of `--token`; ends the process if the input has no member for it.
---@param waiter bide.Waiter
---@param document userdata the input, an object
---@return userdata document
local function with_token(options, waiter, document)
  local token, member = options.token, waiter.token_member
  if not token then return document end
  if options.each then parser.fail("--token is for one request, and --each makes several") end
  if token == "" then parser.fail("--token: found an empty token") end
  if not member then
    parser.fail(("--token: the operation of %s declares no idempotencyToken"):format(waiter.name))
  end
  local members = document:value()
  if members[member] ~= nil and members[member] ~= core.json.null and members[member] ~= token then
    parser.fail(("--token: the input already has a different %s"):format(member))
  end
  members[member] = token
  return assert(core.json.document(members))
end

---Returns the wait of a command line; ends the process if there is a mistake in it.
---@param options table of the command line: recipe, words (the waiter and the input), and the options of a wait
---@param call? function replaces the operation
---@return bide.cli.Branch
function M.read(options, call)
  local name, members, mistake = input.split(options.words)
  if mistake then parser.fail(mistake) end
  local waiter = M.find_waiter(options, name)
  waiter.call = call or waiter.call
  if not waiter.call then
    parser.fail(("waiter %s has no operation; give one with --with FILE.lua"):format(waiter.name))
  end
  local document
  document, mistake = input.read(members, options.input, waiter.inputs)
  if not document then parser.fail(mistake) end
  local codes
  codes, mistake = exit_code.named(options, waiter)
  if mistake then parser.fail(mistake) end
  return {
    waiter = waiter, input = with_token(options, waiter, document), limits = M.limits(options, waiter), codes = codes,
  }
end

---Returns the wait, ready to begin; ends the process if the waiter refuses the input.
---@param branch bide.cli.Branch
---@param document? userdata another input
---@param place? string of that input, before a message
---@return bide.PreparedWait
function M.prepare(branch, document, place)
  local prepared, mistake = waiter_module.prepared(branch.waiter, document or branch.input, branch.limits)
  if not prepared then parser.fail(place and ("%s: %s"):format(place, mistake) or mistake) end
  return prepared
end

return M
