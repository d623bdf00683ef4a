---Makes the pages of docs/api from the annotations of bide's public modules: one for each, and one for the types that they
---share. `make pages` writes them; a spec compares them.

local annotations = require "spec.api.annotations"
local option = require "bide.text.option"
local registry = require "bide.text.registry"

local M = {}

local HEAD = "<!-- Made by `make pages` from %s. -->\n\n# `%s`\n"

---@return string
local function path_of(module)
  local path = "lua/" .. module:gsub("%.", "/")
  local file = io.open(path .. ".lua")
  if file then file:close() end
  return path .. (file and ".lua" or "/init.lua")
end

---What scripts use of objects that have more members.
local used = {
  ["bide.Waiter"] = "name operation documentation deprecated opposite tags inputs prepare wait outcome_names",
  ["bide.Recipe"] = "file names waiters find",
  ["bide.PreparedWait"] = "waiter step",
  ["bide.ScriptTask"] = "name join cancel",
  ["bide.peer.Dialogue"] = "send ask read read_line read_until peer channel_binding",
  ["bide.AcceptorStructure"] = "state matcher message name",
  ["bide.MatcherStructure"] = "output inputOutput expect success errorType status lua",
  ["bide.FleetResult"] = "state needed count succeeded failed cancelled message interrupted first_failed outcomes",
  ["bide.LoadOptions"] = "with endpoint bearer basic api_key region profile no_sign_request fips dual_stack",
  ["bide.Model"] = "ids operation_ids service_ids shape type_of operation waitable_ids",
  ["bide.ModelShape"] = "id type traits members",
  ["bide.ModelOperation"] = "id type traits members name input output errors protocol request answer",
}

---Classes that have a name in the annotations, and are no concern of scripts.
local internal = { "bide.SecretMask", "bide.Vocabulary", "bide.Conditions", "bide.With" }

---Reports whether scripts use a member of a class.
local function is_used(class, member)
  local words = used[class.name]
  return not words or (" " .. words .. " "):find(" " .. member .. " ", 1, true) ~= nil
end

-- ---- what there is ----------------------------------------------------------------------------

---@class spec.api.Place where a class is explained
---@field class spec.api.Class
---@field page string

---Returns the page of a class: that of its module if it is public, or of the module that its name begins with, or the one
---of shared types.
local function page_of_class(name, page)
  while not page do
    name = name:match "^(.*)%."
    if not name or name == "bide" then return "types" end
    page = registry.of_module((name:gsub("^bide%.", ""))) and name
  end
  return page
end

---Reads all files, and finds the page of each class.
---@return table<string, spec.api.File> by their names
---@return table<string, spec.api.Place> by the names of classes
local function read_all()
  local files, places, page_of = {}, {}, { ["lua/bide/init.lua"] = "bide" }
  for _, module in ipairs(registry.names()) do page_of[path_of(module)] = module end
  for name in io.popen "find lua/bide -name '*.lua' | sort":lines() do
    local file = annotations.read(name)
    files[name] = file
    for _, class in ipairs(file.classes) do
      local page = page_of_class(class.name, page_of[name])
      if class.name ~= "bide" then places[class.name] = { class = class, page = page } end
    end
    for _, one in ipairs(file.functions) do
      for _, class in ipairs(file.classes) do
        local is_of_module = page_of[name] and one.owner == file.returned
        if one.owner == class.variable and not is_of_module then table.insert(class.methods, one) end
      end
    end
  end
  for _, name in ipairs(internal) do places[name] = nil end
  return files, places
end

