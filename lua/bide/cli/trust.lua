---Which recipes a worker of a database runs, whose files came with their waits: a sandboxed one all that it does not
---distrust, a trusted one only those that it trusts.

local bundles = require "bide.record.store.bundle"
local chunk = require "bide.recipe.chunk"
local option = require "bide.text.option"
local parser = require "bide.cli.parser"
local recipe_path = require "bide.recipe.path"
local shown = require "bide.text.shown"

local M = {}

---@param command table
function M.add_options(command)
  command:begin_section "Recipes of a database"
  command:flag("--trusted", "Run recipes without a sandbox, only those of --trust. A worker of a database without it runs all "
    .. "recipes in the sandbox; a worker of a file runs those of its user, without one.")
  command:option("--trust", "Run the recipes that FILE names, one a line: sha256:HEX, as the warning of a worker has it, or "
    .. "shipped:NAME, a bundled recipe of this release."):argname("FILE"):count("*")
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
  return bundles.hex(bundle.digest)
end

---@param line string
---@return string? digest hexadecimal
---@return string? mistake
local function read_line(line)
  local kind, value = line:match "^(%a[%w]*):(%S+)$"
  if kind == "shipped" then return digest_of_shipped(value) end
  if kind == "sha256" and #value == 64 and not value:find "%X" then return value:lower() end
  return nil, option.expected("sha256: and 64 hexadecimal digits, or shipped:NAME", line)
end

---Reads files of --trust or --distrust; ends the process if there is a mistake in one.
---@param name string
---@param files string[]
---@return table<string, true> digests hexadecimal
local function read(name, files)
  local digests = {}
  for _, file in ipairs(files) do
    local text, mistake = chunk.read(file)
    if not text then parser.fail(("%s: %s"):format(name, mistake)) end
    local number = 0
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
      number = number + 1
      local entry, digest = line:gsub("#.*$", ""):match "^%s*(.-)%s*$", nil
      if entry ~= "" then digest, mistake = read_line(entry) end
      if mistake then parser.fail(("%s: %s:%d: %s"):format(name, shown.line(file), number, mistake)) end
      if digest then digests[digest] = true end
    end
  end
  return digests
end

---Returns what decides whether a worker runs a bundle; ends the process if a file has a mistake.
---@param options table of the command line
---@return fun(bundle: bide.store.Bundle): string? takes returns why it does not
function M.read(options)
  local trusted, distrusted = read("--trust", options.trust), read("--distrust", options.distrust)
  if options.trusted and not next(trusted) then
    parser.fail "--trusted: a worker without a sandbox needs --trust FILE, which names the recipes that it runs"
  elseif not options.trusted and next(trusted) then
    parser.fail "--trust: belongs to --trusted; a sandboxed worker runs all recipes"
  end
  return function(bundle)
    local digest = bundles.hex(bundle.digest)
    if distrusted[digest] then return ("it distrusts sha256:%s"):format(digest) end
    if options.trusted and not trusted[digest] then return ("it does not trust sha256:%s"):format(digest) end
  end
end

return M
