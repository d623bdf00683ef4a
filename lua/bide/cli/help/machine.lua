---The checks of `bide doctor`: each returns what this machine has, and what follows from it. Nothing is sent to another
---machine but the question for a name that the user gives.

local Peer = require "bide.probe.peer"
local authorities = require "bide.probe.peer.tls.authorities"
local core = require "bide.core"
local luv = require "luv"
local variable = require "bide.text.environment"
local whole_file = require "bide.text.whole_file"

---@class bide.doctor.Finding
---@field name string what was looked at
---@field state "fine"|"note"|"problem" a problem is what makes waits fail that need it
---@field found string
---@field follows string? what that means for waits, and what mends it

local M = {}

---@return bide.doctor.Finding
local function finding(name, state, found, follows)
  return { name = name, state = state, found = found, follows = follows }
end

---Returns the text of a file of the system.
---@return string? text
---@return string? mistake
local function text_of(path)
  return whole_file.read(path, whole_file.VALUE)
end

-- ---- the walls ---------------------------------------------------------------------------------

---Runs bide itself in its strictest sandbox, as a user would: a process that has raised walls keeps them.
function M.walls()
  local program = luv.exepath()
  if not program then
    return finding("sandbox", "note", "not tried: bide cannot find its own file", "mount /proc, and look again")
  end
  local command = { program, "query", "--sandbox=strict", "`1`" }
  local ran, result = pcall(require "bide.exec", command, { timeout = 10, stdin = "null" })
  if ran and result.code == 0 then
    return finding("sandbox", "fine", "Landlock, seccomp and the limit of memory hold")
  end
  local mistake = ran and result.stderr:gsub("^bide: ", ""):gsub("%s+$", "") or "bide cannot start itself"
  return finding("sandbox", "note", mistake,
    "--sandbox warns of what is missing, and --sandbox=strict ends with exit code 2")
end

-- ---- names -------------------------------------------------------------------------------------

