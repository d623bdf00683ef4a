---Which recipes a worker of a database runs, whose files came with their waits: a sandboxed one all that it does not
---distrust, a trusted one only those that it trusts.

local bundles = require "bide.record.store.bundle"
local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"
local signature = require "bide.record.store.signature"

local M = {}

---@param command table
function M.add_options(command)
  command:begin_section "Recipes of a database"
  command:flag("--trusted", "Run recipes without a sandbox, only those of --trust. A worker of a database without it runs all "
    .. "recipes in the sandbox; a worker of a file runs those of its user, without one.")
  command:option("--trust", "Run the recipes that FILE names, one a line: sha256:HEX, as the warning of a worker has it; "
    .. "shipped:NAME, a bundled recipe of this release; signers:FILE, those that were submitted with --sign by a key that FILE "
    .. "allows, as ssh-keygen reads it. With owner=ROLE behind it, only those of one owner."):argname("FILE"):count("*")
  command:option("--distrust", "Run none of the recipes that FILE names, whatever --trust says."):argname("FILE"):count("*")
end

---Returns the digest of a bundled recipe, as this release has it.
---@param name string
---@return string? digest
---@return string? mistake
local function digest_of_shipped(name)
  local file = recipe_path.is_name(name) and recipe_path.find_by_name(name)
  if not file or not recipe_path.is_bundled(file) then return nil, option.expected("the name of a bundled recipe", name) end
  local bundle, mistake = bundles.pack({ file }, {})
  if not bundle then return nil, mistake --[[@as string]] end
  return core.text.hex(bundle.digest)
end

---Reads what names a recipe: `sha256:HEX` or `shipped:NAME`.
---@param line string
---@return string? digest hexadecimal
---@return string? mistake
function M.read_recipe(line)
  local kind, value = line:match "^(%a[%w]*):(%S+)$"
  if kind == "shipped" then return digest_of_shipped(value) end
  if kind == "sha256" and #value == 64 and not value:find "%X" then return value:lower() end
  return nil, option.expected("sha256: and 64 hexadecimal digits, or shipped:NAME", line)
end

---The recipes and signers that files of --trust or --distrust name.
---@class bide.cli.TrustList
---@field digests table<string, table<string, true>> the owners for whom it holds, by hexadecimal digests; "" for all
---@field signers { file: string, owner: string }[]

---@param list bide.cli.TrustList
---@param entry string
---@param may_sign boolean
---@return string? mistake
local function add_entry(list, entry, may_sign)
  local what, owner = entry:match "^(%S+)%s+owner=(%S+)$"
  what = what or entry
  local file = what:match "^signers:(%S+)$"
  if file and may_sign then
    local _, mistake = chunk.read(file)
    if mistake then return mistake end
    table.insert(list.signers, { file = file, owner = owner or "" })
    return nil
  elseif owner and not may_sign then
    return "owner=: belongs to --trust"
  end
  local digest, mistake = M.read_recipe(what)
  if not digest then return mistake end
  list.digests[digest] = list.digests[digest] or {}
  list.digests[digest][owner or ""] = true
end

---Reads files of --trust or --distrust; ends the process if there is a mistake in one.
---@param name string
---@param files string[]
---@return bide.cli.TrustList
local function read(name, files)
  local list = { digests = {}, signers = {} }
  for _, file in ipairs(files) do
    local text, mistake = chunk.read(file)
    if not text then parser.fail(("%s: %s"):format(name, mistake)) end
    local number = 0
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
      number = number + 1
      local entry = line:gsub("#.*$", ""):match "^%s*(.-)%s*$"
      mistake = entry ~= "" and add_entry(list, entry, name == "--trust") or nil
      if mistake then parser.fail(("%s: %s:%d: %s"):format(name, shown.line(file), number, mistake)) end
    end
  end
  return list
end

---Returns why a trusted worker does not run a recipe; nil if it does.
---@param trusted bide.cli.TrustList
---@param found bide.record.Definition.Found
---@return string?
local function refusal_of(trusted, found)
  local digest = core.text.hex(found.bundle.digest)
  local owners = trusted.digests[digest] or {}
  if owners[""] or owners[found.owner] then return nil end
  local reason = next(owners) and ("it trusts sha256:%s of other owners, and not of %s"):format(digest, tostring(found.owner))
    or ("it does not trust sha256:%s"):format(digest)
  for _, signers in ipairs(trusted.signers) do
    if signers.owner == "" or signers.owner == found.owner then
      local mistake = signature.mistake(found.bundle, signers.file)
      if not mistake then return nil end
      reason = ("%s; %s"):format(reason, mistake)
    end
  end
  return reason
end

---Returns what decides whether a worker runs a recipe; ends the process if a file has a mistake.
---@param options table of the command line
---@return fun(found: bide.record.Definition.Found): string? takes returns why it does not
function M.read(options)
  local trusted, distrusted = read("--trust", options.trust), read("--distrust", options.distrust)
  local is_any = next(trusted.digests) ~= nil or #trusted.signers > 0
  if options.trusted and not is_any then
    parser.fail "--trusted: a worker without a sandbox needs --trust FILE, which names the recipes that it runs"
  elseif not options.trusted and is_any then
    parser.fail "--trust: belongs to --trusted; a sandboxed worker runs all recipes"
  end
  return function(found)
    local digest = core.text.hex(found.bundle.digest)
    if distrusted.digests[digest] then return ("it distrusts sha256:%s"):format(digest) end
    return options.trusted and refusal_of(trusted, found) or nil
  end
end

return M
