---Addresses as people write them: `db:5432`, `[::1]:80`, `8080`, `redis://me:secret@cache:6379/0`,
---`localhost:8080/health`.
---
---    local address = require "bide.address"
---    address.read "db:5432"                                              --> { host = "db", port = 5432 }
---    address.read("postgres://me:pw@db/shop", { schemes = { "postgres" } })
---                       --> { scheme = "postgres", user = "me", password = "pw", host = "db", path = "shop", query = {} }
---    address.http "localhost:8080/health"                                --> "http://localhost:8080/health"
---
---A text that cannot be an address is a mistake, in which no password is shown.

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"
local web_address = require "bide.text.web_address"

local M = {}

---@class bide.Address
---@field scheme? string of a URL
---@field user? string
---@field password? string
---@field host string without the brackets of an IPv6 address
---@field port? integer
---@field path? string of a URL, without its first slash
---@field query? table<string, string> of a URL
---@field unix? string the path of a unix socket, in place of host and port

-- ---- host and port -----------------------------------------------------------------------------

---Returns the mistake of an authority that begins with its port. Mostly the host came from a variable that is not set, and
---this machine is not meant.
---@param authority string `user:password@:5432`, `:8080`
---@return string? mistake
function M.missing_host(authority)
  return web_address.missing_host(authority)
end

---`8080` is a port of this machine.
---@return bide.Address?
local function read_bare_port(text)
  local digits = text:match "^(%d+)$"
  local port = digits and web_address.port_of(digits)
  return port and { host = "localhost", port = port } or nil
end

-- ---- URLs ----------------------------------------------------------------------------------------

---@return boolean fits
local function read_user(text, address)
  local user, password = text:match "^([^:]*):(.*)$"
  address.user = web_address.decode(user or text)
  address.password = password and web_address.decode(password)
  local fits = address.user ~= nil and (address.password ~= nil) == (password ~= nil)
  if address.user == "" then address.user = nil end
  return fits
end

---Reads the folder of a socket, where libpq has the host: `%2Frun%2Fpg:5433`, or in the parameter `host`.
---@param server string
---@return boolean fits
local function read_folder(server, address)
  local name, port = server:match "^(.-):?(%d*)$"
  name = web_address.decode(name)
  if name == "" then name, address.query.host = address.query.host, nil end
  if not name or name:sub(1, 1) ~= "/" then return false end
  address.host, address.port = name, web_address.port_of(port)
  return port == "" or address.port ~= nil
end

---@param text string behind "://"
---@param forms bide.AddressForms
---@return boolean fits
local function read_url(text, address, forms)
  text = text:gsub("#.*$", "")
  local authority, rest = text:match "^([^/?]*)(.*)$"
  local path, query = rest:match "^/?([^?]*)%??(.*)$"
  local user, server = authority:match "^(.*)@(.*)$"
  server, address.path, address.query = server or authority, web_address.decode(path), web_address.query(query)
  return (not user or read_user(user, address)) and address.path ~= nil and address.query ~= nil
    and (forms.folders and read_folder(server, address) or web_address.read(server, address))
end

---Reads `me:secret@/run/cache.sock?db=3`, what is behind unix://.
---@return boolean fits
local function read_socket(text, address)
  local user, rest = text:match "^([^/]*)@(/.*)$"
  local path, query = (rest or text):match "^(/[^?#]*)%??([^#]*)"
  address.unix, address.query = path and web_address.decode(path), path and web_address.query(query)
  return address.unix ~= nil and (not user or read_user(user, address)) and address.query ~= nil
end

---@class bide.AddressForms
---@field folders? boolean whether the folder of a unix socket is a host, too: `/run/postgresql`
---@field sockets? boolean whether `unix:///PATH` is an address too
---@field schemes? string[] of URLs; none without it
---@field parameters? string[] of a URL, which the caller reads; with it, another one is a mistake
---@field harmless? string[] parameters that are no mistake either: they change nothing in what is asked
---@field ignores_case? boolean whether the names of parameters do; these are given in small letters then
---@field needs_user? boolean whether a password without a user is a mistake: it would not be tried

---Returns what to do about a parameter that is not read.
local function advice_on(lower, known, forms)
  local is_of_tls = lower:find("ssl", 1, true) or lower:find("tls", 1, true)
  if is_of_tls then return "give tls, ca, certificate or key as inputs" end
  local near = core.names.nearest(known, forms.parameters) or core.names.nearest(known, forms.harmless or {})
  return near and ("did you mean %q?"):format(near) or "leave it out, or give an input in its place"
end

