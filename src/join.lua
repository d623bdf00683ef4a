---Joins compiled modules into one file, from which the program loads them: to open a file for each took a twentieth of a
---short wait. The file has an index, sorted by names, and behind it the modules one after another (src/modules_beside.c).
---
---    lua5.4 src/join.lua build/lua bide/init.lua bide/wait/run.lua … >build/lua/bide/modules

local COUNT <const>, ENTRY <const> = "I4", "c56 I4 I4" -- the name with NULs behind it, where the module begins, its length
local LONGEST_NAME <const> = 55

local folder, modules = arg[1], {}

for position = 2, #arg do
  local input <close> = assert(io.open(folder .. "/" .. arg[position], "rb"))
  local name = arg[position]:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
  assert(#name <= LONGEST_NAME, name .. ": the name is too long for the index")
  modules[#modules + 1] = { name = name, text = input:read "a" }
end
table.sort(modules, function(one, other) return one.name < other.name end)

local index, start = { COUNT:pack(#modules) }, COUNT:packsize() + #modules * ENTRY:packsize()
for _, module in ipairs(modules) do
  index[#index + 1] = ENTRY:pack(module.name, start, #module.text)
  start = start + #module.text
end

io.write(table.concat(index))
for _, module in ipairs(modules) do io.write(module.text) end
