---The options of a store, apart from what serves them: most commands have the options, and few are given any.

local option = require "bide.text.option"

local M = {}

local SECTION = "Store"

---Adds `--store`, which may be repeated: a command that takes one store says so.
---@param command table
---@param more? string what its help says beyond that
function M.add_store(command, more)
  command:begin_section(SECTION)
  local words = "The store: sqlite:FILE, a path, or postgres://ROLE@HOST/DATABASE. Default: BIDE_STORE."
  command:option("--store", words .. (more or "")):argname("URL"):count "*"
end

---Adds `--store` of a command that takes several.
---@param command table
function M.add_cells(command)
  M.add_store(command, " May be repeated for cells, with a number each: postgres://ROLE@HOST/DATABASE?cell=N.")
end

---Reads the number of a run, in digits alone, as it is printed.
---@param text string
---@return integer? run
---@return string? mistake
function M.read_run(text)
  local run = text:find "^[1-9]%d*$" and math.tointeger(tonumber(text)) or nil
  return run, not run and option.expected("the number of a run, such as 42", text) or nil
end

---Reads the name of a queue.
---@param text string
---@return string? queue
---@return string? mistake
function M.read_queue(text)
  local mistake = require("bide.record.store.verbs").mistake_of_name(text)
  return not mistake and text or nil, mistake
end

---Adds the options with which waits are submitted.
---@param command table
function M.add_submission(command)
  command:begin_section(SECTION)
  command:option("--queue", "The queue that workers serve. Default: default."):argname("Q"):reads(M.read_queue)
  command:option("--priority", "high, normal or low: the share of the workers' attention, 8:4:1. Default: normal."):argname("P")
    :one_of { "high", "normal", "low" }
  command:option("--sign", "Sign the recipe by this private key of ssh, for trusted workers that take its signer's recipes.")
    :argname("KEY")
  command:option("--submit-token", "Make the run once, whatever happens: the same T and request is the same run.")
    :argname("T"):reads(function(text) return require("bide.cli.words.shared_options").read_token(text) end)
  command:option("--history", "The attempts to keep of each wait: some, all or none. With some, the default, a database "
    .. "keeps the first 10 of more than 1,000 waits.")
    :argname("WHICH"):one_of { "some", "all", "none" }
end

---Adds the options of `bide run`.
---@param command table
function M.add_run(command)
  M.add_cells(command)
  M.add_submission(command)
  command:flag("--work", "Make the attempts of the queue in this process as well, until the run has ended.")
end

---Options of one process, and the reasons why a store has no use for them.
local refused = {
  { "journal", "the store is the journal of its waits" }, { "resume", "the waits of a store continue by themselves" },
  { "start", "the waits do not end with this process" }, { "start_log", "the waits do not end with this process" },
  { "while_pid", "the waits do not end with this process" },
  { "rate", "the rates of recipes hold, for all workers of a queue together" },
  { "explain", "other processes make the attempts; `bide jobs show RUN` has their history" },
  { "sandbox", "it is the worker that runs recipes in a sandbox, or does not" },
  { "record", "other processes make the attempts" }, { "wake_on", "other processes make the attempts" },
  { "deny_net", "the network of recipes is that of the workers, which have the same options" },
  { "memory", "other processes make the attempts" }, { "instructions", "other processes make the attempts" },
  { "script_time", "other processes make the attempts" },
}

---Returns the mistake if an option is given that has no meaning for a store.
---@param options table of the command line
---@return string?
function M.refusal_of(options)
  for _, row in ipairs(refused) do
    local name, value = row[1], options[row[1]]
    if value ~= nil and not (type(value) == "table" and next(value) == nil) then
      return ("--%s: not with --store: %s"):format(name:gsub("_", "-"), row[2])
    end
  end
end

---Returns what is wrong with the options of a store in the parts of a command line.
---@param list bide.cli.ParsedPart[]
---@return string? mistake
function M.mistake_of(list)
  local options = list[1].options
  if #options.store > 0 then
    if list[1].companion then return "--while: not with --store: the waits do not end with this process" end
    return M.refusal_of(options)
  end
  for _, name in ipairs { "work", "queue", "priority", "sign", "submit_token", "history" } do
    if options[name] then return ("--%s needs --store URL"):format((name:gsub("_", "-"))) end
  end
end

return M
