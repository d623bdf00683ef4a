---bide show: a waiter as a person reads it: its acceptors in their order, and the states that they lead to.

local absences = require "bide.wait.absences"
local acceptors = require "bide.cli.words.acceptors"
local branch = require "bide.cli.waits.branch"
local core = require "bide.core"
local limits = require "bide.recipe.waiter.limits"
local matchers = require "bide.recipe.waiter.matchers"
local parser = require "bide.cli.words.parser"
local plain = require "bide.text.documentation"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local untrusted = require "bide.cli.words.untrusted"

local M = { summary = "show a waiter: its acceptors and its states" }

function M.new_parser()
  local command = parser.new("show", "Show a waiter: its acceptors in their order, and the states that they lead to.",
    "bide show things.smithy ThingExists")
  command:argument("recipe", "A Lua or JSON file, a model, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("waiter", "The waiter. It may be left out if the recipe has a default or only one."):args("?")
  command:usage "Usage: bide show RECIPE [WAITER] [options]"
  command:option("--output", "Print the waiter as FORMAT: text, or dot for Graphviz."):argname("FORMAT")
    :one_of({ "text", "dot" }):default "text"
  shared.add_with(command)
  acceptors.add_options(command)
  untrusted.add_options(command)
  return command
end

local implicit = {
  { state = "failure", words = "any other error" },
  { state = "retry", words = "any other output" },
}

---The rules of a waiter: its acceptors, and what the workflow does without one.
---@return { label: string, state: string, words: string }[]
local function rules(waiter)
  local list = {}
  for position, acceptor in ipairs(waiter.acceptors) do
    list[position] = { label = tostring(position), state = acceptor.state, words = matchers.words(acceptor) }
  end
  for _, rule in ipairs(implicit) do list[#list + 1] = { label = "", state = rule.state, words = rule.words } end
  return list
end

local row = "  %3s  %-8s %s"

---@param origin string? where a waiter of AWS is from
local function print_head(waiter, origin)
  shown.print(waiter.operation and ("%s, of the operation %s"):format(waiter.name, waiter.operation) or waiter.name)
  if waiter.documentation then shown.print("  " .. plain(waiter.documentation)) end
  if waiter.witness then shown.print("  " .. waiter.witness) end
  if origin then shown.print("  " .. origin) end
  local added = waiter.added
  if added then shown.print("  bide's own: the last " .. (added == 1 and "acceptor" or added .. " acceptors")) end
  if waiter.reason then shown.print("  a failure's reason: " .. waiter.reason) end
  if waiter.found then shown.print("  a success is warned of without: " .. waiter.found) end
  if absences.are_warned_of(waiter) then shown.print "  a success is warned of where no attempt has seen the thing itself" end
  if waiter.deprecated then shown.print "  This waiter is deprecated." end
  if #waiter.tags > 0 then shown.print("  tags: " .. table.concat(waiter.tags, ", ")) end
  shown.print("  delays from " .. limits.describe_delays(waiter), "")
end

---The numbers of the rules that lead to a state: `1, 3, any other error`.
local function causes(list, state)
  local words = {}
  for _, rule in ipairs(list) do
    if rule.state == state then words[#words + 1] = rule.label ~= "" and rule.label or rule.words end
  end
  return #words > 0 and table.concat(words, ", ") or "never"
end

local function print_text(waiter, origin)
  print_head(waiter, origin)
  shown.print(row:format("", "leads to", "when"))
  local list = rules(waiter)
  for _, rule in ipairs(list) do shown.print(row:format(rule.label, rule.state, rule.words)) end
  shown.print("",
    "  start ──> attempt ──┬── " .. causes(list, "success") .. " ──> success",
    "               ^      ├── " .. causes(list, "failure") .. ", max wait ──> failure",
    "               └─delay┴── " .. causes(list, "retry"))
end

local function quoted(text)
  return assert(core.json.encode(shown.line(text)))
end

local function print_dot(waiter)
  local lines = { ("digraph %s {"):format(quoted(waiter.name)), "  rankdir=LR;",
    "  start [shape=point];", "  attempt [shape=box];", "  success [shape=doublecircle];", "  failure [shape=doublecircle];",
    "  start -> attempt;", ('  attempt -> failure [label="max wait"];') }
  for _, rule in ipairs(rules(waiter)) do
    local label = rule.label ~= "" and ("%s: %s"):format(rule.label, rule.words) or rule.words
    lines[#lines + 1] = ("  attempt -> %s [label=%s];"):format(rule.state == "retry" and "attempt" or rule.state, quoted(label))
  end
  lines[#lines + 1] = "}"
  shown.print_document(table.concat(lines, "\n") .. "\n")
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  untrusted.apply(options, { recipes = { options.recipe, table.unpack(options.with) } })
  local recipe = branch.load(options)
  local waiter, mistake = recipe:find(options.waiter)
  if not waiter then parser.fail(mistake) end
  local origin = recipe.facts and recipe.facts.origin(waiter.name)
  waiter = acceptors.apply(options, waiter)
  if options.output == "dot" then print_dot(waiter) else print_text(waiter, origin) end
  return 0
end

return M
