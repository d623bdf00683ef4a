---Several waits of one command: `--each`, `+`, and lists of waits. They run as a fleet.

local branches = require "bide.cli.waits.branch"
local fleet = require "bide.wait.fleet"
local parser = require "bide.cli.words.parser"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"

local M = {}

---@param command table
function M.add_options(command)
  command:begin_section "Several waits"
  command:mutex(
    command:flag("--all", "Succeed once every wait has succeeded (the default)."),
    command:flag("--any", "Succeed once one wait has succeeded."),
    shared.add_count(command, "--some", "Succeed once K waits have succeeded."):argname("K"))
  command:mutex(
    command:flag("--keep-going", "Let the other waits end after a failure that decides the result (the default of --each). "
      .. "The exit code is that of the worst failure."),
    command:flag("--fail-fast", "End at the first such failure, and cancel the other waits (the default of + and of lists). "
      .. "The exit code is that of this failure."))
  shared.add_count(command, "--jobs", "Run at most N attempts at a time.")
end

---Ends the process if an option for several waits is given for one.
---@param options table
function M.refuse_options(options)
  for _, name in ipairs { "all", "any", "some", "keep_going", "fail_fast", "jobs" } do
    if options[name] then
      parser.fail(("--%s needs several waits: --each FILE, or RECIPE … + RECIPE …"):format((name:gsub("_", "-"))))
    end
  end
end

---@class bide.cli.Group
---@field prepared bide.PreparedWait[]
---@field codes table<integer, table<string, integer>> the exit codes of named outcomes, by the position of the wait
---@field handed table<integer, bide.cli.Handed[]> what COMMAND gets of their outputs, by the position of the wait
---@field names string[] of the branches; empty for the lines of a file
---@field lines integer[] the numbers of the lines; empty for branches
---@field members table<integer, string> the members of the inputs that identify them
---@field taken table<string, true> names that were given
---@field gate bide.Gate? of --jobs
---@field branches bide.cli.Branch[] those of the waits
---@field inputs userdata[] as they were given
local Group = {}
Group.__index = Group

---@param options table of the command line
---@return bide.cli.Group
function M.new(options)
  return setmetatable({
    prepared = {}, codes = {}, handed = {}, names = {}, lines = {}, members = {}, taken = {}, branches = {}, inputs = {},
    gate = options.jobs and require("bide.task.line").new_gate(options.jobs),
  }, Group)
end

---Adds a wait; ends the process if the waiter refuses the input.
---@param branch bide.cli.Branch
---@param input userdata a document
---@return integer position
function Group:add(branch, input)
  local position = #self.prepared + 1
  branch.limits.gate = self.gate
  self.prepared[position], self.codes[position] = branches.prepare(branch, input), branch.codes
  self.branches[position], self.inputs[position] = branch, input
  self.handed[position] = branch.handed
  return position
end

---Adds the wait of a line.
---@param branch bide.cli.Branch
---@param input userdata a document
---@param line integer
---@param member string? of the input, which identifies it
function Group:add_line(branch, input, line, member)
  local position = self:add(branch, input)
  self.lines[position], self.members[position] = line, member
end

---`http#2` for the second branch, of http or of recipes/http.lua.
local function default_name(recipe, position)
  return ("%s#%d"):format(recipe:match("([^/]+)$"):gsub("%.[^.]*$", ""), position)
end

---Adds a branch; ends the process if another one has its name.
---@param branch bide.cli.Branch
---@param input userdata a document
---@param recipe string as it was given
---@param name string? of the branch
function Group:add_branch(branch, input, recipe, name)
  if name and not name:find "%S" then parser.fail "name: expected the name of the branch, found an empty text" end
  local position = self:add(branch, input)
  name = name or default_name(recipe, position)
  if self.taken[name] then parser.fail(("name: two branches are called %s"):format(shown.quote(name))) end
  self.names[position], self.taken[name] = name, true
end

local function needed(options, count)
  if options.any then return 1 end
  if not options.some then return count end
  if options.some > count then
    parser.fail(("--some: expected at most %d, the number of waits, found %d"):format(count, options.some))
  end
  return options.some
