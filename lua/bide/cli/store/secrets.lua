---`--secrets DIR` of a worker: the secrets that waits name. DIR has a file NAME for each, and beside it NAME.grant, which
---says for which waits it is: lines `owner ROLE`, `recipe sha256:HEX` or `recipe shipped:NAME`, and `to HOST:PORT`, each at
---least once. All is read once, before the walls of the sandbox are raised.

local address = require "bide.address"
local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local named_secret = require "bide.recipe.input.named_secret"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local trust = require "bide.cli.store.trust"

local M = {}

---The bounds of a secret in bytes. A shorter one could not be found in texts, to be hidden there.
local LEAST, MOST = 8, 64 * 1024

---@class bide.cli.Grant
---@field owner table<string, true> roles
---@field recipe table<string, true> digests, hexadecimal
---@field to bide.reach.Host[]

---@class bide.cli.GrantedSecret
---@field text string
---@field grant bide.cli.Grant

---@param command table
function M.add_option(command)
  command:option("--secrets", "Fill in the secrets that waits name, from the files of DIR: NAME, and NAME.grant, which says "
    .. "for which owners, recipes and hosts."):argname("DIR")
end

-- ---- files ---------------------------------------------------------------------------------------

local GROUP_WRITES, OTHERS, OTHERS_WRITE = 2 << 3, 7, 2

---Reads a regular file whose mode bars others. A link is followed, as where systemd and Kubernetes put them.
---@param forbidden integer bits of the mode
---@return string? text
---@return string? mistake
local function read_file(path, forbidden)
  local before, missing = luv.fs_stat(path)
  if not before then return nil, missing end
  if before.type ~= "file" then return nil, ("%s: expected a regular file, found a %s"):format(path, before.type) end
  local descriptor, failure = luv.fs_open(path, "r", 0)
  if not descriptor then return nil, failure end
  local stat = assert(luv.fs_fstat(descriptor))
  local text = stat.type == "file" and luv.fs_read(descriptor, MOST + 3, 0)
  luv.fs_close(descriptor)
  if not text then return nil, path .. ": cannot be read" end
  if stat.mode & forbidden ~= 0 then
    local words = forbidden == OTHERS and "every user of this machine may use it: chmod o= FILE"
      or "others may write it: chmod go-w FILE"
    return nil, ("%s: its mode is %03o: %s"):format(path, stat.mode & 511, words)
  elseif stat.uid ~= 0 and stat.uid ~= luv.getuid() then
    return nil, ("%s: it belongs to user %d, neither to root nor to the user of this process"):format(path, stat.uid)
  end
  return text
end

