---Credentials that a program gives, as kubeconfig files name it below `exec` (client.authentication.k8s.io). As in kubectl,
---they are kept until they expire, or until the cluster refuses them. Waits that need them at the same time share one run
---of the program.

local core = require "bide.core"
local date = require "bide.text.http_date"
local exec = require "bide.exec"
local option = require "bide.text.option"
local retries = require "bide.task.retries"
local secret = require "bide.text.secret"
local share = require "bide.probe.http.share"

local M = {}

---The seconds that a program may take.
local TIMEOUT = 60

---@class bide.kubernetes.Credentials
---@field token? string
---@field certificate? string PEM
---@field key? string PEM
---@field expiry? number seconds since 1970

---@class bide.kubernetes.Program
---@field command string[]
---@field env table<string, string>
---@field file string of the kubeconfig
---@field hint? string how it is installed
---@field version string the version of the API that it speaks
---@field kept? bide.kubernetes.Credentials
local Program = {}
Program.__index = Program

local Credentials = {}
Credentials.__index = Credentials

---All waits of one run get the same credentials.
function Credentials:copy() return self end

local function fail(program, text)
  local hint = program.hint and "; " .. program.hint or ""
  error({ type = "NoCredentials", message = ("%s: %s%s"):format(program.command[1], text, hint) }, 0)
end

local kind_of = {
  apiVersion = option.kinds.text, command = option.kinds.identifier, args = option.kinds.table, env = option.kinds.table,
  installHint = option.kinds.text, provideClusterInfo = option.kinds.flag, interactiveMode = option.kinds.text,
}

---@return table<string, string>? env
---@return string? mistake
local function environment(list)
  local env = {}
  for position, entry in ipairs(list or {}) do
    if type(entry) ~= "table" or type(entry.name) ~= "string" or type(entry.value) ~= "string" then
      return nil, ("env[%d]: expected a name and a value"):format(position - 1)
    end
    env[entry.name] = entry.value
  end
  return env
end

---@return string[]? command
---@return string? mistake
local function command_of(spec, folder)
  local command = { spec.command }
  if spec.command:find("/", 1, true) and not spec.command:find "^/" then command[1] = folder .. spec.command end
  for position, word in ipairs(spec.args or {}) do
    if type(word) ~= "string" then return nil, ("args[%d]: %s"):format(position - 1, option.expected("a string", word)) end
    command[#command + 1] = word
  end
  return command
end

---@param given { spec: table, folder: string, file: string } `exec` of a user
---@return bide.kubernetes.Program?
---@return string? mistake
function M.new(given)
  local spec, mistake, command, env = given.spec, option.check(given.spec, kind_of), nil, nil
  if not mistake and not spec.command then mistake = "command: expected a program, found nothing" end
  if not mistake then command, mistake = command_of(spec, given.folder) end
  if not mistake then env, mistake = environment(spec.env) end
  if mistake then return nil, ("%s: exec.%s"):format(given.file, mistake) end
  local version = spec.apiVersion or "client.authentication.k8s.io/v1"
  env.KUBERNETES_EXEC_INFO = core.json.encode { kind = "ExecCredential", apiVersion = version, spec = { interactive = false } }
  return setmetatable({ command = command, env = env, file = given.file, hint = spec.installHint, version = version }, Program)
end

local function text_in(program, status, name)
  local value = status[name]
  if value == nil or value == core.json.null then return nil end
  if type(value) ~= "string" then fail(program, ("status.%s: %s"):format(name, option.expected("a string", "…"))) end
  return value
end

---@return number? seconds since 1970
local function expiry_in(program, status)
  local text = text_in(program, status, "expirationTimestamp")
  return text and (date.read_timestamp(text)
    or fail(program, "status.expirationTimestamp: " .. option.expected("a time of RFC 3339", text)))
end

---@param program bide.kubernetes.Program
---@param answer string what the program printed
---@return bide.kubernetes.Credentials
local function read(program, answer)
  local value = core.json.decode(answer)
  local status = type(value) == "table" and value.status
  if type(status) ~= "table" then fail(program, "expected an ExecCredential with a status") end
  local credentials = { token = text_in(program, status, "token"), key = text_in(program, status, "clientKeyData"),
    certificate = text_in(program, status, "clientCertificateData"),
    expiry = expiry_in(program, status) }
  if not credentials.token and not credentials.certificate then fail(program, "it gave neither a token nor a certificate") end
  for _, hidden in ipairs { credentials.token or credentials.key, credentials.key } do secret.remember(hidden) end
  return setmetatable(credentials, Credentials)
end

---@param program bide.kubernetes.Program
---@return bide.kubernetes.Credentials
local function run(program)
  local ok, done = pcall(exec, program.command, { env = program.env, timeout = TIMEOUT })
  if not ok then
    if type(done) ~= "table" then error(done, 0) end
    fail(program, done.message or done.type)
  end
  if done.code ~= 0 then
    local words = done.stderr:match "%S[^\n]*" or "no words on standard error"
    fail(program, ("exit code %s: %s"):format(done.code, words))
  end
  return read(program, done.stdout)
end

---Returns credentials that hold; runs the program if there are none.
---@return bide.kubernetes.Credentials
function Program:get()
  local kept = self.kept
  if kept and (not kept.expiry or core.loop.wall() / 1000 <= kept.expiry) then return kept end
  retries.expect(("credentials yet from %s, the program of %s"):format(self.command[1], self.file))
  self.kept = share.run(("kubernetes credentials %p"):format(self), function() return run(self) end)
  retries.expect(nil)
  return self.kept
end

---Forgets credentials that the cluster refused; if others came meanwhile, they stay.
---@param refused bide.kubernetes.Credentials
function Program:renew(refused)
  if refused == self.kept then self.kept = nil end
end

return M
