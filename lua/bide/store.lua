---Stores, in which the waits of many processes live, for scripts: what bide submit, watch and jobs do on the command line.
---Workers make the attempts, as `bide worker` begins one. Its methods wait, while other tasks continue.
---
---    local things = assert(bide.load "things.lua")
---    local store <close> = assert(bide.store.open "postgres://app@db/bide")
---    local run = assert(store:submit { things.ThingExists:prepare({ name = "foo" }, { maxWait = 3600 }), queue = "night" })
---    local outcome = assert(store:watch(run))

local cells = require "bide.record.store.cells"
local client = require "bide.cli.store.client"
local core = require "bide.core"
local fleets = require "bide.wait.fleet"
local limits_of = require "bide.recipe.waiter.limits"
local named_secret = require "bide.recipe.input.named_secret"
local option = require "bide.text.option"
local outcomes = require "bide.wait.outcome"
local parser = require "bide.cli.words.parser"
local prepared_wait = require "bide.wait.prepared"
local rows = require "bide.cli.store.rows"
local script_error = require "bide.text.script_error"
local tables = require "bide.text.tables"
local verbs = require "bide.record.store.verbs"
local watches = require "bide.cli.store.watch"

---Its name in `bide`.
---@class bide
---@field store bide.store

---Called by itself it does what `open` does.
---@class bide.store
---@overload fun(url: string|string[]): bide.store.Store?, string?
local M = {}

---An open store.
---@class bide.store.Store
---@field private cells bide.record.Cells? until it is closed
local Store = {}
Store.__index = Store

---Returns what a method works with. Raises an error if it was called by `.`, or after the store was closed.
---@param name string of the method
---@return bide.record.Cells
local function opened(self, name)
  local list = getmetatable(self) == Store and self.cells or nil
  if not list then error(("%s: expected an open store, as in store:%s(…)"):format(name, name), 3) end
  return list
end

---Raises an error if an attempt of a worker is running: it may be made twice, and so would be what it submits.
---@param name string of the function that was called
local function refuse_in_attempt(name)
  local wait = core.task.argument_of_attempt()
  if wait and wait.has_turns then error(("bide.store: %s: not within the attempt of a worker"):format(name), 3) end
end

---Returns the URLs by which a script names a store.
---@param value any
---@return string[]? urls
---@return string? mistake
local function urls_of(value)
  local urls = type(value) == "table" and value or { value }
  local is_list = #urls > 0
  for _, url in ipairs(urls) do is_list = is_list and type(url) == "string" end
  return is_list and urls or nil, not is_list and option.expected("the URL of a store, or a list of them", value) or nil
end

---Opens a store, or several as cells, of which each run goes to one. A file that does not exist is made.
---@param url string|string[] sqlite:FILE, a path, or postgres://ROLE@HOST/DATABASE, without a password; of cells, each
---postgres://ROLE@HOST/DATABASE?cell=N
---@return bide.store.Store?
---@return string? mistake
function M.open(url)
  local urls, mistake = urls_of(url)
  if not urls then error("bide.store.open: " .. mistake, 2) end
  refuse_in_attempt "open"
  local list, store
  list, mistake = cells.new(urls)
  if not list then return nil, mistake end
  if #urls == 1 then
    store, mistake = list:at(list.places[1])
    if not store then return nil, mistake end
  end
  return setmetatable({ cells = list }, Store)
end

-- ---- what is submitted ---------------------------------------------------------------------------

---Prepared waits, one after another, and how they are made.
---@class bide.store.Submission
---@field [integer] bide.PreparedWait
---@field queue string? "default" if it is nil
---@field priority "high"|"normal"|"low"|nil "normal" if it is nil
---@field jobs integer? how many of the waits are open at a time; all if it is nil
---@field history "some"|"all"|"none"|nil the attempts to keep of each wait, as of --history; "some" if it is nil
---@field needed integer? how many of the waits must succeed; all if it is nil
---@field keepGoing boolean? whether the others continue after a failure that decides the result
---@field submitToken string? makes the run once: the same token and request is the same run

local queue_name = { "the name of a queue", function(value)
  return type(value) == "string" and not verbs.mistake_of_name(value)
end }

local kinds = {
  queue = queue_name, priority = option.one_of { "high", "normal", "low" }, jobs = option.kinds.size,
  history = option.one_of { "some", "all", "none" }, needed = option.kinds.size, keepGoing = option.kinds.flag,
  submitToken = option.kinds.identifier,
}

---Returns the options of the command line with which workers reach the service of a model as the script does.
---@param connection bide.LoadOptions
---@return bide.cli.Given[]
local function words_of(connection)
  local given = {}
  for _, name in ipairs { "endpoint", "region", "profile", "no_sign_request", "fips", "dual_stack" } do
    local word, value = "--" .. name:gsub("_", "-"), connection[name]
    if value then table.insert(given, { name = word, words = value == true and { word } or { word, value } }) end
  end
  for _, name in ipairs { "bearer", "basic", "api_key" } do
    if connection[name] then parser.fail(name .. ": a store keeps no secrets, and other processes make the requests") end
  end
  return given