---Returns the classes of a page, sorted by their names.
---@return spec.api.Class[]
local function classes_of(places, page)
  local classes = {}
  for _, place in pairs(places) do
    if place.page == page then classes[#classes + 1] = place.class end
  end
  table.sort(classes, function(one, other) return one.name < other.name end)
  return classes
end

-- ---- Markdown ---------------------------------------------------------------------------------

local function anchor_of(name)
  return (name:lower():gsub("[^%w%-_ ]", ""))
end

---@class spec.api.Writer
---@field page string
---@field places table<string, spec.api.Place>
---@field named table<string, boolean> the classes that were named, on any page
---@field lines string[]
local Writer = {}
Writer.__index = Writer

function Writer:add(...)
  for _, line in ipairs { ... } do self.lines[#self.lines + 1] = line end
end

---Remembers the classes that a text names.
---@return string? only the one class, if it names no other
function Writer:name_classes(text)
  local first, is_only = nil, true
  for name in text:gmatch "bide[%w%._]*" do
    name = name:gsub("%.$", "")
    if self.places[name] then
      self.named[name] = true
      is_only, first = is_only and (first or name) == name, first or name
    end
  end
  return is_only and first or nil
end

---Returns a type as code, with a link to the class that it names, as in `fun(dialogue: bide.peer.Dialogue): any`.
function Writer:type(text)
  local name = self:name_classes(text)
  local place = name and self.places[name]
  if not place then return ("`%s`"):format(text) end
  local page = place.page == self.page and "" or place.page:gsub("^bide%.", "") .. ".md"
  return ("[`%s`](%s#%s)"):format(text, page, anchor_of(name))
end

---@param one spec.api.Typed
function Writer:typed(one)
  local name = one.name and ("`%s%s` "):format(one.name, one.is_optional and "?" or "") or ""
  return (name .. self:type(one.type) .. (one.text ~= "" and ": " .. one.text or "")):gsub("%s+$", "")
end

---@param name string
---@param one spec.api.Function
function Writer:add_function(level, name, one)
  local arguments = one.arguments:gsub("^%(_, ", "(") -- the module itself, which is called
  for _, param in ipairs(one.params) do
    if param.is_optional then arguments = arguments:gsub("%f[%w_]" .. param.name .. "%f[^%w_]", "%0?") end
  end
  self:add("", ("%s `%s%s`"):format(level, name, arguments))
  if one.text ~= "" then self:add("", one.text) end
  if #one.params + #one.returns > 0 then self:add "" end
  for _, param in ipairs(one.params) do self:add("- " .. self:typed(param)) end
  for _, result in ipairs(one.returns) do
    local word, text = result.text:match "^([%w_.]+)%s*(.*)$"
    self:add("- returns " .. self:typed { name = word, type = result.type, text = text or result.text })
  end
end

---Returns the members of a class that scripts use. If it says which, those of the classes that it has all of are among them.
---@param class spec.api.Class
---@return table[]
function Writer:fields_of(class)
  local fields, one = {}, class
  repeat
    for _, field in ipairs(one.fields) do
      if is_used(class, field.name) then fields[#fields + 1] = field end
    end
    local place = used[class.name] and one.parents and self.places[one.parents]
    one = place and place.class
  until not one
  return fields
end

---@param class spec.api.Class
function Writer:add_class(class)
  self:add("", ("### `%s`"):format(class.name))
  if class.text ~= "" then self:add("", class.text) end
  if class.alias then
    local words = class.words ~= "" and ": " .. class.words or ""
    self:add("", ("It is %s%s."):format(self:type(class.alias), words))
  end
  if class.parents and self.places[class.parents] and not used[class.name] then
    self:add("", ("It has all of %s."):format(self:type(class.parents)))
  end
  local fields = self:fields_of(class)
  if #fields > 0 then
    self:add("", "| member | type | |", "|---|---|---|")
    for _, field in ipairs(fields) do
      local name = field.name .. (field.is_optional and "?" or "")
      self:name_classes(field.text)
      self:add(("| `%s` | %s | %s |"):format(name, (self:type(field.type):gsub("|", "\\|")), (field.text:gsub("|", "\\|"))))
    end
  end
  for _, method in ipairs(class.methods) do
    local is_inner = method.name:find "^__" or method.separator == "." and method.name == "new"
    if is_used(class, method.name) and not is_inner then
      self:add_function("####", class.name:match("[^.]*$"):lower() .. method.separator .. method.name, method)
    end
  end
end

-- ---- the pages --------------------------------------------------------------------------------

---@return spec.api.Writer
local function new_writer(page, places, named)
  return setmetatable({ page = page, places = places, named = named, lines = {} }, Writer)
end

---Adds the classes of a page that were named, and those that they name.
local function add_classes(writer, classes)
  local done, has_heading
  done = {}
  repeat
    local found = false
    for _, class in ipairs(classes) do
      if writer.named[class.name] and not done[class.name] then
        if not has_heading then writer:add("", "## Types") end
        has_heading, done[class.name], found = true, true, true
        writer:add_class(class)
      end
    end
  until not found
end

---Returns the line about the sandbox, and the name in `bide`.
local function note_of(name)
  local row = registry.functions[name] or registry.modules[name]
  local use = row.refused and ("Sandboxed scripts cannot use it: %s."):format(row.refused) or "Sandboxed scripts may use it."
  if registry.functions[name] then return ("It is `bide.%s`, too. %s"):format(name, use) end
  return use
end

---@param file spec.api.File
local function write_module(module, file, places, named)
  local name, writer = module:gsub("^bide%.", ""), new_writer(module, places, named)
  writer:add(file.text, "", note_of(name))
  local last = name:match "[^.]*$"
  for _, one in ipairs(file.functions) do
    local is_module = one.owner == "return" or one.owner == "local" and one.name == file.called
    if is_module then writer:add_function("##", last, one) end
    if one.owner == file.returned then writer:add_function("##", last .. "." .. one.name, one) end
  end
  for _, class in ipairs(file.classes) do -- its function in `bide`, and the class of the module itself
    local is_own = class.name == "bide" or class.name == module
    for _, field in ipairs(is_own and class.fields or {}) do writer:type(field.type) end
  end
  add_classes(writer, classes_of(places, module))
  return HEAD:format(path_of(module), module) .. "\n" .. table.concat(writer.lines, "\n") .. "\n"
end

---The functions of `bide` that have another name where they are defined.
local others = {
  matcher = { "bide.recipe.waiter.custom", "register" }, token = { "bide.probe.asking.operation", "new_token" },
}

---Returns the annotated function of `bide` that another module has.
local function function_of(files, name)
  local place = others[name] or { registry.functions[name].module, name }
  for _, one in ipairs(files[path_of(place[1])].functions) do
    if one.name == place[2] and one.owner ~= "local" then return one end
  end
end

---@return string
local function write_bide(files, places, named)
  local file, writer, found = files["lua/bide/init.lua"], new_writer("bide", places, named), {}
  writer:add(file.text, "")
  for _, one in ipairs(file.functions) do
    if one.owner == "bide" then found[one.name] = one end
  end
  for name in pairs(others) do found[name] = function_of(files, name) end
  local own = {}
  for name, row in pairs(registry.functions) do
    if row.module then found[name] = function_of(files, name) else own[#own + 1] = name end
  end
  table.sort(own)
  for position, name in ipairs(own) do own[position] = ("[`%s`](%s.md)"):format(name, name) end
  writer:add("It also has `VERSION`, `null` (of JSON), `json` and `jmespath`, and the functions that are modules by themselves:",
    table.concat(own, ", ") .. ".")
  for _, name in ipairs(option.sorted_names(found)) do writer:add_function("##", "bide." .. name, found[name]) end
  for _, name in ipairs { "bide.core.json", "bide.jmespath" } do writer:type(name) end
  add_classes(writer, classes_of(places, "bide"))
  return HEAD:format("lua/bide/init.lua", "bide") .. "\n" .. table.concat(writer.lines, "\n") .. "\n"
end

---@return string
local function write_types(places, named)
  local writer = new_writer("types", places, named)
  add_classes(writer, classes_of(places, "types"))
  return "<!-- Made by `make pages` from lua/bide. -->\n\n# The types that modules share\n"
    .. table.concat(writer.lines, "\n") .. "\n"
end

local function first_sentence(text)
  local line = text:gsub("\n\n.*", ""):gsub("\n", " ")
  return line:match "^(.-)%.%s" or line:match "^(.-)[%.:]?$"
end

---@return table<string, string> pages by their names
local function write_all(files, places, named)
  local pages = {}
  local index = { "<!-- Made by `make pages` from lua/bide. -->\n\n# The modules for scripts\n",
    "The modules that scripts may `require`, from the annotations of their functions. [Types](types.md) has the types that",
    "several of them share.\n", "| module | |", "|---|---|" }
  pages["bide.md"] = write_bide(files, places, named)
  index[#index + 1] = ("| [`bide`](bide.md) | %s |"):format(first_sentence(files["lua/bide/init.lua"].text))
  local modules = registry.names()
  table.sort(modules)
  for _, module in ipairs(modules) do
    local name, file = module:gsub("^bide%.", ""), files[path_of(module)]
    if file.text ~= "" then -- the version is a text, and has no page
      pages[name .. ".md"] = write_module(module, file, places, named)
      index[#index + 1] = ("| [`%s`](%s.md) | %s |"):format(module, name, first_sentence(file.text))
    end
  end
  pages["types.md"] = write_types(places, named)
  pages["README.md"] = table.concat(index, "\n") .. "\n"
  return pages
end

---Returns the pages by their names. A page has the types that are named, on pages after it, too.
---@return table<string, string>
function M.all()
  local files, places = read_all()
  local named, pages, count = {}
  repeat
    count = #option.sorted_names(named)
    pages = write_all(files, places, named)
  until #option.sorted_names(named) == count
  return pages
end

---Prints which pages of a folder differ from what `make pages` would write, and ends the process with 1 if there is one.
---@param folder string
function M.check(folder)
  local stale = {}
  local pages = M.all()
  for name in io.popen("ls " .. folder):lines() do stale[name] = not pages[name] or nil end
  for name, text in pairs(pages) do
    local file <close> = io.open(folder .. "/" .. name)
    if not file or file:read "a" ~= text then stale[name] = true end
  end
  for _, name in ipairs(option.sorted_names(stale)) do print(("%s/%s: out of date: run make pages"):format(folder, name)) end
  if next(stale) then os.exit(1) end
end

---Writes the pages into a folder.
---@param folder string
function M.write(folder)
  for name, text in pairs(M.all()) do
    local file <close> = assert(io.open(folder .. "/" .. name, "w"))
    file:write(text)
  end
end

return M
