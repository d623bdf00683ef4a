---What can be told of the border between C and Lua from the text of a file of src/host: that what Lua calls
---checks its userdata, and that what calls itself has a depth, and room on the stack of Lua.

---@class lint.Function
---@field name string
---@field line integer where it begins
---@field text string
---@field comment string the line above it

---The functions of a file: each begins with a line that is not indented and ends with a "}" alone.
---@return lint.Function[]
local function functions_of(lines)
  local functions, head = {}, nil
  for number, line in ipairs(lines) do
    if line:find "^[%a].*%(" and not line:find ";$" then
      head = { name = line:match "([%w_]+)%(", line = number, lines = {}, comment = lines[number - 1] or "" }
    end
    if head then head.lines[#head.lines + 1] = line end
    if line == "}" and head then
      head.text = table.concat(head.lines, "\n")
      functions[#functions + 1], head = head, nil
    end
  end
  return functions
end

---Names of functions that Lua calls with what a script gives: those of a luaL_Reg, and metamethods.
local function called_by_lua(text)
  local names = {}
  for name in text:gmatch '{"[%w_]+",%s*([%w_]+)}' do names[name] = true end
  for name in text:gmatch 'lua_pushcc?%w-%(L, ([%w_]+)[^\n]*\n%s*lua_setfield%(L, %-2, "__' do names[name] = true end
  return names
end

local function check_arguments(functions, text, find)
  local called = called_by_lua(text)
  for _, f in ipairs(functions) do
    if called[f.name] and f.text:find "lua_touserdata%(L, %d" then
      find(f.line, f.name .. " takes a userdata of Lua that it does not check")
    end
  end
end

local function calls_of(f, known)
  local calls = {}
  for before, name in f.text:gsub("^[^{]*{", "", 1):gmatch "([^%w_])([%w_]+)%(" do
    if before ~= ">" and before ~= "." then calls[name] = known[name] end
  end
  return calls
end

---Whether a function comes back to itself; `seen` gets those on the way.
local function returns_to(start, f, known, seen)
  for _, callee in pairs(calls_of(f, known)) do
    if callee == start then return true end
    if not seen[callee] then
      seen[callee] = true
      if returns_to(start, callee, known, seen) then return true end
    end
  end
  return false
end

---What is on a circle with a function, itself included.
local function circle_of(f, functions, known)
  local circle = {}
  for _, other in ipairs(functions) do
    local is_on_it = other == f or (returns_to(other, f, known, {}) and returns_to(f, other, known, {}))
    if is_on_it then circle[#circle + 1] = other.comment .. "\n" .. other.text end
  end
  return table.concat(circle, "\n")
end

local function check_recursion(functions, find)
  local known = {}
  for _, f in ipairs(functions) do known[f.name] = f end
  for _, f in ipairs(functions) do
    if returns_to(f, f, known, {}) then
      local circle = circle_of(f, functions, known)
      if not circle:lower():find "depth" then find(f.line, f.name .. " calls itself without a depth") end
      if circle:find "lua_push" and not circle:find "_checkstack%(" then
        find(f.line, f.name .. " calls itself and pushes without lua_checkstack")
      end
    end
  end
end

---What runs out of memory says so in one way, or it passes for a script's mistake.
local function check_memory(lines, find)
  for number, line in ipairs(lines) do
    if line:find "luaL_error%(.*memory" then find(number, "lack of memory is raised by bide_failure_no_memory") end
  end
end

---A userdata is known by the address of its class, but for those of Lua's own library.
local function check_classes(lines, find)
  for number, line in ipairs(lines) do
    if line:find "luaL_%w*udata%(" and not line:find "LUA_FILEHANDLE" or line:find "luaL_newmetatable%(" then
      find(number, "a userdata is known by the address of its class (host/class.h)")
    end
  end
end

---@param file string
---@param find fun(line: integer, text: string)
return function(file, find)
  local lines = {}
  for line in io.lines(file) do lines[#lines + 1] = line end
  local functions = functions_of(lines)
  check_arguments(functions, table.concat(lines, "\n"), find)
  check_recursion(functions, find)
  check_memory(lines, find)
  check_classes(lines, find)
end