---Returns the mistake in the parameters of a URL: one that the caller does not read. What is asked might be another thing
---than the URL says, or the connection less safe.
---@param query table<string, string>
---@param forms bide.AddressForms
---@return string?
local function mistake_of_query(query, forms)
  if not forms.parameters then return nil end
  for _, name in ipairs(option.sorted_names(query)) do
    local lower = name:lower()
    local known = forms.ignores_case and lower or name
    if not tables.has(forms.parameters, known) and not tables.has(forms.harmless or {}, known) then
      return ("the parameter %s is not read: %s"):format(name, advice_on(lower, known, forms))
    end
  end
end

---@param forms bide.AddressForms
---@return string expected
local function expected(forms)
  if not forms.schemes then return "HOST:PORT" end
  return ("HOST:PORT or a %s:// URL"):format(forms.schemes[1])
end

---Reads an address.
---@param text string
---@param forms? bide.AddressForms
---@return bide.Address?
---@return string? mistake
function M.read(text, forms)
  if type(text) ~= "string" then error("bide.address.read: " .. option.expected("a string", text), 2) end
  forms = forms or {}
  if forms.tls then error("bide.address.read: tls: it is called parameters now, and names all that the caller reads", 2) end
  if #text > web_address.LONGEST or text:find "[%c%s]" then return web_address.refuse(expected(forms), text) end
  local scheme, rest = text:match "^(%a[%w+.-]*)://(.*)$"
  scheme = scheme and scheme:lower()
  local address = { scheme = scheme }
  local is_url = scheme and forms.schemes and tables.has(forms.schemes, scheme)
  if not scheme then
    if forms.folders and text:sub(1, 1) == "/" then return { host = text } end
    address = read_bare_port(text) or address
    if address.host or web_address.read(text, address) then return address end
  elseif is_url and read_url(rest, address, forms) or forms.sockets and scheme == "unix" and read_socket(rest, address) then
    local mistake = mistake_of_query(address.query, forms)
    if mistake then return nil, mistake end
    return address
  end
  local mistake = (is_url or not scheme) and M.missing_host((rest or text):match "^[^/?#]*")
  if mistake then return nil, mistake end
  local lacks_scheme = not scheme and forms.schemes and text:find("@", 1, true)
  return web_address.refuse(lacks_scheme and ("%s:// before a user"):format(forms.schemes[1]) or expected(forms), text)
end

---@param user string?
---@param password string?
---@param forms? bide.AddressForms
---@return string? mistake
local function mistake_of_user(user, password, forms)
  if not forms or not forms.needs_user or not password or user then return nil end
  return "user: expected one, since there is a password; found nothing"
end

-- ---- several addresses -------------------------------------------------------------------------

local MOST = 64

