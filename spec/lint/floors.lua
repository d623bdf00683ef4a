---The floors of lua/bide. A folder is a floor: a module requires what is in its own folder or in one below it; a require
---inside a function counts as well. A file directly in lua/bide, or in a folder of a public name, is public; its floor is in
---its row of the registry. Recipes require public files alone. Neither modules nor nouns require each other in a circle. Where
---a lower floor needs something of a higher one, the higher hands it down: as an argument, or by a registration (as
---bide.model.for_recipes does).

---From the lowest to the highest. `bide` is the module itself. Floors may have rooms, which are folders or single files, and
---of which the same holds.
local floors = {
  "text", "task", "probe/asking", "probe/file", "probe/exec", "probe/peer", "probe/http", "probe",
  "recipe/expression", "recipe/waiter", "recipe/input", "recipe/file", "recipe",
  "model/syntax", "model/botocore", "model/protocol", "model/assembly", "model/aws", "model/check", "model/convert", "model/run",
  "model", "wait", "record/report/format", "record/report/progress", "record/report",
  "record/replace_file", "record/recording", "record/answers", "record/stored_outcome", "record/journal", "record/ledger",
  "record/attempt", "record/step", "record/store", "record/worker", "record", "bide", "sandbox",
  "cli/ending", "cli/words", "cli/report", "cli/help", "cli/files", "cli/waits", "cli/store", "cli/test", "cli/commands", "cli",
}

---Only from this floor up may the name of a module be made of parts.
local COMPOSING = "bide"

local registry = dofile "lua/bide/text/registry.lua"

local height_of = {}
for height, floor in ipairs(floors) do height_of[floor] = height end

local of_c = {}
for name in ("core digest embedded secure sqlite transfer walls xml"):gmatch "%S+" do of_c["bide." .. name] = true end

---@class FloorModule
---@field file string
---@field noun string a public name, or a file or folder of a floor, with all that is in it
---@field requires { name: string, line: integer }[]
---@field floor string?

---@return string "bide.probe.http.rate" for lua/bide/probe/http/rate.lua
local function name_of(file)
  return (file:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

---Returns the floor of a module by its name, and its noun; nil for a file that is in no place.
local function place_of(name)
  if name == "bide" then return "bide", "bide" end
  local short = name:gsub("^bide%.", "")
  local row = registry.of_module(short)
  local room = row and row.floor or short:gsub("%.", "/")
  while room and not row and not height_of[room] do room = room:match "^(.*)/" end
  if room and room:find "/" then return room, (room:gsub("/", ".")) end
  local first, second = short:match "^([%w_]+)%.?([%w_]*)"
  if row then return room, ("%s.%s"):format(room, first) end
  return room ~= "bide" and room or nil, ("%s.%s"):format(first, second)
end

local function read(file)
  local floor, noun = place_of(name_of(file))
  local module, number = { file = file, floor = floor, noun = noun, requires = {} }, 0
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

local function check_place(module, find)
  if module.floor and height_of[module.floor] then return end
  find(module.file, 1, module.floor and ("its row of the registry names the floor %s, which does not exist"):format(module.floor)
    or "it is neither in the folder of a floor nor public: a public file has a row in lua/bide/text/registry.lua")
end

---Each row of the registry is a public file.
local function check_registry(modules, find)
  for _, name in ipairs(registry.names()) do
    if not modules[name] then find("lua/bide/text/registry.lua", 1, ("there is no public file of %s"):format(name)) end
  end
end

local function check_requires(modules, module, find)
  for _, required in ipairs(module.requires) do
    local other = modules[required.name]
    if not other and not of_c[required.name] then
      find(module.file, required.line, ("there is no module %s"):format(required.name))
    elseif other and height_of[other.floor] and height_of[module.floor] and height_of[other.floor] > height_of[module.floor] then
      find(module.file, required.line, ("%s, on the floor %s, may not require %s, on the floor %s above it: have it handed down")
        :format(name_of(module.file), module.floor, required.name, other.floor))
    end
  end
  if module.composes and (height_of[module.floor] or 0) < height_of[COMPOSING] then
    find(module.file, module.composes, "requires a module whose name is no literal: its floor cannot be checked")
  end
end

---People copy recipes: they require what scripts may.
local function check_recipes(modules, find)
  for file in io.popen("ls scripts/*.lua"):lines() do
    for _, required in ipairs(read(file).requires) do
      if required.name ~= "bide" and not (modules[required.name] and registry.of_module(required.name:sub(#"bide." + 1))) then
        find(file, required.line, ("a recipe requires public modules, found %s"):format(required.name))
      end
    end
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
      find(required.file or module.file, required.line, "a circle of requires: " .. circle)
    elseif other and other.floor == module.floor then
      check_circles(modules, required.name, path, find)
    end
  end
  path[#path], path[name], module.is_done = nil, nil, true
end

---Finds nouns that require each other in a circle: one of the requires belongs elsewhere.
local function check_nouns(modules, names, find)
  local nouns = {}
  for _, name in ipairs(names) do
    local module = modules[name]
    local noun = nouns[module.noun] or { floor = module.floor, requires = {} }
    nouns[module.noun] = noun
    for _, required in ipairs(module.requires) do
      local other = modules[required.name]
      if other and other.noun ~= module.noun then
        noun.requires[#noun.requires + 1] = { name = other.noun, file = module.file, line = required.line }
      end
    end
  end
  for _, name in ipairs(names) do check_circles(nouns, modules[name].noun, {}, find) end
end

---@param find fun(file: string, line: integer, text: string)
return function(find)
  local modules, names = {}, {}
  for file in io.popen("find lua/bide -name '*.lua' -not -path 'lua/bide/meta/*'"):lines() do
    local name = name_of(file)
    modules[name], names[#names + 1] = read(file), name
  end
  table.sort(names)
  check_registry(modules, find)
  check_recipes(modules, find)
  for _, name in ipairs(names) do
    check_place(modules[name], find)
    check_requires(modules, modules[name], find)
    check_circles(modules, name, {}, find)
  end
  check_nouns(modules, names, find)
end