end

---Returns a prepared wait as the command line has it.
---@param prepared bide.PreparedWait
---@return bide.cli.Branch
local function branch_of(prepared)
  local waiter <const> = prepared.waiter
  local files = waiter.files
  if not files then
    parser.fail(("%s: a waiter of bide.waiter is in no file that workers could load: put it into a recipe"):format(waiter.name))
  end
  return {
    waiter = waiter, limits = prepared.limits, recipe = files.name, with = files.with, given = words_of(files.connection or {}),
  }
end

---Returns the input of a prepared wait without a token that was drawn for it: the store has it beside.
---@param prepared bide.PreparedWait
---@return userdata
local function input_of(prepared)
  if not prepared.is_new_token then return prepared.input end
  local members = prepared.input:value()
  members[prepared.waiter.token_member] = nil
  return assert(core.json.document(members))
end

---Returns waits as they are submitted. Those of one waiter with the same limits share a branch.
---@param list bide.PreparedWait[]
---@param request bide.store.Submission
---@param input? userdata that of the only wait, with its secrets by name
---@return bide.cli.Stream
local function stream_of(list, request, input)
  local is_fleet, branches = #list > 1, {}
  return {
    is_fleet = is_fleet, has_names = false, takes_worst = false, keeps_going = request.keepGoing or false,
    needed = function(count) return request.needed or count end,
    each = function(give)
      for position, prepared in ipairs(list) do
        local of_waiter = branches[prepared.waiter] or {}
        branches[prepared.waiter] = of_waiter
        of_waiter[prepared.limits] = of_waiter[prepared.limits] or branch_of(prepared)
        local label = is_fleet and ("%s#%d"):format(prepared.waiter.name, position) or nil
        give(prepared, of_waiter[prepared.limits], input or input_of(prepared), label)
      end
    end,
  }
end

