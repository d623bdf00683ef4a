---`--store URL`: waits that are submitted to a store, where any worker makes them.

local cells = require "bide.record.store.cells"
local core = require "bide.core"
local definitions = require "bide.cli.store.definition"
local digest = require "bide.digest"
local exit_code = require "bide.cli.ending.exit_code"
local luv = require "luv"
local named_secret = require "bide.recipe.input.named_secret"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local questions = require "bide.record.journal.question"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local store_urls = require "bide.record.store.url"
local stores = require "bide.record.store.open"
local verbs = require "bide.record.store.verbs"
local Wait = require "bide.wait.run"

local json = core.json

local M = {}

local lane_of = { high = 1, normal = 2, low = 3 }

---Returns the URLs of the stores of a command; ends the process if there is none.
---@param options table of the command line
---@return string[]
local function urls_of(options)
  local urls = #options.store > 0 and options.store or store_urls.of_environment()
  if (urls[1] or "") == "" then parser.fail "no store: give --store URL, or set BIDE_STORE" end
  return urls
end

---Returns the URL of the store of a command that takes one; ends the process if there is another number of them.
---@param options table of the command line
---@param command string its name
---@return string
function M.url(options, command)
  local urls = urls_of(options)
  if #urls > 1 then parser.fail(("%s takes one store, and %d are given: run it once for each"):format(command, #urls)) end
  return urls[1]
end

