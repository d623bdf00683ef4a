---The module `bide`: waiters, and everything that scripts need for waiting.
---
---    local bide = require "bide"
---    local things = assert(bide.load("things.lua"))
---    local outcome = assert(things.ThingExists:wait({ name = "foo" }, { maxWait = 300 }))
---    print(outcome.message)

local await = require "bide.task.await"
local core = require "bide.core"
local custom = require "bide.recipe.waiter.custom"
local definition = require "bide.recipe.waiter.definition"
local duration = require "bide.text.duration"
local declaration = require "bide.recipe.input.declaration"
local option = require "bide.text.option"
local policy = require "bide.probe.http.policy"
local prepared_wait = require "bide.wait.prepared"
local recipe = require "bide.recipe.loader"
local schema = require "bide.recipe.waiter.schema"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"
local waiter = require "bide.wait.waiter"

require "bide.model.for_recipes"

function prepared_wait.make_step(...) return require("bide.record.step").make(...) end

---@class bide
local bide = {
  VERSION = require "bide.version",
  ---JSON null; the same value as cjson.null.
  null = core.json.null,
  ---Functions that read and write JSON faithfully.
  json = core.json,
  matcher = custom.register,
  jmespath = require("bide.recipe.expression.jmespath").of(vocabulary.common),
  token = require("bide.probe.asking.operation").new_token,
}

local text, flag = option.kinds.text, option.kinds.flag
local names = { "the name of a file, or a list of them", function(value)
  return type(value) == "string" or type(value) == "table"
end }

---The options of bide.load: `with`, the connection of a model, and `words` of bide's own command line.
local kind_of_load = {
  with = names, endpoint = text, bearer = text, basic = text, api_key = text, region = text, profile = text,
  no_sign_request = flag, fips = flag, dual_stack = flag, is_sandboxed = flag, words = option.kinds.table,
}

---Lets the waiters of a model call their operations. What they need for that is looked for when one is used. A script
---outside of the sandbox may do all that the user may, and so may the models that it opens.
---@param loaded bide.Recipe
---@param options bide.LoadOptions
local function connect(loaded, options)
  loaded.files.connection = options
  local connection = tables.merged({ is_trusted = not options.is_sandboxed }, options)
  for _, name in ipairs(loaded.names) do
    local one = loaded.waiters[name]
    one.connect = function()
      return loaded.facts.connect(one.operation, connection, function(given) return given end)
    end
  end
end

---Loads a recipe: a file, the name of a bundled recipe, or a service of AWS.
---@param file string
---@param options? bide.LoadOptions
---@return bide.Recipe?
---@return string? mistake
---@return boolean? has_none
---@return bide.WaitList? list
function bide.load(file, options)
  if type(file) ~= "string" then error("bide.load: " .. option.expected("the name of a file", file), 2) end
  local mistake = options and option.check(options, kind_of_load)
  if mistake then error("bide.load: " .. mistake, 2) end
  local loaded, problem, has_none, list = recipe.load(file, options, waiter.of_checked)
  if loaded and loaded.facts then connect(loaded, options or {}) end
  return loaded, problem, has_none, list
end

---Returns the operation of a definition, its `call` or its `prepare`: a function, or a table with one, under either name.
---@return function? call
---@return function? prepare
local function take_operation(given)
  local operation, prepare = given.call or given.operation, given.prepare
  if type(operation) == "table" then operation, prepare = operation.call, prepare or operation.prepare end
  if operation ~= nil and prepare ~= nil then error("bide.waiter: prepare: expected one of call and prepare, found both", 3) end
  local name, found = prepare ~= nil and "prepare" or "call", prepare or operation
  if type(found) ~= "function" then
    error(("bide.waiter: %s: %s"):format(name, option.expected("a function, the operation", found)), 3)
  end
  return operation, prepare
end

---@class bide.WaiterDefinition : bide.WaiterStructure
---@field name? string
---@field call? fun(input: any): any the operation, which makes an attempt
---@field prepare? fun(input: any): (fun(): any)?, string? in place of call: reads an input once, when a wait begins, and
---returns the function that makes each of its attempts; or nil and the mistake in the input. It may not wait
---@field witness? fun(context: bide.MatcherContext): any asks a second question before a success counts, which it does only if
---this returns exactly `true`; else the attempt leads to another one, or ends the wait after a 401 or 403. It may wait
---@field watch? fun(input: any, wake: bide.Wake) runs beside a wait, and calls `wake` when something has happened
---@field watch_key? fun(input: any): string? waits with the same key share one watch
---@field watch_name? fun(input: any): string? the name by which a shared watch wakes a wait
---@field input? bide.Inputs the inputs of the operation; any input by default
---@field check? fun(input: table): string? returns the mistake in an input, before anything is sent
---@field idempotencyToken? string
---@field secret? string[] names of members that are secret, at any depth of inputs and outputs
---@field rate? string
---@field share? boolean
---@field retry? string|bide.RetryOptions