---Reads addresses with commas between them, as brokers and sentinels are named: `one:9092,two`. In a URL, scheme, user,
---path and query are those of every address.
---@param text string
---@param default_port integer
---@param forms? bide.AddressForms
---@return bide.Address[]?
---@return string? mistake
function M.read_list(text, default_port, forms)
  if type(text) ~= "string" then error("bide.address.read_list: " .. option.expected("a string", text), 2) end
  local list, head, hosts, tail = {}, text:match "^(%a[%w+.-]*://)([^/?#]*)(.*)$"
  local user, servers = (hosts or text):match "^(.*@)(.*)$"
  head, tail = (head or "") .. (user or ""), tail or ""
  if #text > web_address.LONGEST then return web_address.refuse(expected(forms or {}), text) end
  for server in ((servers or hosts or text) .. ","):gmatch "([^,]*)," do
    local address, mistake = M.read(head .. server .. tail, forms)
    if not address then return nil, mistake end
    if #list == MOST then return nil, ("expected at most %d addresses, found more"):format(MOST) end
    address.port = address.port or default_port
    list[#list + 1] = address
  end
  return list
end

---Asks one address after the other, until one answers, or until an answer suffices; if none does, returns the first one.
---Raises the operation error of the last address if none answers.
---@generic T
---@param list bide.Address[]
---@param ask fun(address: bide.Address): T
---@param suffices? fun(answer: T): boolean?
---@return T answer
function M.ask_each(list, ask, suffices)
  local first, failure
  for _, address in ipairs(list) do
    local ok, answer = pcall(ask, address)
    if ok and (not suffices or suffices(answer)) then return answer end
    if not ok and (type(answer) ~= "table" or type(answer.type) ~= "string") then error(answer, 0) end
    if ok then first = first or answer else failure = answer end
  end
  return first or error(failure, 0)
end

---Returns the inputs of an operation with such addresses: user, password and timeout, and its own, which come first.
---@param own bide.Inputs
---@return bide.Inputs
function M.list_inputs(own)
  return tables.merged({
    user = { type = "string", documentation = "The user." },
    password = { type = "string", secret = true, documentation = "The user's password." },
    timeout = { type = "duration", default = 10, documentation = "The time for each address." },
  }, own)
end

---The check of an operation whose input `member` has such addresses.
---@param member string
---@param default_port integer
---@param forms? bide.AddressForms
---@return fun(input: table): string?
function M.check_list(member, default_port, forms)
  return function(input)
    local list, mistake = M.read_list(input[member], default_port, forms)
    if not list then return member .. ": " .. mistake end
    return mistake_of_user(input.user or list[1].user, input.password or list[1].password, forms)
  end
end

---Returns an address with a port as it is written, for a host without one. The last number of an IPv6 address may have been
---meant as the port.
---@param host string
---@return string
local function with_port(host)
  if not host:find(":", 1, true) then return host .. ":80" end
  local before, port = host:match "^(.*[^:]):(%d+)$"
  if not before or not web_address.port_of(port) or not web_address.is_numeric(before) then return ("[%s]:80"):format(host) end
  return ("[%s]:%s"):format(before, port)
end

---Makes an address of inputs: of `url` or `host`, with `port`, `user` and `password`, which override what it says.
---@param input { url: string?, host: string?, port: integer?, user: string?, password: string? }
---@param default_port? integer
---@param forms? bide.AddressForms
---@return bide.Address?
---@return string? mistake
function M.of(input, default_port, forms)
  local member = input.url and "url" or "host"
  if input.url and input.host then return nil, "url: expected either url or host, found both" end
  if not input[member] then
    return nil, ("%s: expected %s, found nothing"):format(forms and forms.schemes and "url" or "host", expected(forms or {}))
  end
  local address, mistake = M.read(input[member], forms)
  if not address then return nil, ("%s: %s"):format(member, mistake) end
  if input.port and address.port and input.port ~= address.port then
    return nil, ("port: expected %d, as in %s, found %d"):format(address.port, member, input.port)
  end
  if address.unix and input.port then return nil, "port: a unix socket has none" end
  address.port = not address.unix and (input.port or address.port or default_port) or nil
  if not address.port and not address.unix then
    return nil, "port: expected 1 to 65535, found nothing; for example " .. with_port(address.host)
  end
  address.user, address.password = input.user or address.user, input.password or address.password
  mistake = mistake_of_user(address.user, address.password, forms)
  if mistake then return nil, mistake end
  return address
end

---The check of an operation whose input is such an address.
---@param default_port? integer
---@param forms? bide.AddressForms
---@return fun(input: table): string?
function M.check(default_port, forms)
  return function(input) return select(2, M.of(input, default_port, forms)) end
end

---Returns the inputs of an operation with such an address: host, port and timeout, and its own, which come first.
---@param own bide.Inputs
---@return bide.Inputs
function M.host_inputs(own)
  return tables.merged({
    host = { type = "string", required = true, positional = 1, example = "db:5432", documentation = "HOST or HOST:PORT." },
    port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "The port, unless host has it." },
    timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
  }, own)
end

---Returns the inputs of an operation with such a URL, and its own, which come first.
---@param own bide.Inputs with `url`
---@param default_port integer
---@return bide.Inputs
function M.url_inputs(own, default_port)
  return tables.merged({
    host = { type = "string", documentation = "HOST or HOST:PORT, in place of url." },
    port = { type = "integer", minimum = 1, maximum = 65535,
      documentation = ("The port. Default: %d."):format(default_port) },
    user = { type = "string", documentation = "The user." },
    password = { type = "string", secret = true, documentation = "The user's password." },
    timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
  }, own)
end

-- ---- HTTP ----------------------------------------------------------------------------------------

---Completes the address of an HTTP service: `localhost:8080/health`, `8080`, `8080/health`, `https://db`.
---@param text string
---@return string? url
---@return string? mistake
function M.http(text)
  if type(text) ~= "string" then error("bide.address.http: " .. option.expected("a string", text), 2) end
  return web_address.http(text)
end

---Returns the inputs of an operation that asks such a service: url and timeout, and its own, which come first.
---@param own bide.Inputs
---@param example? string an address, localhost:8080 by default
---@return bide.Inputs
function M.http_inputs(own, example)
  return tables.merged({
    url = { type = "string", required = true, positional = 1, origin = true, example = example or "localhost:8080",
      documentation = "The address." },
    timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
  }, own)
end

---The check of an operation whose input `url` is such an address.
---@param input { url: string }
---@return string? mistake
function M.check_http(input)
  local _, mistake = M.http(input.url)
  return mistake and "url: " .. mistake
end

return M
