---The options by which a model's operation reaches its service: `--endpoint`, and the credentials. A secret comes from
---the environment or a file, since other users of the machine see the command line.

local in_time = require "bide.model.run.in_time"
local input = require "bide.cli.words.input"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local waiter_module = require "bide.wait.waiter"

local M = {}

---`api_key` is `--api-key`.
local function words(name)
  return "--" .. name:gsub("_", "-")
end

---The members of a connection that are secrets, and the others.
local secrets = { "bearer", "basic", "api_key" }
local plain = { "endpoint", "region", "profile", "no_sign_request", "fips", "dual_stack" }

local members = tables.joined(plain, secrets)

---The options of a connection.
M.options = {}
for position, name in ipairs(members) do M.options[position] = words(name) end

---@param command table
function M.add_options(command)
  command:begin_section "Service of a model"
  command:option("--endpoint", "Send the requests to URL: https, unless it says http."):argname "URL"
  command:option("--bearer", "Send a bearer token, which is in @env:NAME or @file:PATH."):argname "@SOURCE"
  command:option("--basic", "Send name:password for basic authentication, from @env:NAME or @file:PATH."):argname "@SOURCE"
  command:option("--api-key", "Send an API key, from @env:NAME or @file:PATH."):argname "@SOURCE"
  command:option("--region", "Use this region of AWS. Default: AWS_REGION, or that of the profile."):argname "REGION"
  command:option("--profile", "Use the credentials and settings of this profile of AWS. Default: AWS_PROFILE.")
    :argname "NAME"
  command:flag("--no-sign-request", "Send requests to AWS without credentials.")
  command:flag("--fips", "Use the FIPS endpoint of AWS.")
  command:flag("--dual-stack", "Use the endpoint of AWS that has IPv6 as well.")
  command:flag("--trust-model", "Let a model that is a file say where credentials go. Without it, such a model gets them "
    .. "for --endpoint URL and nothing else; the data of aws:SERVICE need neither.")
end

---Reads a secret; ends the process if that fails.
---@param name string of the option
---@param word string
---@return string
local function read_secret(name, word)
  local text, mistake = input.read_elsewhere(word)
  if not text then
    parser.fail(("%s: %s"):format(words(name), mistake or "expected @env:NAME or @file:PATH, since others can see this "
      .. "command line; found another text"))
  end
  if text == "" then parser.fail(("%s: found an empty text"):format(words(name))) end
  if text:find "%c" then parser.fail(("%s: found a control character in the text"):format(words(name))) end
  return text
end

---@param options table of the command line
---@return bide.Connection
local function read(options)
  local connection = { is_sandboxed = options.sandbox ~= nil, is_trusted = options.trust_model }
  for _, name in ipairs(plain) do connection[name] = options[name] end
  for _, name in ipairs(secrets) do
    connection[name] = options[name] and read_secret(name, options[name])
  end
  return connection
end

---Ends the process if an option is given for an operation that has its call from elsewhere.
---@param options table of the command line
---@param recipe bide.Recipe
function M.refuse(options, recipe)
  for _, name in ipairs(members) do
    if options[name] then
      parser.fail(("%s is for a model whose operations have no call of their own, and %s"):format(words(name),
        recipe.facts and "--with gives this one a call" or recipe.file .. " is no model"))
    end
  end
end

---Ends the process if secrets are given within --sandbox.
---@param options table of the command line
function M.refuse_in_sandbox(options)
  for _, name in ipairs(options.sandbox and { "profile", table.unpack(secrets) } or {}) do
    if options[name] then parser.fail("--sandbox: expected no credentials, found " .. words(name)) end
  end
end

---Returns the options that choose the service, and no secrets of them, as a text.
---@param options table of the command line
---@return string
function M.describe(options)
  local list = {}
  for position, name in ipairs(plain) do list[position] = ("%s=%s"):format(words(name), tostring(options[name] or "")) end
  return table.concat(list, " ")
end

---The time that was spent on connecting, in milliseconds.
local spent = 0

---Gives a model's waiter the call of its operation; ends the process if the operation cannot be called.
---@param options table of the command line
---@param recipe bide.Recipe
---@param waiter bide.Waiter
---@param limits bide.Limits
---@return bide.Waiter
function M.connect(options, recipe, waiter, limits)
  local given = read(options)
  local connected, mistake, taken = in_time.connect(limits.max_wait - spent, function()
    return recipe.facts.connect(waiter.operation, given, words)
  end)
  spent = spent + taken
  if not connected then parser.fail(("waiter %s: %s"):format(waiter.name, mistake)) end
  if connected.warning then shown.warn(connected.warning) end
  return waiter_module.with_call(waiter, connected)
end

---Counts the time that was spent on connecting, and before the waits, towards the max wait of all waits, which begin then.
---@param prepared bide.PreparedWait[]
---@param before? integer milliseconds
function M.count(prepared, before)
  local all = spent + (before or 0)
  for _, one in ipairs(all > 0 and prepared or {}) do one:count(all) end
end

return M
