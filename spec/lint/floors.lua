---The floors of lua/bide: a module requires what is on its own floor or below, and no modules require each other in a
---circle; a require inside a function counts as well. Where a lower floor needs something of a higher one, the higher
---hands it down: as an argument, or by a registration (as the sandbox gives chunk.load_with its way to load files).
---
---The modules of C (bide.core, bide.transfer …) are below all floors. What comes next has its place: models (bide.model)
---and the protocols by which their operations are sent (bide.aws) among the recipes; protocols of the wire and stores
---(bide.mysql …) beside bide.tls among the probes.

---From the lowest to the highest, one line a floor. `x.*` is all of the folder x but what another floor names.
local floors = {
  { "words", "address base64 documentation duration error_class error_names fail objects option script_error secret shown "
    .. "version" },
  { "tasks", "mailbox script_limits tasks tasks.*" },
  { "probes", "amqp amqp.* answer cassandra compose dns dns.* docker elasticsearch exec exec.* file file.* grpc grpc.* http "
    .. "http.* imap kafka kafka.* kubernetes kubernetes.* ldap ldap.* limit_rate mongodb mongodb.* mysql "
    .. "mysql.* nats operation peer peer.* postgres postgres.* processes redis retry smtp ssh "
    .. "systemd tcp tls tls.* udp unix" },
  { "recipes", "acceptor aws aws.* check check.* convert convert.* input jmespath model model.* protocol protocol.* "
    .. "recipe recipe.* wait.*" },
  { "waits", "expect fleet outcome outcome.* poller wait waiter" },
  { "records", "journal journal.* once report report.*" },
  { "bide", "init registry" },
  { "sandbox", "sandbox sandbox.*" },
  { "commands", "cli cli.*" },
}

---Only from this floor up may the name of a module be made of parts.
local COMPOSING = 7

local of_c = {}
for name in ("core digest secure store transfer walls"):gmatch "%S+" do of_c["bide." .. name] = true end

local TABLE = "spec/lint/floors.lua"

---@class FloorModule
---@field file string
---@field requires { name: string, line: integer }[]
---@field floor integer?

---@return string "bide.http.rate" for lua/bide/http/rate.lua
local function name_of(file)
  return (file:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

local function read(file)
  local module, number = { file = file, requires = {} }, 0
  for line in io.lines(file) do
    number = number + 1
    local code = line:gsub("^%s*%-%-.*", "")
    for name in code:gmatch 'require%s*%(?%s*"(bide[%w_.]*)"' do
      if not name:find "%.$" then module.requires[#module.requires + 1] = { name = name, line = number } end
    end
    module.composes = module.composes or (code:find "require%s*%([^\"]" or code:find '"bide%.[%w_.]*%."') and number
  end
  return module
end

---The rows of the table by what they name: whole modules, and folders.
local function rows(find)
  local floor_of = {}
  for floor, row in ipairs(floors) do
    for word in row[2]:gmatch "%S+" do
      local name = word == "init" and "bide" or "bide." .. word
      if floor_of[name] then find(TABLE, 1, ("%s is on two floors"):format(name)) end
      floor_of[name] = floor
    end
  end
  return floor_of
end

local function assign(modules, find)
  local floor_of, used = rows(find), {}
  for name, module in pairs(modules) do
    local row = floor_of[name] and name or name:gsub("%.[^.]*$", "") .. ".*"
    module.floor, used[row] = floor_of[row], true
    if not module.floor then
      find(module.file, 1, ("%s is on no floor: add it to the table of %s"):format(name, TABLE))
    end
  end
  for row in pairs(floor_of) do
    if not used[row] then find(TABLE, 1, ("there is no module %s"):format(row)) end
  end
end

local function check_requires(modules, module, find)
  for _, required in ipairs(module.requires) do
    local other = modules[required.name]
    if not other and not of_c[required.name] then
      find(module.file, required.line, ("there is no module %s"):format(required.name))
    elseif other and module.floor and other.floor and other.floor > module.floor then
      find(module.file, required.line, ("%s, on the floor of %s, may not require %s, on the floor of %s above it: have it "
        .. "handed down"):format(name_of(module.file), floors[module.floor][1], required.name, floors[other.floor][1]))
    end
  end
  if module.composes and module.floor and module.floor < COMPOSING then
    find(module.file, module.composes, "requires a module whose name is no literal: its floor cannot be checked")
  end
end

---Follows the requires of a module on its own floor; a circle over several floors has a require upward, which is found
---as that. `path` holds the modules on the way to it.
local function check_circles(modules, name, path, find)
  local module = modules[name]
  if not module or module.is_done then return end
  path[#path + 1], path[name] = name, #path + 1
  for _, required in ipairs(module.requires) do
    local other = modules[required.name]
    if path[required.name] then
      local circle = table.concat(path, " -> ", path[required.name]) .. " -> " .. required.name
      find(module.file, required.line, "a circle of requires: " .. circle)
    elseif other and other.floor == module.floor then
      check_circles(modules, required.name, path, find)
    end
  end
  path[#path], path[name], module.is_done = nil, nil, true
end

---@param find fun(file: string, line: integer, text: string)
return function(find)
  local modules, names = {}, {}
  for file in io.popen("find lua/bide -name '*.lua' -not -path 'lua/bide/meta/*'"):lines() do
    local name = name_of(file)
    modules[name], names[#names + 1] = read(file), name
  end
  table.sort(names)
  assign(modules, find)
  for _, name in ipairs(names) do
    check_requires(modules, modules[name], find)
    check_circles(modules, name, {}, find)
  end
end