---@return string? text
---@return string? mistake
local function read_secret(path)
  local text, mistake = read_file(path, OTHERS)
  if not text then return nil, mistake end
  text = text:gsub("\r?\n$", "")
  if #text < LEAST or #text > MOST then
    return nil, ("%s: expected %d to %d bytes, found %s"):format(path, LEAST, MOST,
      #text > MOST and "more" or ("%d"):format(#text))
  end
  if text:find("\0", 1, true) or not utf8.len(text) then return nil, path .. ": expected a text in UTF-8, without NUL" end
  return text
end

-- ---- grants --------------------------------------------------------------------------------------

---The readers of the lines of a grant, by their first word.
---@type table<string, fun(grant: bide.cli.Grant, text: string): string?>
local lines = {}

function lines.owner(grant, text)
  if text == "" then return option.expected("a role", text) end
  grant.owner[text] = true
end

function lines.recipe(grant, text)
  local digest, mistake = trust.read_recipe(text)
  if not digest then return mistake end
  grant.recipe[digest] = true
end

function lines.to(grant, text)
  local place, mistake = address.read(text)
  if not place or not place.port or text:find "^%d+$" then return mistake or option.expected("HOST:PORT", text) end
  table.insert(grant.to, { host = place.host:lower():gsub("%.$", ""), port = place.port })
end

---@return bide.cli.Grant? grant
---@return string? mistake
local function read_grant(path)
  local text, mistake = read_file(path, GROUP_WRITES | OTHERS_WRITE)
  if not text then return nil, mistake end
  if #text > MOST then return nil, path .. ": a grant has at most 64 KiB" end
  local grant, number = { owner = {}, recipe = {}, to = {} }, 0
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    local word, rest = line:gsub("#.*$", ""):match "^%s*(%S*)%s*(.-)%s*$"
    if word ~= "" then
      if lines[word] then mistake = lines[word](grant, rest) else
        mistake = option.expected("owner ROLE, recipe sha256:HEX or shipped:NAME, or to HOST:PORT", word)
      end
      if mistake then return nil, ("%s:%d: %s"):format(path, number, mistake) end
    end
  end
  for _, word in ipairs { "owner", "recipe", "to" } do
    if not next(grant[word]) then return nil, ("%s: it has no line with %s, and needs all three of owner, recipe and to")
      :format(path, word) end
  end
  return grant
end

-- ---- the secrets of a worker -----------------------------------------------------------------------

---@class bide.cli.Secrets : bide.worker.Secrets
---@field folder string? nil without --secrets
---@field by_name table<string, bide.cli.GrantedSecret>
local Secrets = {}
Secrets.__index = Secrets

---@return bide.cli.GrantedSecret? found
---@return string? mistake says which grant lacks what
function Secrets:find(name, owner, digest)
  local mistake = named_secret.mistake_of_name(name)
  if mistake then return nil, mistake end
  if not self.folder then return nil, ("the secret %s: this worker has none: it has no --secrets"):format(name) end
  local found = self.by_name[name]
  if not found then
    return nil, ("the secret %s: this worker has not both of %s and %s.grant"):format(name, name, name)
  elseif not owner or not found.grant.owner[owner] then
    return nil, ("the secret %s: %s.grant has no line: owner %s"):format(name, name, owner or "?")
  elseif not found.grant.recipe[digest] then
    return nil, ("the secret %s: %s.grant has no line: recipe sha256:%s"):format(name, name, digest)
  end
  return found
end

---Returns the hosts that all of these secrets may go to.
---@param list bide.cli.GrantedSecret[]
---@return bide.reach.Host[]
local function common_hosts(list)
  local hosts = {}
  for _, host in ipairs(list[1].grant.to) do
    local count = 0
    for _, one in ipairs(list) do
      local has = false
      for _, other in ipairs(one.grant.to) do has = has or other.host == host.host and other.port == host.port end
      count = count + (has and 1 or 0)
    end
    if count == #list then hosts[#hosts + 1] = host end
  end
  return hosts
end

---Fills in the secrets of an input. From then on they are hidden in all that this process writes.
---@param document userdata the input
---@param owner? string of the run
---@param digest string of the recipe, hexadecimal
---@return userdata? document
---@return bide.worker.Filled|string|nil filled nil if the input has no secrets; or the mistake
function Secrets:fill(document, owner, digest)
  local names, used = {}, {}
  local filled, mistake = named_secret.fill(document, function(name)
    local found, lack = self:find(name, owner, digest)
    if not found then return nil, lack end
    secret.remember(found.text)
    names[#names + 1], used[#used + 1] = name, found
    return found.text
  end)
  if not filled then return nil, mistake --[[@as string]] end
  if #names == 0 then return filled end
  local hosts = common_hosts(used)
  if #hosts == 0 then
    return nil, ("the secrets %s: their grants have no host in common"):format(table.concat(names, ", "))
  end
  local texts = {}
  for position, one in ipairs(used) do texts[position] = one.text end
  return filled, { names = names, hosts = hosts, texts = texts }
end

---Reads the secrets of a worker; ends the process if there is a mistake.
---@param options table of the command line
---@return bide.cli.Secrets
function M.read(options)
  local secrets = setmetatable({ folder = options.secrets, by_name = {} }, Secrets)
  if not options.secrets then return secrets end
  local function check(value, mistake)
    return value or parser.fail("--secrets: " .. shown.line(file_failure.named(mistake)))
  end
  local folder = check(luv.fs_stat(options.secrets))
  if folder.type ~= "directory" then check(nil, options.secrets .. ": expected a folder") end
  if folder.mode & OTHERS_WRITE ~= 0 then
    check(nil, ("%s: its mode is %03o: every user of this machine may replace its files: chmod o-w FOLDER")
      :format(options.secrets, folder.mode & 511))
  end
  for entry in function(scan) return luv.fs_scandir_next(scan) end, check(luv.fs_scandir(options.secrets)) do
    local name = entry:match "^(.*)%.grant$"
    if name then
      local mistake = named_secret.mistake_of_name(name)
      if mistake then check(nil, ("%s/%s: %s"):format(options.secrets, entry, mistake)) end
      local path = options.secrets .. "/" .. name
      local grant = check(read_grant(path .. ".grant"))
      secrets.by_name[name] = { grant = grant, text = check(read_secret(path)) }
    end
  end
  return secrets
end

return M
