---Reads where a session goes, and as whom: a URL, options, the environment's PG… variables, and ~/.pgpass, by the names
---and rules of libpq. Nothing is read later, so that a process may lose its files before it connects.

local core = require "bide.core"
local encryption = require "bide.probe.postgres.encryption"
local environment = require "bide.text.environment"
local option = require "bide.text.option"
local pgpass = require "bide.probe.postgres.pgpass"
local require_auth = require "bide.probe.postgres.require_auth"
local secret = require "bide.text.secret"
local sessions = require "bide.probe.peer.tls.sessions"
local socket = require "bide.probe.postgres.socket"
local uv = require "luv"
local web_address = require "bide.text.web_address"

local decode, kinds = web_address.decode, option.kinds

local M = {}

---The parameters, and the variables that have them.
local variables = {
  host = "PGHOST", port = "PGPORT", dbname = "PGDATABASE", user = "PGUSER", password = "PGPASSWORD", passfile = "PGPASSFILE",
  sslmode = "PGSSLMODE", sslrootcert = "PGSSLROOTCERT", sslcert = "PGSSLCERT", sslkey = "PGSSLKEY",
  require_auth = "PGREQUIREAUTH", channel_binding = "PGCHANNELBINDING", connect_timeout = "PGCONNECT_TIMEOUT",
  application_name = "PGAPPNAME", target_session_attrs = "PGTARGETSESSIONATTRS", options = "PGOPTIONS",
}

---Variables that would lead elsewhere, or make the connection safer, and are not read: with any value, or with one.
local refused = { PGSERVICE = true, PGHOSTADDR = true, PGSSLCRL = true, PGSSLCRLDIR = true, PGREQUIREPEER = true,
  PGGSSENCMODE = "require", PGSSLMINPROTOCOLVERSION = "TLSv1.3" }

---Parameters of a URL that change nothing in what is asked.
local harmless = option.set [[fallback_application_name client_encoding keepalives keepalives_idle keepalives_interval
  keepalives_count tcp_user_timeout sslcompression sslsni gssencmode]]

local switch = { on = true, off = false, [true] = true, [false] = false }

local text_or_number = { "a string or a number", function(value)
  return type(value) == "string" or type(value) == "number"
end }

local on_or_off = { '"on" or "off"', function(value) return switch[value] ~= nil end, names = { "on", "off" } }

---The kinds of parameters, which are texts in a URL.
local kind_of_parameter = { port = text_or_number, sslmode = option.one_of(encryption.modes), prepare = on_or_off,
  channel_binding = option.one_of { "disable", "prefer", "require" }, connect_timeout = text_or_number, sslpassword = kinds.text,
  target_session_attrs = option.one_of { "any", "read-write" } }
for name in pairs(variables) do kind_of_parameter[name] = kind_of_parameter[name] or kinds.text end

---The kinds of options: those of parameters, and what no URL says.
local kind_of_option = { url = kinds.text, timeout = kinds.seconds, message_limit = kinds.size, result_limit = kinds.size,
  notify = kinds.callable }
for name, kind in pairs(kind_of_parameter) do kind_of_option[name] = kind end

-- ---- URLs ---------------------------------------------------------------------------------------

---Cuts a host and its port, which may both be missing.
---@return string host
---@return string port
local function cut_port(server)
  local host, port = server:match "^%[(.*)%]:?(%d*)$"
  if host then return host, port end
  host, port = server:match "^(.*):(%d*)$"
  return host or server, port or ""
end

---@return table<string, string>? parameters
---@return string? mistake
local function read_query(text, parameters)
  local query = web_address.query(text)
  if not query then return nil, "an escape in its parameters is not one" end
  if query.gssencmode == "require" then return nil, "gssencmode: bide does not encrypt by GSS: leave it out" end
  for _, name in ipairs(option.sorted_names(query)) do
    if not kind_of_parameter[name] and not harmless[name] then
      return nil, ("%s: %s"):format(name, option.unknown("parameter", name, option.sorted_names(kind_of_parameter)))
    end
    if kind_of_parameter[name] then parameters[name] = query[name] end
  end
  return parameters
end