---Returns the words behind a keyword of resolv.conf.
local function of_resolver(text, keyword)
  local words = {}
  for line in text:gmatch "[^\n]+" do
    for word in (line:match("^%s*" .. keyword .. "%s+(.*)$") or ""):gmatch "%S+" do words[#words + 1] = word end
  end
  return table.concat(words, ", ")
end

function M.resolver()
  local text, mistake = text_of "/etc/resolv.conf"
  local servers, search = of_resolver(text or "", "nameserver"), of_resolver(text or "", "search")
  local found = ("%s%s"):format(servers ~= "" and servers or mistake or "no nameserver in /etc/resolv.conf",
    search ~= "" and "; search " .. search or "")
  return finding("resolver", servers ~= "" and "fine" or "note", found,
    servers == "" and "names are asked of a server on this machine, or found in /etc/hosts only" or nil)
end

---The milliseconds for which the resolver is asked.
local PATIENCE = 5000

---@param name string
function M.name(name)
  if core.resolver.family_of(name) then return finding("name " .. name, "fine", "is an address") end
  local addresses, failure = Peer.new(name, PATIENCE):addresses(name)
  if addresses then return finding("name " .. name, "fine", table.concat(addresses, ", ")) end
  return finding("name " .. name, "problem", failure or "no answer within 5 s",
    "waits for it find no address: look at /etc/hosts and at the name servers")
end

-- ---- trust -------------------------------------------------------------------------------------

---Describes a file with certificates.
local function count_certificates(path)
  local text, mistake = whole_file.read(path, whole_file.DOCUMENT)
  if not text then return nil, mistake end
  local count = 0
  for line in text:gmatch "[^\n]+" do
    if line:find("-----BEGIN CERTIFICATE-----", 1, true) or line:find("-----BEGIN TRUSTED", 1, true) then count = count + 1 end
  end
  if count == 0 then return nil, path .. ": no certificate in it" end
  return ("%d certificates in %s"):format(count, path)
end

function M.authorities()
  for _, name in ipairs { "CURL_CA_BUNDLE", "SSL_CERT_FILE" } do
    local path = variable(name)
    if path then
      local found, mistake = count_certificates(path)
      if found then return finding("authorities", "fine", ("%s, by %s"):format(found, name)) end
      return finding("authorities", "problem", ("%s: %s"):format(name, mistake), "certificates are refused: unset " .. name)
    end
  end
  for _, path in ipairs(authorities.bundles) do
    local found = count_certificates(path)
    if found then return finding("authorities", "fine", found) end
  end
  if variable "SSL_CERT_DIR" then return finding("authorities", "note", "the folders of SSL_CERT_DIR") end
  if authorities.own() then return finding("authorities", "fine", "those within this program, since this system has none") end
  return finding("authorities", "problem", "no file with certificates where systems have one",
    "https and tls need ca=FILE: install ca-certificates, or set CURL_CA_BUNDLE")
end

function M.proxies()
  local found = {}
  for _, name in ipairs { "http_proxy", "https_proxy", "all_proxy", "no_proxy" } do
    local value = variable(name)
    local upper = name ~= "http_proxy" and variable(name:upper()) or nil -- as curl: a CGI script's header makes HTTP_PROXY
    if value or upper then
      found[#found + 1] = ("%s=%s"):format(value and name or name:upper(), ((value or upper):gsub("//[^/@]*@", "//…@")))
    end
  end
  if #found == 0 then return finding("proxies", "fine", "none") end
  return finding("proxies", "note", table.concat(found, " "), "requests go through them, unless proxy= says otherwise")
end

-- ---- the machine -------------------------------------------------------------------------------

---The seconds since 1970 before which no release of bide was made.
local EARLIEST = 1767225600

function M.clock()
  local now = os.time()
  local found = os.date("!%Y-%m-%dT%H:%M:%SZ", now)
  if now >= EARLIEST then return finding("clock", "fine", found) end
  return finding("clock", "problem", found .. ", which is before this release",
    "certificates are not valid yet, and AWS refuses signatures: set the clock")
end

---Waits of one run that are asked at a time take a descriptor or two each.
local FEW = 256

function M.descriptors()
  local text = text_of "/proc/self/limits"
  local soft = text and text:match "Max open files%s+(%S+)"
  if not soft then return finding("descriptors", "note", "/proc is not there", "bide cannot tell what the limit is") end
  local is_few = (tonumber(soft) or math.huge) < FEW
  return finding("descriptors", is_few and "note" or "fine", soft .. " may be open",
    is_few and "a fleet asks few at a time: raise ulimit -Hn" or nil)
end

function M.folders()
  local missing = {}
  for _, path in ipairs { "/proc/self", "/dev/null", variable "TMPDIR" or "/tmp" } do
    if not luv.fs_access(path, path:find "^/proc" and "R" or "W") then missing[#missing + 1] = path end
  end
  if #missing == 0 then return finding("folders", "fine", ("/proc, /dev, %s"):format(variable "TMPDIR" or "/tmp")) end
  return finding("folders", "note", table.concat(missing, ", ") .. " cannot be used",
    "process waits need /proc, COMMAND and exec need /dev/null")
end

function M.libraries()
  return finding("libraries", "fine", table.concat(require("bide.cli.help.versions").of_all(), ", "))
end

-- ---- what the user has set ---------------------------------------------------------------------

---The variables with paths, and what reads them.
local paths = {
  { "BIDE_PATH", "recipes are not found there" }, { "BIDE_AWS_MODELS", "services are not found there" },
  { "KUBECONFIG", "bide kubernetes finds no cluster" },
  { "AWS_CONFIG_FILE", "no profile is found" }, { "AWS_SHARED_CREDENTIALS_FILE", "no keys are found" },
}

---Adds a finding for each path of a variable that is not there.
function M.environment()
  local found, problems = {}, {}
  for _, row in ipairs(paths) do
    local value = variable(row[1])
    if value then found[#found + 1] = row[1] end
    for path in (value or ""):gmatch "[^:]+" do
      if not luv.fs_stat(path) then
        problems[#problems + 1] = finding(row[1], "problem", path .. " is not there", row[2])
      end
    end
  end
  local max_wait = variable "BIDE_MAX_WAIT"
  if max_wait then
    found[#found + 1] = "BIDE_MAX_WAIT"
    local _, mistake = require("bide.text.duration").parse(max_wait)
    if mistake then problems[#problems + 1] = finding("BIDE_MAX_WAIT", "problem", mistake, "waits end with exit code 2") end
  end
  if #problems > 0 then return table.unpack(problems) end
  return finding("environment", "fine", #found > 0 and table.concat(found, ", ") .. " can be used" or "nothing is set")
end

return M