---Ends the process if there is no store.
---@param options table of the command line
---@param store bide.Store?
---@param mistake string?
---@return bide.Store
local function need(options, store, mistake)
  if store then return store end
  mistake = assert(mistake):gsub("^url: ", "")
  return parser.fail(#options.store > 0 and mistake:gsub("^expected", "--store: expected") or mistake)
end

---Opens the store of a command that takes one; ends the process if there is none.
---@param options table of the command line
---@param command string its name
---@param opening? bide.record.Opening
---@return bide.Store
function M.open(options, command, opening)
  return need(options, stores.open(M.url(options, command), opening))
end

---Reads the stores of a command, and opens the only one; ends the process if there is none.
---@param options table of the command line
---@param opening? bide.record.Opening
---@return bide.record.Cells
function M.open_cells(options, opening)
  local list, mistake = cells.new(urls_of(options), opening)
  if not list then parser.fail((#options.store > 0 and "--store: " or "BIDE_STORE: ") .. mistake) end
  if #list.places == 1 then need(options, list:at(list.places[1])) end
  return list
end

---Returns the store that a run is in; ends the process if it is in none.
---@param options table of the command line
---@param list bide.record.Cells
---@param run integer
---@return bide.Store
function M.store_of(options, list, run)
  return need(options, list:of_run(run))
end

---Ends the process, or the command, if a verb failed: with 2 if nothing was done, with 70 if that is not known.
---@param result any
---@param failure bide.record.Failure
---@return any result
function M.check(result, failure)
  if result then return result end
  if not failure.is_uncertain then parser.fail(failure.message) end
  shown.complain(failure.message)
  require("bide.cli.ending.process").exit(exit_code.FAULT)
end

-- ---- what is submitted -----------------------------------------------------------------------

---Ends the process if there is a secret by name where none can be.
---@param options table of the command line
---@param list bide.NamedSecret[]
---@param is_sent boolean
local function check_named(options, prepared, list, is_sent)
  local first = list[1]
  if first and not is_sent then
    parser.fail(("%s: a secret by name is for a store in a database; workers of a file run as you do"):format(first.path))
  elseif first and options.work then
    parser.fail(("%s: with --work this process has no secrets: leave it out, and let bide worker --secrets make the attempts")
      :format(first.path))
  end
  for _, one in ipairs(list) do
    if #one.keys == 1 and one.path == prepared.waiter.token_member then
      parser.fail(one.path .. ": the idempotency token is no secret")
    end
  end
end

local function fail_of_secret(name)
  parser.fail(("input: %s: a store keeps no secrets, and this value is one"):format(shown.line(name)))
end

---Ends the process if an input has a value that is secret.
---@param prepared bide.PreparedWait
---@param named bide.NamedSecret[] those that the store has the names of
local function refuse_secrets(prepared, named)
  local mask, document = secret.of_wait(prepared), prepared.input
  if #named > 0 then document = assert(json.document(named_secret.others(named, document))) end
  if prepared.token and secret.is_remembered(prepared.token) then
    fail_of_secret(prepared.waiter.token_member)
  elseif prepared.token then
    mask:open(prepared.token)
  end
  if document:type() ~= "object" then parser.fail "the input: expected an object" end
  if document:json { redact = mask, input = true } == document:json() then return end
  local members = document:value()
  for _, name in ipairs(option.sorted_names(members)) do
    local member = assert(json.document { [name] = members[name] })
    if json.encode(member, { redact = mask, input = true }) ~= json.encode(member) then
      fail_of_secret(name)
    end
  end
end

---Ends the process if a wait is about the machine that makes its attempts, and any machine may make them.
---@param options table of the command line
---@param prepared bide.PreparedWait
local function require_queue(options, prepared)
  if prepared.waiter.place ~= "local" or options.queue then return end
  parser.fail(("%s is about the machine that makes the attempt: give --queue Q, which workers of that machine serve")
    :format(prepared.waiter.name))
end

---Returns the milliseconds until the first attempt of a wait.
local function first_delay(prepared)
  local limits = prepared.limits
  if not limits.initial_delay then return 0 end
  local state = assert(core.wait.restore(prepared.waiter.compiled, Wait.new_record(prepared.waiter, limits), 0))
  return state:first(limits.initial_delay)
end

---@param options table of the command line
---@param is_sent boolean whether the files of recipes are sent
---@return bide.record.NewWait
local function new_wait(options, prepared, branch, input, label, is_sent)
  local named = named_secret.list(input)
  check_named(options, prepared, named, is_sent)
  refuse_secrets(prepared, named)
  return {
    definition = definitions.of(branch, is_sent, options.sign, not is_sent and questions.is_of_folder(prepared)),
    input = assert(json.encode(input)), token = prepared.token, label = label,
    delay = first_delay(prepared) * 1000, max_wait = prepared.limits.max_wait * 1000,
  }
end

---The part of a max wait over which first attempts may be spread, so that each wait has time for others.
local PART = 10

---Returns what distinguishes requests for another share of the workers' attention, or another history. An earlier release had
---neither in the digest, and a request that it has made remains the same one.
---@param run bide.record.NewRun
---@return string
local function beside_default(run)
  if run.lane == lane_of.normal and run.history == "some" then return "" end
  return string.pack("<I1s4", run.lane, run.history)
end

---Passes on waits as a store takes them, and completes the run with what is known at their end: how many must succeed, the
---time over which a large run is spread, and what makes two requests the same, which is all but the bundles and the tokens
---that were drawn. Ends the process at the first mistake, before the store has kept anything.
---@param store bide.Store
---@param options table of the command line
---@param waits bide.cli.Stream
---@param run bide.record.NewRun
---@param add fun(wait: bide.record.NewWait): string?
local function pass_on(store, options, waits, run, add)
  local count, sum, outcomes = 0, "", nil
  run.spread = verbs.most.spread
  waits.each(function(prepared, branch, input, label)
    parser.set_place(label)
    if waits.is_fleet and branch.codes then parser.fail "--exit-code: with a store it is for one wait" end
    if store.sends_files then require_queue(options, prepared) end
    local wait = new_wait(options, prepared, branch, input, label, store.sends_files)
    local mistake = add(wait)
    if mistake then parser.fail(mistake) end
    local token = not prepared.is_new_token and prepared.token or ""
    count = count + 1
    if not waits.is_fleet then outcomes = prepared.waiter:outcome_names() end
    local limits <const> = prepared.limits
    run.spread = math.min(run.spread, limits.min_delay * 1000, limits.max_wait * 1000 // PART)
    sum = digest.sha256(string.pack("<s4s4s4s4s4", sum, wait.definition.waiter, wait.definition.body, wait.input, token))
    parser.set_place(nil)
  end)
  run.need = waits.needed(count)
  run.about = assert(json.encode {
    fleet = waits.is_fleet, named = waits.has_names, worst = waits.takes_worst, keepsGoing = waits.keeps_going,
    outcomes = outcomes,
  })
  run.submit_digest = digest.sha256(string.pack("<s4s4s4s4s4", sum, tostring(run.need), tostring(run.keeps_going),
    tostring(run.jobs), run.queue) .. beside_default(run))
end

---Returns the run of waits, which the store is then to be given.
---@param options table of the command line
---@param store bide.Store
---@param waits bide.cli.Stream
---@return bide.record.NewRun
function M.new_run(options, store, waits)
  local run = {
    queue = options.queue or "default", lane = lane_of[options.priority or "normal"], keeps_going = waits.keeps_going,
    jobs = options.jobs, seed = options.seed and options.seed.seed or core.wait.random_seed(),
    history = options.history or "some", submit_token = options.submit_token,
  }
  function run.each(add) pass_on(store, options, waits, run, add) end
  return run
end

---Looks for a mistake in waits before a file is made for them, which would stay there without any; ends the process if there is
---one.
---@param url string of the store
---@param options table of the command line
---@param waits bide.cli.Stream
function M.check_for_file(url, options, waits)
  local file = stores.file(url)
  if not file or luv.fs_stat(file) then return end
  M.new_run(options, { sends_files = false }, waits).each(verbs.new_count())
end

---Opens the store to which a command submits waits; ends the process if there is none. Those of --each are not looked at before:
---they may be many.
---@param options table of the command line
---@param waits bide.cli.Stream
---@return bide.Store
function M.open_for(options, waits)
  if not options.each then M.check_for_file(urls_of(options)[1], options, waits) end
  return need(options, M.open_cells(options):for_run(options.submit_token))
end

---Submits waits; ends the process if they are refused.
---@param options table of the command line
---@param store bide.Store
---@param waits bide.cli.Stream
---@return bide.record.Submitted
function M.submit(options, store, waits)
  local made, failure
  local _, mistake, has_lines = parser.attempt(function()
    made, failure = store:submit(M.new_run(options, store, waits))
  end)
  if mistake then
    store:close() -- which removes what a file has of a long list before its mistake
    parser.set_place(nil)
    parser[has_lines and "fail_in_lines" or "fail"](mistake)
  end
  return M.check(made, failure)
end

return M