---Reads `postgres://user:password@host:port,host:port/database?parameters`, each part of which may be missing.
---@param text string
---@return table<string, string>? parameters
---@return string? mistake
function M.read_url(text)
  local scheme, rest = text:match "^(%a+)://(.*)$"
  local is_ours = scheme and (scheme:lower() == "postgres" or scheme:lower() == "postgresql")
  if not is_ours or text:find "[%c%s]" then return nil, "expected a URL such as postgres://app@db/shop" end
  local authority, path, query = rest:match "^([^/?]*)/?([^?]*)%??(.*)$"
  local user, servers = authority:match "^(.*)@(.*)$"
  local name, password = (user or ""):match "^([^:]*):?(.*)$"
  local parameters, hosts, ports = { dbname = decode(path), user = decode(name), password = decode(password) }, {}, {}
  for server in ((servers or authority) .. ","):gmatch "([^,]*)," do
    local host, port = cut_port(server)
    hosts[#hosts + 1], ports[#ports + 1] = decode(host) or "%", port
  end
  parameters.host, parameters.port = table.concat(hosts, ","), table.concat(ports, ",")
  if not parameters.dbname or not parameters.user or not parameters.password or parameters.host:find("%", 1, true) then
    return nil, "an escape of the URL is not one"
  end
  for each, value in pairs(parameters) do parameters[each] = value:find "^,*$" == nil and value or nil end
  return read_query(query, parameters)
end

-- ---- parameters ---------------------------------------------------------------------------------

---Adds what the environment says and nothing else does.
---@return string? mistake
local function add_environment(parameters)
  for _, name in ipairs(option.sorted_names(refused)) do
    local value = environment(name)
    if value and (refused[name] == true or refused[name] == value) then
      return name .. " is set, which bide does not read: unset it"
    end
  end
  for name, variable in pairs(variables) do
    local value = environment(variable)
    if parameters[name] == nil and value then
      local mistake = option.mistake(value, kind_of_parameter[name])
      if mistake then return ("%s: %s"):format(variable, mistake) end
      parameters[name] = value
    end
  end
end

---@param given table the options
---@return table? parameters
---@return string? mistake
local function collect(given)
  local mistake = option.check(given, kind_of_option)
  if mistake then return nil, mistake end
  local parameters = {}
  if given.url then
    parameters, mistake = M.read_url(given.url)
    if not parameters then return nil, "url: " .. mistake end
  end
  for name, value in pairs(parameters) do
    mistake = option.mistake(value, kind_of_parameter[name])
    if mistake then return nil, ("%s: %s"):format(name, mistake) end
  end
  for name, value in pairs(given) do parameters[name] = value end
  mistake = add_environment(parameters)
  return not mistake and parameters or nil, mistake
end

-- ---- hosts --------------------------------------------------------------------------------------

local PORT, MOST_HOSTS, FOLDER = 5432, 64, "/var/run/postgresql"

---A server that is tried.
---@class bide.postgres.Host
---@field name string "db:5432", or the path of a socket
---@field host? string
---@field port integer
---@field path? string of a unix socket
---@field mode string of TLS
---@field tls bide.tls.Options
---@field password? string
---@field note? string why a password may be missing

---@return string[]
local function split(text)
  local list = {}
  for item in (text .. ","):gmatch "([^,]*)," do list[#list + 1] = item end
  return list
end

---Returns how TLS is used: not to a unix socket, which leaves no machine, and in full by default.
local function mode_of(parameters, host)
  if host.path then return "disable" end
  return parameters.sslmode or web_address.is_loopback(host.host) and "prefer" or "verify-full"
end

---@return string? mistake
local function add_tls(parameters, host)
  local mode, tls = encryption.read { sslmode = mode_of(parameters, host), parameters = parameters }
  if not mode then return tls --[[@as string]] end
  host.mode, host.tls = mode, tls
  if mode ~= "disable" then return sessions.keep(tls) end
end

---@param text string
---@param port integer
---@return bide.postgres.Host?
---@return string? mistake
local function host_of(text, port)
  if text == "" then text = FOLDER end
  local path = socket(text, port)
  if path then
    if #path > 107 then return nil, ("expected the path of a socket of at most 107 bytes, found %d"):format(#path) end
    return { name = path, port = port, path = path, folder = text }
  end
  local is_odd = text:find "[%s%c/@]" or text:find(":", 1, true) and core.resolver.family_of(text) ~= "inet6"
  if is_odd then return nil, option.expected("a name, an address, or a folder that begins with /", text) end
  local form = text:find(":", 1, true) and "[%s]:%d" or "%s:%d"
  return { name = form:format(text, port), host = text, port = port }
end

---@return bide.postgres.Host[]?
---@return string? mistake
local function hosts_of(parameters)
  local names, ports, hosts = split(parameters.host or ""), split(tostring(parameters.port or "")), {}
  if #names > MOST_HOSTS then return nil, ("host: expected at most %d hosts, found %d"):format(MOST_HOSTS, #names) end
  if #ports > 1 and #ports ~= #names then
    return nil, ("port: expected one, or one for each of the %d hosts, found %d"):format(#names, #ports)
  end
  for position, name in ipairs(names) do
    local text = ports[position] or ports[1]
    local port = text == "" and PORT or web_address.port_of(text)
    if not port then return nil, "port: " .. option.expected("1 to 65535", text) end
    local host, mistake = host_of(name, port)
    if not host then return nil, "host: " .. mistake end
    mistake = add_tls(parameters, host)
    if mistake then return nil, mistake end
    hosts[position] = host
  end
  return hosts
end

local function add_passwords(parameters, hosts, user, database)
  local home = uv.os_homedir()
  local path = parameters.passfile or home and home .. "/.pgpass"
  local text, note
  if not parameters.password and path then text, note = pgpass.read(path) end
  for _, host in ipairs(hosts) do
    local name = host.folder == FOLDER and "localhost" or host.folder or host.host
    host.password = parameters.password or text and pgpass.search(text, { name, tostring(host.port), database, user })
    host.note = note
    if host.password then secret.remember(host.password) end
  end
end

-- ---- targets ------------------------------------------------------------------------------------

local TIMEOUT, CONNECT_TIMEOUT = 30, 5 -- seconds
local MESSAGE_LIMIT, RESULT_LIMIT = 4 * 1024 * 1024, 64 * 1024 * 1024

---The hosts of a session, and all that opens one.
---@class bide.postgres.Target
---@field hosts bide.postgres.Host[]
---@field user string
---@field database string
---@field application_name string
---@field options? string of the server's command line
---@field require_auth? bide.postgres.Requirement
---@field needs_binding boolean
---@field is_read_write boolean
---@field prepares boolean
---@field connect_timeout number seconds for each host
---@field timeout number seconds for an answer
---@field message_limit integer
---@field result_limit integer
---@field notify? fun(channel: string, payload: string)

---@return string? user
local function user_of(parameters)
  if parameters.user then return parameters.user end
  local found = uv.os_get_passwd()
  return found and found.username
end

---@param given table options
---@return bide.postgres.Target?
---@return string? mistake
function M.read(given)
  local parameters, mistake = collect(given)
  if not parameters then return nil, mistake end
  for name, value in pairs(parameters) do
    if type(value) == "string" and value:find("\0", 1, true) then return nil, name .. ": expected a text without NUL bytes" end
  end
  local hosts, wrong = hosts_of(parameters)
  if not hosts then return nil, wrong end
  local seconds = tonumber(parameters.connect_timeout or CONNECT_TIMEOUT)
  if not seconds or seconds <= 0 then
    return nil, "connect_timeout: " .. option.expected(kinds.seconds[1], parameters.connect_timeout)
  end
  local is_enough, problem = require_auth.read(parameters.require_auth)
  if not is_enough then return nil, "require_auth: " .. problem end
  local user = user_of(parameters)
  if not user then return nil, "user: expected one, found nothing" end
  local database = parameters.dbname or user
  add_passwords(parameters, hosts, user, database)
  return {
    hosts = hosts, user = user, database = database, application_name = parameters.application_name or "bide",
    options = parameters.options, require_auth = parameters.require_auth and is_enough or nil,
    needs_binding = parameters.channel_binding == "require", prepares = switch[parameters.prepare] ~= false,
    is_read_write = (parameters.target_session_attrs or #hosts > 1 and "read-write") == "read-write",
    connect_timeout = seconds, timeout = given.timeout or TIMEOUT, message_limit = given.message_limit or MESSAGE_LIMIT,
    result_limit = given.result_limit or RESULT_LIMIT, notify = given.notify,
  }
end

return M
