---A deployment of MongoDB as a connection string names it: one server, or members of a replica set.
---
---    local deployment = require "bide.mongodb.deployment"
---    deployment.ask { url = "mongodb://db1,db2/?replicaSet=rs0&tls=true" }
---
---While one member is down, recovers, or is an arbiter, others may take work: the servers are asked in turn, until one of
---them takes work.

local address = require "bide.address"
local fail = require "bide.text.fail"
local mongodb = require "bide.mongodb"
local shown = require "bide.text.shown"
local tls = require "bide.tls"

local M = {}

local PORT = 27017

local takes_work = { standalone = true, primary = true, secondary = true, router = true }

---The options of a URL, in small letters, since drivers ignore case, and the inputs that they are.
local texts = { replicaset = "set", authsource = "database", authmechanism = "mechanism", tlscafile = "ca",
  tlscertificatekeyfile = "certificate", tlscertificatekeyfilepassword = "key_password" }
local flags = { tls = "tls", ssl = "tls", tlsinsecure = "insecure", tlsallowinvalidcertificates = "insecure" }

local FORMS = {
  schemes = { "mongodb" }, ignores_case = true,
  parameters = { "replicaset", "authsource", "authmechanism", "tls", "ssl", "tlscafile", "tlscertificatekeyfile",
    "tlscertificatekeyfilepassword", "tlsinsecure", "tlsallowinvalidcertificates" },
  -- Each server is asked by itself, and nothing is read or written.
  harmless = { "appname", "compressors", "connecttimeoutms", "directconnection",
    "heartbeatfrequencyms", "journal", "localthresholdms", "maxidletimems", "maxpoolsize", "maxstalenessseconds", "minpoolsize",
    "readconcernlevel", "readpreference", "retryreads", "retrywrites", "serverselectiontimeoutms", "sockettimeoutms", "w",
    "waitqueuetimeoutms", "wtimeoutms", "zlibcompressionlevel" },
}

---@class bide.mongodb.Inputs the members of bide.tls.inputs as well
---@field url string mongodb://HOST:PORT,HOST:PORT/?OPTIONS, or HOST:PORT
---@field set? string the replica set, in place of the URL's replicaSet
---@field user? string
---@field password? string
---@field database? string that has the user
---@field mechanism? string
---@field timeout? number seconds for each server

---Returns the inputs that the options of a URL are; nil and the mistake in one of them.
---@param query table<string, string>
---@return table?
---@return string? mistake
local function inputs_of(query)
  local found = {}
  for name, value in pairs(query) do
    local flag, text = flags[name:lower()], texts[name:lower()]
    if flag and value ~= "true" and value ~= "false" then
      return nil, ("%s: expected true or false, found %s"):format(name, shown.quote(value))
    end
    if flag then found[flag] = value == "true" end
    if text then found[text] = value end
  end
  if not found.insecure then found.insecure = nil end -- as an input, it would ask for TLS
  return found
end

---@param input bide.mongodb.Inputs
---@return table? inputs with what the URL says where they say nothing
---@return bide.Address[]|string servers or the mistake
local function read(input)
  local servers, mistake = address.read_list(input.url, PORT, FORMS)
  if not servers then return nil, mistake end
  local all
  all, mistake = inputs_of(servers[1].query or {})
  if not all then return nil, mistake end
  for member, value in pairs(input) do all[member] = value end
  all.user, all.password = all.user or servers[1].user, all.password or servers[1].password
  all.database = all.database or servers[1].path ~= "" and servers[1].path or nil
  if all.password and not all.user then return nil, "expected a user, since there is a password; found nothing" end
  if all.mechanism and not all.mechanism:find "^SCRAM%-SHA%-%d+$" then
    return nil, ("authMechanism: expected SCRAM-SHA-256 or SCRAM-SHA-1, found %s"):format(shown.quote(all.mechanism))
  end
  return all, servers
end

---The check of the inputs.
---@param input bide.mongodb.Inputs
---@return string? mistake
function M.mistake(input)
  local all, mistake = read(input)
  if not all then return "url: " .. mistake end
  return tls.check()(all)
end

---Returns how a server is of another deployment than the one that is wanted. A member that was not initiated yet names no
---set.
---@param found bide.mongodb.Result
---@param set? string
---@return string?
local function misfit(found, set)
  if not set or found.set == set then return nil end
  if found.set then return ("the replica set is %s, and not %s"):format(found.set, set) end
  local is_alone = found.state == "standalone" or found.state == "router"
  return is_alone and ("the server is a %s, and not of the replica set %s"):format(found.state, set) or nil
end

---Returns the primary that one of the servers names.
---@param answers bide.mongodb.Result[]
---@param set string? the replica set of which it is; nil of any
---@return string?
local function primary_of(answers, set)
  for _, answer in ipairs(answers) do
    if answer.primary and (not set or answer.set == set) then return answer.primary end
  end
end

---Returns a function that asks the servers in turn, until one takes work and is of the right replica set; else, it returns
---the first answer. The result names the primary if any server of its set did. It raises WrongReplicaSet, and what
---bide.mongodb raises.
---@param input bide.mongodb.Inputs checked
---@return fun(): bide.mongodb.Result
function M.prepare(input)
  local all, servers = assert(read(input))
  local options = tls.options(all)
  local function suffices(answer) return takes_work[answer.state] and not misfit(answer, all.set) end
  return function()
    local answers = {}
    local found = address.ask_each(servers, function(server)
      local answer = mongodb {
        host = server.host, port = server.port, timeout = all.timeout, tls = options,
        user = all.password and all.user, password = all.password, database = all.database, mechanism = all.mechanism,
      }
      answers[#answers + 1] = answer
      return answer
    end, suffices)
    local mistake = misfit(found, all.set)
    if mistake then fail("WrongReplicaSet", mistake) end
    found.primary = found.primary or primary_of(answers, all.set or found.set)
    return found
  end
end

---Asks the servers once, as the function of `deployment.prepare`.
---@param input bide.mongodb.Inputs checked
---@return bide.mongodb.Result
function M.ask(input)
  return M.prepare(input)()
end

return M
