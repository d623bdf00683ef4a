---Reads kubeconfig files by the rules of kubectl: $KUBECONFIG names one or several, and ~/.kube/config is the default. Of
---several files, the first that has a name wins.

local base64 = require "bide.base64"
local nearest = require("bide.core").names.nearest
local option = require "bide.text.option"
local shown = require "bide.text.shown"
local whole_file = require "bide.text.whole_file"
local yaml = require "bide.text.yaml"

local M = {}

---The largest file that is read, in bytes.
local LARGEST = 1024 * 1024

local NO_SUCH_FILE <const> = 2 -- ENOENT

---@class bide.kubernetes.Entry
---@field value table what the file says
---@field folder string of the file, where relative paths begin
---@field file string

---@class bide.kubernetes.Kubeconfig
---@field files string[]
---@field current string? the name of the current context
---@field clusters table<string, bide.kubernetes.Entry>
---@field users table<string, bide.kubernetes.Entry>
---@field contexts table<string, bide.kubernetes.Entry>

local function raise(text, ...)
  error({ mistake = text:format(...) }, 0)
end

---Returns what a function returns, or nil and the mistake that it raises.
local function guard(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if type(result) == "table" and result.mistake then return nil, result.mistake end
  error(result, 0)
end

-- ---- files -----------------------------------------------------------------------------------

---Returns the files to read.
---@param given? string in place of $KUBECONFIG
---@return string[] files
---@return boolean must_exist
local function files_of(given)
  if given then return { given }, true end
  local files, list, home = {}, os.getenv "KUBECONFIG", os.getenv "HOME"
  for file in (list or ""):gmatch "[^:]+" do files[#files + 1] = file end
  if #files == 0 and home then files[1] = home .. "/.kube/config" end
  return files, false
end

---@return string? text nil if there is no such file
local function read_file(file, must_exist)
  local text, mistake, code = whole_file.read(file, LARGEST)
  if not text and (must_exist or code ~= NO_SUCH_FILE) then raise("%s", mistake) end
  return text
end

local sections = { clusters = "cluster", users = "user", contexts = "context" }

---Adds the entries of a section: `- name: NAME` with the member of the section beside it.
local function add_section(config, section, list, file)
  local member = sections[section]
  if type(list) ~= "table" then raise("%s: %s: %s", file, section, option.expected("a list", list)) end
  for position, entry in ipairs(list) do
    local place = ("%s: %s[%d]"):format(file, section, position - 1)
    if type(entry) ~= "table" or type(entry.name) ~= "string" then raise("%s: expected an entry with a name", place) end
    local value = entry[member] or {}
    if type(value) ~= "table" then raise("%s.%s: %s", place, member, option.expected("a table", value)) end
    local found = { value = value, file = file, folder = file:match "^(.*/)" or "" }
    config[section][entry.name] = config[section][entry.name] or found
  end
end

local function add_file(config, file, must_exist)
  local text = read_file(file, must_exist)
  if not text then return end
  local content, mistake = yaml.read(text)
  if mistake then raise("%s: %s", file, mistake) end
  if content ~= nil and type(content) ~= "table" then raise("%s: %s", file, option.expected("a kubeconfig", content)) end
  table.insert(config.files, file)
  content = content or {}
  for section in pairs(sections) do
    if content[section] ~= nil then add_section(config, section, content[section], file) end
  end
  local current = content["current-context"]
  if current ~= nil and type(current) ~= "string" then
    raise("%s: current-context: %s", file, option.expected("a name", current))
  end
  if current ~= "" then config.current = config.current or current end
end

-- ---- what a context says -----------------------------------------------------------------------

---@return bide.kubernetes.Entry
local function find(config, section, name)
  local entry = config[section][name]
  if entry then return entry end
  local names = option.sorted_names(config[section])
  local near = nearest(name, names)
  raise("%s: no %s is called %s%s", table.concat(config.files, ", "), sections[section], shown.quote(name),
    near and (", did you mean %s?"):format(shown.quote(near)) or "")
end

---Reads members of an entry that have to be of one type.
---@param entry bide.kubernetes.Entry
---@param names table<string, string> types by the names of members
local function check(entry, names)
  for name, expected in pairs(names) do
    local value = entry.value[name]
    if value ~= nil and type(value) ~= expected then
      raise("%s: %s: %s", entry.file, name, option.expected("a " .. expected, value))
    end
  end
end

local function path_of(entry, name)
  local path = entry.value[name]
  if not path or path == "" then return nil end
  return path:sub(1, 1) == "/" and path or entry.folder .. path
end

---Returns PEM: the text in the file, which is Base64, or else the path of another one.
local function pem_of(entry, name)
  local data = entry.value[name .. "-data"]
  if not data or data == "" then return path_of(entry, name) end
  local text = base64.decode((data:gsub("%s", "")))
  if not text or not text:find("-----BEGIN", 1, true) then raise("%s: %s-data: expected PEM in Base64", entry.file, name) end
  return text
end

local TEXT = "string"

local cluster_members = {
  server = TEXT, ["certificate-authority"] = TEXT, ["certificate-authority-data"] = TEXT, ["proxy-url"] = TEXT,
  ["insecure-skip-tls-verify"] = "boolean", ["tls-server-name"] = TEXT,
}

local user_members = {
  token = TEXT, tokenFile = TEXT, username = TEXT, password = TEXT, ["client-certificate"] = TEXT,
  ["client-certificate-data"] = TEXT, ["client-key"] = TEXT, ["client-key-data"] = TEXT, exec = "table",
  ["auth-provider"] = "table", as = TEXT,
}

local function read_cluster(entry, connection)
  check(entry, cluster_members)
  local value = entry.value
  if not value.server then raise("%s: the cluster has no server", entry.file) end
  if value["tls-server-name"] then raise("%s: tls-server-name: bide verifies the name of the server's URL", entry.file) end
  connection.server = value.server
  connection.ca, connection.proxy = pem_of(entry, "certificate-authority"), value["proxy-url"]
  connection.insecure = value["insecure-skip-tls-verify"]
end

local function read_user(entry, connection)
  check(entry, user_members)
  local value = entry.value
  if value["auth-provider"] then
    raise("%s: auth-provider: Kubernetes 1.26 removed it in favour of exec", entry.file)
  end
  connection.certificate, connection.key = pem_of(entry, "client-certificate"), pem_of(entry, "client-key")
  connection.user, connection.password, connection.as = value.username, value.password, value.as
  connection.token_file = path_of(entry, "tokenFile")
  connection.token = not connection.token_file and value.token or nil
  if value.exec then connection.exec = { spec = value.exec, folder = entry.folder, file = entry.file } end
end

---The way to a cluster, with the credentials for it.
---@class bide.kubernetes.Connection
---@field server string
---@field namespace? string
---@field ca? string a file, or PEM
---@field certificate? string the client's, a file or PEM
---@field key? string
---@field proxy? string
---@field insecure? boolean
---@field user? string
---@field password? string
---@field token? string
---@field token_file? string read for each request, since tokens are renewed
---@field exec? { spec: table, folder: string, file: string } a program that gives credentials
---@field as? string the user to act as

---@return table config
---@return string[] files that were looked for
local function read_files(given)
  local files, must_exist = files_of(given.kubeconfig)
  local config = { files = {}, clusters = {}, users = {}, contexts = {} }
  for _, file in ipairs(files) do add_file(config, file, must_exist) end
  return config, files
end

---@return bide.kubernetes.Connection? connection nil if there is no file, or no context in it
local function read_context(given)
  local config, files = read_files(given)
  local name = given.context or config.current
  if #config.files == 0 and not name then return nil end
  if not name then
    raise("%s: there is no current-context; give for example context=%s", table.concat(config.files, ", "),
      option.sorted_names(config.contexts)[1] or "NAME")
  end
  if #config.files == 0 then raise("context=%s: there is no kubeconfig (%s)", name, table.concat(files, ", ")) end
  local context = find(config, "contexts", name)
  check(context, { cluster = TEXT, user = TEXT, namespace = TEXT })
  local connection = { namespace = context.value.namespace }
  if not context.value.cluster then raise("%s: the context %s has no cluster", context.file, name) end
  read_cluster(find(config, "clusters", context.value.cluster), connection)
  if (context.value.user or "") ~= "" then read_user(find(config, "users", context.value.user), connection) end
  return connection
end

---Returns the names of the contexts of the usual files, sorted. Raises a text if a file cannot be read.
---@return string[]
function M.contexts()
  return option.sorted_names(read_files({}).contexts)
end

---Returns the connection of a context.
---@param given { kubeconfig: string?, context: string? } the current context of the usual files by default
---@return bide.kubernetes.Connection? connection nil without a mistake if there is no kubeconfig
---@return string? mistake
function M.connection(given)
  return guard(read_context, given)
end

return M