---The names of which a warning was printed.
local warned = {}

---Returns the name of a waiter. Warns of a name that no recipe may use, which the next release refuses.
local function take_name(name)
  if name == nil then return "Waiter" end
  if type(name) ~= "string" then error("bide.waiter: name: " .. option.expected("a string", name), 3) end
  if not definition.is_name(name) and not warned[name] then
    warned[name] = true
    shown.warn(("bide.waiter: name: %s; the next release refuses it")
      :format(option.expected(definition.NAME, name)))
  end
  return name
end

---Checks a member that a recipe has beside `call`, and raises its mistake.
local function take(member, check, value)
  local report = schema.report()
  if value ~= nil then check(report, member, value) end
  local problem = report.problems[1]
  if problem then error(("bide.waiter: %s: %s"):format(problem.path, problem.text), 3) end
  return value
end

---The members of a definition that belong to the operation.
local of_operation = { "name", "call", "prepare", "operation", "input", "check", "idempotencyToken", "secret",
  "watch", "watch_key", "watch_name", "witness" }

local is_function = schema.of(option.kinds.callable)

local function check_structure(structure)
  local report = definition.check(structure, true)
  local mistake = definition.first_error(report)
  if mistake then error(("bide.waiter: %s: %s"):format(mistake.path, mistake.text), 3) end
  for _, warning in ipairs(report.problems) do shown.warn(("bide.waiter: %s: %s"):format(warning.path, warning.text)) end
end

---Makes a waiter from a Waiter structure with a `call` or a `prepare`, and a `name` for messages.
---@param given bide.WaiterDefinition
---@return bide.Waiter
function bide.waiter(given)
  if type(given) ~= "table" then error("bide.waiter: " .. option.expected("a definition", given), 2) end
  local waiter_name = take_name(given.name)
  local call, prepare = take_operation(given)
  local structure = tables.merged(given)
  for _, member in ipairs(of_operation) do structure[member] = nil end
  local token = given.idempotencyToken
  if token ~= nil and option.mistake(token, option.kinds.identifier) then
    error("bide.waiter: idempotencyToken: " .. option.expected("the name of a member of the input", token), 2)
  end
  if given.opposite ~= nil then error("bide.waiter: opposite: only a waiter of a recipe has one", 2) end
  local name = type(given.operation) == "string" and given.operation or nil
  local operation = {
    name = name, call = call, prepare = prepare, idempotencyToken = token,
    input = take("input", declaration.check, given.input), check = take("check", is_function, given.check),
    secret = take("secret", schema.names, given.secret), witness = take("witness", is_function, given.witness),
    watch = take("watch", is_function, given.watch),
    watch_key = take("watch_key", is_function, given.watch_key),
    watch_name = take("watch_name", is_function, given.watch_name),
  }
  for _, member in ipairs(policy.members) do operation[member], structure[member] = given[member], nil end
  local _, mistake, member = policy.read(operation)
  if mistake then error(("bide.waiter: %s: %s"):format(member, mistake), 2) end
  check_structure(structure)
  return waiter.of_checked(waiter_name, structure, operation)
end

---Replaces Lua's coroutine.resume, wrap, close and xpcall by bide's own, for the whole process, as the bide program does.
---With them the coroutines of a script may wait within a task, and a deadline stops code that runs in them. Functions that
---were taken from the library before are not replaced.
function bide.install()
  require("bide.task.coroutines").install()
end

---Waits for some seconds, never for less, while other tasks continue.
---@param seconds number
function bide.sleep(seconds)
  if type(seconds) ~= "number" or seconds ~= seconds then
    error("bide.sleep: " .. option.expected("a number of seconds", seconds), 2)
  end
  await(core.loop.after(duration.of_seconds(math.min(math.max(seconds, 0), 1e12))))
end

---Returns the seconds on the clock by which waits are measured; its zero has no meaning.
---@return number
function bide.now()
  return core.loop.update() / 1000
end

---Loads functions on their first use, to make the start fast. A module is the function, or has it under its name. Language
---servers see through no metatable, so the type is said.
---@type bide
local module = setmetatable(bide, {
  __index = function(self, name)
    local row = require("bide.text.registry").functions[name]
    if not row then return nil end
    local module = require(row.module or "bide." .. name)
    self[name] = type(module) == "table" and module[name] or module
    return self[name]
  end,
})

function waiter.wait_in_store(...) return module.store.wait(...) end

return module