---Returns the waits and the options of a request. A wait that has begun before, or is given twice, is another request each time.
---@param request bide.store.Submission
---@return bide.PreparedWait[]? list
---@return string? mistake
local function read(request)
  if type(request) ~= "table" then return nil, option.expected("prepared waits and options", request) end
  local list, options, is_taken = {}, tables.merged(request), {}
  for position, prepared in ipairs(request) do
    if not prepared_wait.is_one(prepared) then
      return nil, ("%d: %s"):format(position, option.expected("what waiter:prepare(input, options) gives", prepared))
    end
    list[position], options[position] = prepared:for_store(is_taken[prepared]), nil
    is_taken[prepared] = true
  end
  if #list == 0 then return nil, "expected at least one wait, of waiter:prepare(input, options)" end
  local mistake = option.check(options, kinds)
  if not mistake and request.needed and request.needed > #list then
    mistake = "needed: " .. option.expected(("a whole number from 1 to %d"):format(#list), request.needed)
  end
  return not mistake and list or nil, mistake
end

---Returns the options of a request as the command line has them.
---@param request bide.store.Submission
local function options_of(request)
  return {
    queue = request.queue, priority = request.priority, jobs = request.jobs, history = request.history,
    submit_token = request.submitToken,
  }
end

---Returns the mistake in waits with which f ends.
---@param f fun()
---@return string? mistake
local function attempt(f)
  local mistake = select(2, parser.attempt(f))
  parser.set_place(nil)
  return mistake
end

---Submits waits that were read.
---@param stores bide.record.Cells
---@param list bide.PreparedWait[]
---@param request bide.store.Submission
---@param input? userdata that of the only wait, with its secrets by name
---@return integer? run nil if there is a mistake, or the store failed
---@return string? failure
---@return string? mistake
---@return boolean? created
local function submit(stores, list, request, input)
  local store, unopened = stores:for_run(request.submitToken)
  if not store then return nil, unopened end
  if #list > 1 then fleets.spread(list) end
  local made, failure
  local mistake = attempt(function()
    made, failure = store:submit(client.new_run(options_of(request), store, stream_of(list, request, input)))
  end)
  if not made then return nil, failure and failure.message, mistake end
  for _, prepared in ipairs(request) do prepared:note_submitted() end
  return made.run, nil, nil, made.created
end

---Submits waits, which then outlive this process. Raises a mistake in them, such as a secret, before anything is written.
---@param request bide.store.Submission
---@return integer? run its number; nil if the store failed
---@return string? failure
---@return boolean? created false if it is a run that was submitted before with the same submitToken, which may have ended
function Store:submit(request)
  local stores = opened(self, "submit")
  refuse_in_attempt "submit"
  local list, mistake = read(request)
  if not list then error("submit: " .. mistake, 2) end
  local run, failure, created
  run, failure, mistake, created = submit(stores, list, request)
  if mistake then error("submit: " .. mistake, 2) end
  return run, failure, created
end

-- ---- runs ----------------------------------------------------------------------------------------

---Raises an error if a value is not the number of a run.
local function check_run(name, run)
  if math.type(run) ~= "integer" or run < 1 then
    error(("%s: %s"):format(name, option.expected("the number of a run", run)), 3)
  end
end

---Waits for the end of a run.
---@param run integer
---@return bide.Outcome|bide.FleetResult|nil result as `waiter:wait` gives it for one wait, and `bide.all` for several; nil if it
---failed, or if it is not known how it ended
---@return bide.Outcome|bide.FleetResult|string|nil failure its outcome, or the words of why that is not known
function Store:watch(run)
  local stores = opened(self, "watch")
  check_run("watch", run)
  local store, unopened = stores:of_run(run)
  if not store then return nil, unopened end
  local record, why = watches.record(store, run)
  if not record then return nil, why --[[@as string]] end
  local result = why and fleets.result_of(record) or outcomes.of_record(record)
  if result.state == "success" then return result end
  return nil, result
end

---Cancels the waits of a run that have not ended.
---@param run integer
---@return boolean? cancelled false if the run had ended; nil if the store failed or has no such run
---@return string? failure
function Store:cancel(run)
  local stores = opened(self, "cancel")
  check_run("cancel", run)
  local store, unopened = stores:of_run(run)
  if not store then return nil, unopened end
  local state, failure = store:cancel(run)
  if not state then return nil, failure.message end
  if state == "unknown" then return nil, verbs.unknown_run(run).message end
  return state ~= "ended"
end

local kinds_of_list = {
  state = option.one_of { "open", "ended" }, queue = queue_name, limit = option.kinds.size, after = option.kinds.count,
}

---Lists runs, those with lower numbers first.
---@param filter? { state: "open"|"ended"|nil, queue: string?, limit: integer?, after: integer? } at most `limit`, 100 if it is
---nil, with greater numbers than `after`
---@return bide.store.Run[]? runs nil if the store failed
---@return string? failure
function Store:list(filter)
  local stores = opened(self, "list")
  local mistake = filter and option.check(filter, kinds_of_list)
  if mistake then error("list: " .. mistake, 2) end
  local found, failure = rows.list(stores, filter or {})
  if not found then return nil, failure.message end
  if found.broken[1] then return nil, found.broken[1].failure.message end
  return tables.mapped(found.runs, rows.run)
end

---Closes the store. Its runs continue; a method that waits for it fails.
function Store:close()
  if getmetatable(self) ~= Store then error("close: expected a store, as in store:close()", 2) end
  local list = self.cells
  self.cells = nil
  if list then list:close() end
end

Store.__close = Store.close

-- ---- one wait ------------------------------------------------------------------------------------

---Returns the input of a wait, and what it is prepared with: substitutes are in the place of secrets by name. Raises a mistake
---in it at the level of the caller's caller.
---@return userdata input
---@return userdata substituted
local function read_input(input)
  local document, mistake = core.json.document(input == nil and {} or input)
  local substituted
  if document then substituted, mistake = named_secret.substitute(document, true) end
  if not substituted then error("input: " .. tostring(mistake), 3) end
  return document, substituted
end

---Submits a wait and follows it, for `waiter:wait(input, { store = URL, … })`.
---@param waiter bide.Waiter
---@param input any with secrets by name, if there are any: `{ password = { ["$secret"] = "db" } }`
---@param options bide.WaitOptions
---@return bide.Outcome? outcome
---@return bide.Outcome|string|nil failure
function M.wait(waiter, input, options)
  refuse_in_attempt "wait"
  local limits, request = tables.merged(options), {}
  local urls, no_urls = urls_of(options.store)
  if not urls then error("store: " .. no_urls, 2) end
  for _, name in ipairs(limits_of.of_store) do limits[name], request[name] = nil, options[name] end
  request.store = nil
  local given, substituted = read_input(input)
  local is_prepared, prepared = pcall(waiter.prepare, waiter, substituted:value(), limits)
  if not is_prepared then
    script_error.pass_out_of_memory(prepared)
    error(prepared, 2)
  end
  request[1] = prepared
  local list, mistake = read(request)
  mistake = mistake or attempt(function()
    client.check_for_file(urls[1], options_of(request), stream_of(list --[[@as bide.PreparedWait[] ]], request, given))
  end)
  if not list or mistake then error(mistake, 2) end
  local store <close>, unopened = M.open(urls)
  if not store then return nil, "store: " .. unopened end
  local run, failure, created
  run, failure, mistake, created = submit(opened(store, "wait"), list, request, given)
  if mistake then error(mistake, 2) end
  if not run then return nil, failure end
  local outcome, why = store:watch(run)
  local ended = outcome or why
  if outcomes.is(ended) and not created then ended.created = false end
  if outcome then return outcome --[[@as any]] end
  return nil, why --[[@as any]]
end

return setmetatable(M, { __call = function(_, url) return M.open(url) end })
