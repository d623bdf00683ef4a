---The rules of the house that no compiler knows: which layer may include which,
---who may see Lua, libcurl and the clock.
---Prints what breaks them, as file:line, and exits with 1.

local check_border = require "spec.lint.border"
local check_classes = require "spec.lint.classes"
local check_comments = require "spec.lint.comments"
local check_english = require "spec.lint.english"
local check_floors = require "spec.lint.floors"
local check_identifiers = require "spec.lint.identifiers"
local check_lua_comments = require "spec.lint.lua_comments"
local check_platform = require "spec.lint.platform"

---What each layer may include. The host has three of its own: its state and tasks, values on the border, modules. The
---expressions have two above their own: the functions, and the analysis.
local below = {
  base = { base = true },
  process = { base = true, process = true },
  secret = { base = true, secret = true },
  json = { base = true, secret = true, json = true },
  jmespath = { base = true, json = true, jmespath = true },
  model = { base = true, json = true, model = true },
  wait = { base = true, json = true, jmespath = true, wait = true },
  library = { base = true, json = true, jmespath = true, wait = true, library = true },
  net = { base = true, process = true, net = true },
  host = { base = true, process = true, secret = true, json = true, jmespath = true, model = true, wait = true, net = true,
    host = true },
}
below["jmespath/functions"] = setmetatable({ ["jmespath/functions"] = true }, { __index = below.jmespath })
below["jmespath/analysis"] = setmetatable({ ["jmespath/analysis"] = true }, { __index = below.jmespath })
below.library["jmespath/analysis"], below.host["jmespath/analysis"] = true, true
below["host/values"] = setmetatable({ ["host/values"] = true }, { __index = below.host })
below["host/api"] = setmetatable({ ["host/api"] = true }, { __index = below["host/values"] })

---The layer of a file below src, or of a header.
local function layer_of(path)
  local room = path:match "^(%l+/%l+)/"
  return below[room] and room or path:match "^(%w+)/"
end

local findings = 0

local function find(file, line, text)
  findings = findings + 1
  print(("%s:%d: %s"):format(file, line, text))
end

---Headers that only some places may include: a pattern of the header, and those of the places.
local reserved = {
  { "^lua", "^src/host/" }, { "^lauxlib", "^src/host/" }, { "^luv/", "^src/host/" },
  { "^curl/", "^src/net/http" },
  { "^sqlite3%.h$", "^src/host/api/sqlite%.c$" },
  { "^openssl/", "^src/host/api/digest%.c$", "^src/net/tls", "^src/net/http_certificate%.c$" },
  { "^pthread%.h$", "^src/net/signals%.c$", "^src/process/walls%.c$", "^src/process/group_supervisor%.c$",
    "^src/net/resolver%.c$",
    "^src/process/interrupter%.h$" },
  { "^linux/seccomp%.h$", "^src/process/walls_calls%.c$" }, { "^linux/landlock%.h$", "^src/process/walls_files%.c$" },
  { "^libxml/", "^src/host/api/xml%.c$" },
  { "^uv%.h$", "^src/net/" }, { "^time%.h$", "^src/base/clock%.c$", "^src/process/interrupter%.c$" },
  { "^sys/time%.h$", "^src/base/clock%.c$" },
}

local function may_include(rule, file)
  for position = 2, #rule do
    if file:find(rule[position]) then return true end
  end
  return file:find "^src/[%w_]+%.[ch]$" ~= nil
end

local function check_include(file, layer, number, header)
  local target = layer_of(header) or ""
  if below[target] and layer and not below[layer][target] then
    find(file, number, ("%s may not include %s: includes run downward"):format(layer, header))
  end
  for _, rule in ipairs(reserved) do
    if header:find(rule[1]) and not may_include(rule, file) then
      find(file, number, ("%s may not be included here"):format(header))
    end
  end
end

---What people see goes through one module, which takes the commands of a terminal out of it.
local function check_output(file, number, line)
  if file:find("^lua/") and file ~= "lua/bide/text/shown.lua" and (line:find("io%.stderr") or line:find("io%.stdout:write")) then
    find(file, number, "only bide.text.shown writes what people see")
  end
end

---Statements of SQL by their first words, as bide writes them. Queries that a user may send are in the probes.
local statements = { "SELECT [%w_%*%.]+[, ]", "INSERT [IO]", "UPDATE [%l_]+ SET", "DELETE FROM", "PRAGMA %l", "CREATE TABLE" }

---The tables of journals and stores are known in their folders alone.
local function check_sql(file, number, line)
  local is_own = file:find("^lua/bide/record/journal") or file:find("^lua/bide/record/store/")
  local is_of_probe = file:find("^lua/bide/probe/") or file:find("^lua/bide/postgres/")
  if is_own or is_of_probe or not file:find("^lua/bide/%l+/") then return end
  for _, statement in ipairs(statements) do
    if line:find(statement) then
      find(file, number, "SQL belongs in lua/bide/record/store/ or lua/bide/record/journal/")
      return
    end
  end
end

local function check_file(file)
  local number = 0
  local layer = layer_of(file:gsub("^src/", ""))
  for line in io.lines(file) do
    number = number + 1
    local header = line:match('^#include [<"]([^>"]+)[>"]')
    if header then check_include(file, layer, number, header) end
    check_output(file, number, line)
    check_sql(file, number, line)
    check_platform(file, line, function(text) find(file, number, text) end)
    if line:find("%s$") then find(file, number, "blank space at the end of the line") end
    if line:find("TODO") or line:find("FIXME") then find(file, number, "something is left undone") end
  end
  check_comments(file, function(line, text) find(file, line, text) end)
  if file:find("^src/") or file:find("^lua/") then
    check_identifiers(file, function(line, text) find(file, line, text) end)
  end
  check_lua_comments(file, function(line, text) find(file, line, text) end)
  check_classes(file, function(line, text) find(file, line, text) end)
  if file:find("^src/host/.*%.c$") then
    check_border(file, function(line, text) find(file, line, text) end)
  end
end

local function check_texts(file)
  check_english(file, function(line, text) find(file, line, text) end)
end

for file in io.popen("find src -name '*.[ch]'; find lua scripts spec docs -name '*.lua'"):lines() do
  if file ~= "spec/lint.lua" then check_file(file) end
  check_texts(file)
end
check_floors(find)
for file in io.popen("find README.md docs -name '*.md'"):lines() do check_texts(file) end
if findings > 0 then os.exit(1) end
