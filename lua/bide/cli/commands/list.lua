---bide list: lists the waiters that recipes define.

local acceptors = require "bide.cli.words.acceptors"
local bide = require "bide"
local core = require "bide.core"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.ending.exit_code"
local limits = require "bide.recipe.waiter.limits"
local manual = require "bide.cli.help.manual"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local plain = require "bide.text.documentation"
local process = require "bide.cli.ending.process"
local recipe = require "bide.recipe.loader"
local recipe_path = require "bide.recipe.file.path"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local streak = require "bide.recipe.waiter.streak"
local tables = require "bide.text.tables"
local untrusted = require "bide.cli.words.untrusted"

local M = { summary = "list the recipes, such as http and postgres, and their waiters" }

function M.new_parser()
  local command = parser.new("list",
    "List the waiters of recipes and their inputs; without RECIPE, the waiters of all recipes in BIDE_PATH and all "
      .. "bundled ones.",
    "bide list things.lua")
  command:argument("RECIPE", "Lua or JSON files, names of bundled recipes or of those in BIDE_PATH, services of AWS "
    .. "(aws:rds), or aws: for the list of those services.")
    :args("*"):target "recipes"
  command:usage "Usage: bide list [RECIPE ...] [options]"
  command:option("--tag", "List only waiters with TAG. May be repeated."):argname("TAG"):count("*")
  command:option("--service", "List only waiters of the service NAME of a model."):argname("NAME")
  command:option("--output", "Print the list as FORMAT: text, json, or markdown: the page of each RECIPE."):argname("FORMAT")
    :one_of({ "text", "json", "markdown" }):default "text"
  shared.add_with(command)
  acceptors.add_options(command)
  untrusted.add_options(command)
  return command
end

