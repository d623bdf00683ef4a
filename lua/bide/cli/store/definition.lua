---The definition of a wait in a store: its recipe, its waiter, the options of the command line and the limits, as JSON, from
---which a worker makes the same wait.

local base64 = require "bide.base64"
local branches = require "bide.cli.waits.branch"
local bundles = require "bide.record.store.bundle"
local core = require "bide.core"
local form = require "bide.text.form"
local limits_of = require "bide.recipe.waiter.limits"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local recipe_path = require "bide.recipe.file.path"
local secret = require "bide.text.secret"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local sources = require "bide.record.journal.sources"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---Options whose effect is elsewhere in a store: in the waiter, the limits, the token, the input, or the code of `watch`.
local elsewhere = { ["--invert"] = true, ["--token"] = true, ["--input"] = true, ["--exit-code"] = true, ["--with"] = true }
for _, row in ipairs(limits_of.rows) do
  elsewhere[shared.option_of(row.name)] = true
  if row.flag then elsewhere[row.flag] = true end
end

---Options that hold secrets, which a store does not keep.
local of_secrets = { ["--bearer"] = true, ["--basic"] = true, ["--api-key"] = true }

---Returns the name of a recipe as it means the same in any folder.
local function place_of(name)
  return name:find "/" and sources.path(name) or name:find "%.%l+$" and sources.path(name) or name
end

---Ends the process if the text of an option would be hidden where it is shown.
---@param waiter bide.Waiter
---@param given bide.cli.Given
local function refuse_secrets(waiter, given)
  local text = given.words[2] or given.words[1]:match "=(.*)$"
  if not text or secret.any():text(text) == text and secret.of_names(waiter):text(text) == text then return end
  parser.fail(("%s: a store keeps no secrets, and this text has one"):format(given.name))
end