end

---Returns whether the waits continue after a failure that decides the result, and whether the worst failure gives the exit
---code. --any and --some end when they are decided, unless --keep-going is given.
---@param options table
---@return boolean keeps_going
---@return boolean takes_worst
local function ways_to_end(options)
  local is_each = options.each ~= nil and not options.fail_fast
  local has_count = options.any or options.some
  return options.keep_going or is_each and not has_count or false, options.keep_going or is_each
end

---Returns the name of a wait: `api` for a branch, `line 7 (id=n7)` for the wait of a line.
---@param one bide.PreparedWait
---@param position integer
---@return string
function Group:label(one, position)
  if self.names[position] then return self.names[position] end
  local text = require("bide.record.report.progress.identity").of(one, self.members[position])
  return text and ("line %d (%s)"):format(self.lines[position], text) or ("line %d"):format(self.lines[position])
end

---So many branches have a line each, in progress and in the result.
local MOST_LINES = 20

---@param options table of the command line
---@return bide.cli.Waits
function Group:waits(options)
  local count, has_names = #self.prepared, #self.names > 0
  local has_lines = has_names and count <= MOST_LINES
  local keeps_going, takes_worst = ways_to_end(options)
  local function label(one, position) return self:label(one, position) end
  fleet.spread(self.prepared)
  return {
    prepared = self.prepared, codes = self.codes, handed = self.handed, names = has_names and self.names or nil, label = label,
    branches = self.branches, inputs = self.inputs,
    needed = needed(options, count), keeps_going = keeps_going, takes_worst = takes_worst,
    new_progress = function(is_live)
      local progress = has_lines and require "bide.record.report.progress.waits" or require "bide.record.report.progress.fleet"
      return progress.new {
        live = is_live, verbose = options.verbose, heartbeat = true, count = count, label = label,
      }
    end,
    lines = function(record)
      local function label_at(position) return label(self.prepared[position], position) end
      return require("bide.record.report.fleet_summary").lines(record, label_at, options.verbose or has_lines)
    end,
  }
end

---Waits that come one after another, of which nothing is kept.
---@class bide.cli.Stream
---@field is_fleet boolean
---@field has_names boolean
---@field keeps_going boolean
---@field takes_worst boolean
---@field needed fun(count: integer): integer how many of them must succeed; ends the process if there are fewer
---@field each fun(give: fun(one: bide.PreparedWait, branch: bide.cli.Branch, input: userdata, label: string?))

---Returns the waits of a list.
---@param waits bide.cli.Waits
---@return bide.cli.Stream
function M.stream_of(waits)
  return {
    is_fleet = waits.needed ~= nil, has_names = waits.names ~= nil, keeps_going = waits.keeps_going or false,
    takes_worst = waits.takes_worst or false, needed = function() return waits.needed or 1 end,
    each = function(give)
      for position, one in ipairs(waits.prepared) do
        give(one, waits.branches[position], waits.inputs[position], waits.label and waits.label(one, position))
      end
    end,
  }
end

---Returns the waits of --each, each made as its line is read.
---@param options table of the command line
---@param common bide.cli.Branch
---@return bide.cli.Stream
function M.stream_of_lines(options, common)
  local keeps_going, takes_worst = ways_to_end(options)
  local each = require "bide.cli.waits.each"
  each.keep(options.each)
  return {
    is_fleet = true, has_names = false, keeps_going = keeps_going, takes_worst = takes_worst,
    needed = function(count) return needed(options, count) end,
    each = function(give)
      local earlier
      local function pass(group)
        local one = group.prepared[1]
        give(one, common, group.inputs[1], group:label(one, 1))
      end
      local lines = { add_line = function(_, branch, input, line, member)
        local group = M.new {}
        group:add_line(branch, input, line, member)
        if earlier then
          fleet.spread { earlier.prepared[1], group.prepared[1] }
          pass(earlier)
        end
        earlier = group
      end }
      each.read(options.each, common, lines)
      pass(earlier)
    end,
  }
end

return M