---Describes the delays, and the members beyond the specification.
---@param longest integer? seconds that botocore waits at the most
local function timing(waiter, longest)
  local words = { limits.describe_delays(waiter) }
  local beyond, names = waiter.beyond, waiter:outcome_names()
  if waiter.initial_delay then words[#words + 1] = "first after " .. duration.format(waiter.initial_delay) end
  if beyond.hold_attempts then words[#words + 1] = "held for " .. streak.length(beyond.hold_attempts, beyond.hold_time) end
  if beyond.watched then words[#words + 1] = ("backoff reset when %s changes"):format(beyond.watched) end
  if #names > 0 then words[#words + 1] = table.concat(names, " or ") end
  if longest then words[#words + 1] = ("botocore waits at most %s"):format(duration.format(longest * 1000)) end
  return table.concat(words, ", ")
end

---Returns the marks of a waiter: its tags, its opposite, and whether it is deprecated.
local function marks(waiter)
  local text = #waiter.tags > 0 and (" [%s]"):format(table.concat(waiter.tags, ", ")) or ""
  if waiter.opposite then text = ("%s (--invert: %s)"):format(text, waiter.opposite) end
  return waiter.deprecated and text .. " (deprecated)" or text
end

---Returns a waiter with the acceptors of the command line; a waiter that takes no --until stays as it is.
local function with_options(options, waiter)
  return acceptors.takes_until(waiter) and acceptors.apply(options, waiter) or waiter
end

---Prints the acceptors of a waiter if the command line changes them.
local function print_acceptors(options, waiter)
  local derived = with_options(options, waiter)
  if derived == waiter then return end
  for _, line in ipairs(acceptors.lines(derived)) do shown.print("    " .. line) end
end

---Returns the format of rows whose columns are at least as wide as the widest name and the widest operation; below the header
---of all recipes also as the delays of a near service.
---@param options table
---@param loaded? bide.Recipe
local function row_of(options, loaded)
  local widths = { 24, 20 }
  for _, name in ipairs(loaded and loaded.names or {}) do
    widths[1] = math.max(widths[1], #name)
    widths[2] = math.max(widths[2], #(loaded.waiters[name].operation or ""))
  end
  return ("  %%-%ds %%-%ds %%-%ds  %%s%%s"):format(math.min(widths[1], 60), math.min(widths[2], 60),
    #options.recipes == 0 and 27 or 1)
end

---Prints the inputs of the operations of a recipe.
local function print_inputs(loaded)
  for _, group in ipairs(manual.groups(loaded)) do
    if group.declared then
      shown.print(("  Inputs of %s:"):format(table.concat(group.waiters, ", ")),
        table.unpack(manual.input_lines(group.declared, "    ")))
    end
  end
end

---Returns the name of a recipe, and where the model of a service of AWS is from.
local function title(recipe_name, loaded)
  if not recipe_path.service_of(recipe_name) then return recipe_name end
  return ("%s (API version %s, %s)"):format(recipe_name, loaded.facts.api_version or "unknown", loaded.file)
end

local function print_recipe(recipe_name, loaded, options)
  local is_one_of_all = #options.recipes == 0
  if #loaded.names == 0 then return end -- --tag and --service have chosen no waiter of it
  local row = row_of(options, loaded)
  shown.print(title(recipe_name, loaded))
  for _, name in ipairs(loaded.names) do
    local waiter = loaded.waiters[name]
    local line = row:format(name, waiter.operation or "-", timing(waiter, loaded.facts and loaded.facts.longest[name]),
      manual.first_sentence(waiter.documentation), marks(waiter))
    shown.print((line:gsub("%s+$", "")))
    print_acceptors(options, waiter)
  end
  if not is_one_of_all then print_inputs(loaded) end
end

---Returns the services of AWS: names, versions and waiters, without any shapes.
---@return bide.aws.Service[]
local function aws_services() return require("bide.model.aws.data").services() end

local service_row = "  %-34s %7s  %-12s %s"

local function print_services()
  shown.print(service_row:format("SERVICE", "WAITERS", "API VERSION", "NAME"))
  for _, service in ipairs(aws_services()) do
    shown.print(service_row:format(service.name, #option.sorted_names(service.waiters), service.apiVersion,
      service.fullName or ""))
  end
  shown.print("", "bide aws SERVICE lists the waiters of a service, and their inputs.")
end

---The members of a waiter in JSON, in seconds.
local function json_of(waiter, default)
  return {
    name = waiter.name, operation = waiter.operation, documentation = waiter.documentation and plain(waiter.documentation),
    minDelay = duration.seconds(waiter.min_delay), maxDelay = duration.seconds(waiter.max_delay),
    lateness = waiter.lateness and waiter.lateness / limits.BILLIONTHS, opposite = waiter.opposite,
    countsAsReady = waiter.definition.countsAsReady, countsAsGone = waiter.definition.countsAsGone,
    tags = core.json.array(waiter.tags), deprecated = waiter.deprecated, default = waiter.name == default or nil,
    inputs = waiter.inputs and tables.as_object(waiter.inputs),
  }
end

---@class bide.cli.Printer
---@field recipe fun(name: string, loaded: bide.Recipe, options: table)
---@field services fun() prints the services of AWS
---@field finish fun(): integer code

---@return bide.cli.Printer
local function text_printer(options)
  if #options.recipes == 0 then
    shown.print("RECIPE", row_of(options):format("WAITER", "OPERATION", "DELAYS", "DOCUMENTATION", ""))
  end
  return {
    recipe = print_recipe, services = print_services,
    finish = function()
      if #options.recipes == 0 then shown.print("aws:SERVICE", "  bide aws lists the services of AWS and their waiters.") end
      return exit_code.SUCCESS
    end,
  }
end

---@return bide.cli.Printer
local function json_printer()
  local list = core.json.array {}
  return {
    recipe = function(name, loaded, options)
      local waiters = core.json.array {}
      for position, waiter in ipairs(loaded.names) do
        waiters[position] = json_of(with_options(options, loaded.waiters[waiter]), loaded.default)
      end
      list[#list + 1] = { recipe = name, file = loaded.file, waiters = waiters,
        apiVersion = loaded.facts and loaded.facts.api_version }
    end,
    services = function()
      for _, service in ipairs(aws_services()) do
        list[#list + 1] = { service = service.name, recipe = "aws:" .. service.name, apiVersion = service.apiVersion,
          fullName = service.fullName, file = service.file, waiters = core.json.array(option.sorted_names(service.waiters)) }
      end
    end,
    finish = function()
      local text = assert(core.json.encode(list, { indent = true, escape = true }))
      return exit_code.unless_reported(exit_code.SUCCESS, shown.print_document(text, "\n"))
    end,
  }
end

---@return bide.cli.Printer
local function markdown_printer(options)
  local markdown = require "bide.cli.help.markdown"
  local is_list = #options.recipes == 0
  if is_list then shown.print(table.unpack(markdown.list_head())) end
  return {
    recipe = function(name, loaded)
      shown.print(table.unpack(is_list and { markdown.list_row(name, loaded) } or markdown.page(name, loaded)))
    end,
    services = print_services,
    finish = function() return exit_code.SUCCESS end,
  }
end

local printers = { text = text_printer, json = json_printer, markdown = markdown_printer }

---The names that --tag and --service may have for the waiters that were listed, and how many they have chosen.
---@class bide.cli.Choice
---@field tags table<string, true>
---@field services table<string, true>
---@field count integer

---Returns the names of the waiters that the options choose.
---@param choice bide.cli.Choice
local function choose(loaded, options, choice)
  local names = {}
  for _, name in ipairs(loaded.names) do
    local waiter = loaded.waiters[name]
    local services = options.service and loaded.facts and loaded.facts.services(waiter.operation) or {}
    for _, service in ipairs(services) do choice.services[service] = true end
    for _, tag in ipairs(waiter.tags) do choice.tags[tag] = true end
    local is_chosen = not options.service or tables.has(services, options.service)
    for _, tag in ipairs(options.tag) do is_chosen = is_chosen and tables.has(waiter.tags, tag) end
    if is_chosen then names[#names + 1] = name end
  end
  choice.count = choice.count + #names
  return names
end

---Returns what is wrong with the name of a tag or a service.
---@param known table<string, true>
---@return string? mistake
local function mistake_of_name(noun, name, known)
  if known[name] then return nil end
  local mistake = next(known) and option.unknown(noun, name, option.sorted_names(known)) or ("no waiter here has a " .. noun)
  return ("--%s %s: %s"):format(noun, name, mistake)
end

---Returns why --tag and --service have chosen no waiter; nil if they have chosen one, or are not given.
---@param choice bide.cli.Choice
---@return string? mistake
local function mistake_of_choice(options, choice)
  if choice.count > 0 or not options.service and #options.tag == 0 then return nil end
  for _, tag in ipairs(options.tag) do
    local mistake = mistake_of_name("tag", tag, choice.tags)
    if mistake then return mistake end
  end
  return options.service and mistake_of_name("service", options.service, choice.services)
    or "no waiter has all that --tag and --service ask for"
end

---Lists a recipe, or the services of AWS for the name `aws:`.
---@param printer bide.cli.Printer
---@param name string
---@param with bide.With
---@param choice bide.cli.Choice
---@return boolean? done
---@return string? mistake
---@return boolean? has_none
local function list_one(printer, name, options, with, choice)
  if recipe_path.service_of(name) == "" then
    local mistake = recipe_path.refusal_of(name)
    if not mistake then printer.services() end
    return not mistake, mistake
  end
  local loaded, mistake, has_none = bide.load(name, { with = with })
  if not loaded then return nil, mistake, has_none end
  loaded.names = choose(loaded, options, choice)
  printer.recipe(name, loaded, options)
  return true
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  untrusted.apply(options, { recipes = tables.joined(options.recipes, options.with) })
  process.restrain_recipes()
  local with, problem = recipe.read_with(options.with)
  if not with then parser.fail_in_lines(problem) end
  local are_named = #options.recipes > 0
  local code, printer = exit_code.SUCCESS, printers[options.output](options)
  local choice = { tags = {}, services = {}, count = 0 }
  for _, name in ipairs(are_named and options.recipes or recipe_path.names()) do
    local done, mistake, has_none = list_one(printer, name, options, with, choice)
    if not done and (are_named or not has_none) then -- a file for --with in BIDE_PATH is not a recipe, and not a mistake
      shown.complain_in_lines(mistake)
      code = exit_code.USAGE
    end
  end
  local mistake = code == exit_code.SUCCESS and mistake_of_choice(options, choice)
  if mistake then parser.fail(mistake) end
  local finished = printer.finish()
  return code == exit_code.SUCCESS and finished or code
end

return M