---@param one bide.cli.Branch
---@return string[][] words of each option
local function words_of(one)
  local list = json.array {}
  for _, given in ipairs(one.given or {}) do
    if of_secrets[given.name] then
      parser.fail(("%s: a store keeps no secrets, and other processes make the requests"):format(given.name))
    end
    if given.name == "--env" then parser.fail "--env: not with --store: other processes get the answers" end
    if not elsewhere[given.name] then
      refuse_secrets(one.waiter, given)
      list[#list + 1] = json.array(tables.joined(given.words))
    end
  end
  return list
end

---Returns the limits as numbers.
---@param limits bide.Limits
local function numbers_of(limits)
  local numbers = {}
  for name, value in pairs(limits) do
    if math.type(value) == "integer" then numbers[name] = value end
  end
  return numbers
end

---Returns the bundle of a branch, and the names by which its definition calls the recipe and the files of --with; ends the
---process if there is none.
---@param one bide.cli.Branch
---@param is_sent boolean
---@return bide.record.Bundle
---@return string recipe
---@return string[] with
local function bundle_of(one, is_sent)
  local with, files = json.array {}, one.waiter.files
  if not is_sent then
    local bundle, mistake = bundles.of(one.waiter)
    for position, file in ipairs(one.with or {}) do with[position] = place_of(file) end
    return bundle or parser.fail(mistake), place_of(one.recipe), with
  elseif recipe_path.service_of(one.recipe) then
    parser.fail(one.recipe .. ": a database sends recipes to its workers, and no data of AWS: use a store in a file")
  end
  local bundle, names = bundles.pack(files, sources.files(one.waiter), one.waiter.modules)
  if not bundle then parser.fail(names) end
  for position in ipairs(one.with or {}) do with[position] = names[files[position + 1]] end
  return bundle, names[files[1]], with
end

---@type table<boolean, table<bide.cli.Branch, bide.record.Definition>> by whether they are of a folder
local known = { [true] = setmetatable({}, { __mode = "k" }), [false] = setmetatable({}, { __mode = "k" }) }

---The digests of the bundles that this process has submitted.
---@type table<string, true>
M.own = {}

---Signs a bundle; ends the process if it cannot.
---@param bundle bide.record.Bundle
local function sign(bundle, is_sent, key)
  if not is_sent then parser.fail "--sign: for a store in a database; a worker of a file runs what its own user submits" end
  local signature, mistake = require("bide.record.store.signature").sign(bundle.manifest, key)
  bundle.signature = signature or parser.fail("--sign: " .. shown.line(mistake))
end

---Returns the definition of a branch; ends the process if the branch cannot be made elsewhere.
---@param one bide.cli.Branch
---@param is_sent boolean whether the files of the recipe are sent with it
---@param key? string the file of the key that signs the recipe
---@param is_of_folder boolean whether the wait is about this folder, so that a worker in another one would ask for something else
---@return bide.record.Definition
function M.of(one, is_sent, key, is_of_folder)
  if known[is_of_folder][one] then return known[is_of_folder][one] end
  local bundle, recipe, with = bundle_of(one, is_sent)
  if key then sign(bundle, is_sent, key) end
  M.own[bundle.digest] = true
  known[is_of_folder][one] = {
    bundle = bundle, waiter = one.waiter.name,
    body = assert(json.encode {
      recipe = recipe, with = with, waiter = one.waiter.name, words = words_of(one),
      limits = numbers_of(one.limits), digest = base64.encode(sources.definition_digest(one.waiter)),
      folder = is_of_folder and luv.cwd() or nil,
    }),
  }
  return known[is_of_folder][one]
end

local is_words = form.list(form.text)
local integer = form.whole(math.mininteger, math.maxinteger)

local is_body = form.object {
  recipe = form.text, waiter = form.text, with = form.list(form.text), digest = form.text, folder = form.optional(form.text),
  words = form.list(function(words) return is_words(words) and words[1] ~= nil end), limits = form.map(integer),
}

---Returns what the body of a definition says; nil if it is not as bide writes it.
local function read_body(text)
  local body = json.decode(text)
  return is_body(body) and body.limits.max_wait and body or nil
end

---Returns the options of a wait, parsed as if they were on the command line of `bide step`.
local function parse(body)
  local given = {}
  for position, words in ipairs(body.words) do
    local name = words[1]:match "^(%-%-[^=]+)"
    if not name or not parts.of_wait[name] or elsewhere[name] then parser.fail "its options are broken" end
    given[position] = { name = name, is_known = true, words = words }
  end
  local command = parser.new("worker", "", "")
  command:argument("recipe", "")
  command:argument("words", ""):args("*"):target "words"
  parts.add_options(command)
  local options = parts.parse(command, { of_run = {}, of_wait = given, unknown = {}, words = { body.recipe } })
  options.waiter, options.with, options.maxWait = body.waiter, body.with, { max_wait = body.limits.max_wait }
  return options
end

---Gives the files that a definition names their paths in its bundle, if they came with it.
---@param manifest bide.record.Manifest
---@return string? mistake
local function place(body, manifest)
  if not manifest.root then return end
  local function path_of(name)
    local path = manifest.root .. "/" .. name
    return manifest.files[path] and path
  end
  body.recipe = path_of(body.recipe)
  for position, name in ipairs(body.with) do
    body.with[position] = path_of(name)
    if not body.with[position] then body.recipe = nil end
  end
  return not body.recipe and "its definition is broken" or nil
end

---Makes the waiter of a definition from files that were checked.
---@param found bide.record.Definition.Found
---@param manifest bide.record.Manifest
---@return bide.worker.Definition?
---@return string? mistake
local function load(found, manifest)
  local body = read_body(found.body)
  if not body then return nil, "its definition is broken" end
  if body.folder and body.folder ~= luv.cwd() then
    return nil, ("it is about the folder %s, and this worker is in %s"):format(body.folder, luv.cwd())
  end
  local mistake = place(body, manifest)
  if mistake then return nil, mistake end
  return parser.attempt(function()
    local options = parse(body)
    local one = branches.of(branches.load(options), options)
    mistake = bundles.mistake_of_files(manifest, one.waiter)
    if mistake then parser.fail(mistake) end
    if base64.encode(sources.definition_digest(one.waiter)) ~= body.digest then
      parser.fail "this bide makes another waiter of its recipe and options"
    end
    local limits = tables.merged({ name_option = shared.option_of, given = "" }, body.limits)
    return { waiter = one.waiter, limits = limits, bundle = found.bundle_id, digest = core.text.hex(found.bundle.digest),
      owner = found.owner }
  end)
end

---Reads a definition of a store.
---@param found bide.record.Definition.Found
---@param takes? fun(found: bide.record.Definition.Found): string? returns why the worker does not run a bundle that was
---sent; nil: the files are on this machine
---@return bide.worker.Definition?
---@return string? mistake
function M.read(found, takes)
  local mistake = takes and takes(found)
  if mistake then return nil, mistake end
  local manifest
  manifest, mistake = (takes and bundles.unpack or bundles.check)(found.bundle)
  if not manifest then return nil, mistake end
  return load(found, manifest)
end

return M
