---Uses programs in roots of their own, and prints a table of what worked. Standard input has a line for each: its name, its
---root, the user, and the words that call it there, with tabs between them.
---
---    lua5.4 spec/release/uses.lua <LIST

local build = "build"
package.path = "lua/?.lua;lua/?/init.lua;./?.lua;" .. package.path
package.cpath = build .. "/lib/?.so;" .. package.cpath

local Uses = require "spec.support.uses"
local uv = require "luv"

---Splits words at blanks; a backslash keeps one.
local function split(text)
  local words = {}
  for word in text:gsub("\\ ", "\0"):gmatch "%S+" do words[#words + 1] = (word:gsub("%z", " ")) end
  return words
end

local function row(cells)
  io.write("| ", table.concat(cells, " | "), " |\n")
  io.flush()
end

local uses, all_worked, mistakes = Uses.start(), true, {}
row { "artefact", table.unpack(Uses.names) }
local rule = { "---" }
for position = 1, #Uses.names do rule[position + 1] = "---" end
row(rule)
for line in io.lines() do
  local name, root, user, words = line:match "^(.-)\t(.-)\t(.-)\t(.*)$"
  local program = { folder = root .. "/uses", within = "/uses",
    words = table.move(split(words), 1, #split(words), 4, { "chroot", "--userspec=" .. user, root }) }
  assert(uv.fs_mkdir(program.folder, tonumber("755", 8)))
  local cells = { name }
  for _, use in ipairs(Uses.names) do
    local worked, why = uses:try(use, program)
    cells[#cells + 1] = worked and "yes" or worked == nil and "not tried" or "no"
    all_worked = all_worked and worked ~= false
    if not worked then mistakes[#mistakes + 1] = ("%s: %s: %s"):format(name, use, why) end
  end
  Uses.clear(program)
  uv.fs_rmdir(program.folder)
  row(cells)
end
uses:stop()
for _, mistake in ipairs(mistakes) do io.stderr:write(mistake, "\n") end
os.exit(all_worked)
