---Writes the C file with the files of the static program, as src/modules.h declares them.
---
---    lua src/release/embed.lua FOLDER=NAME… >embedded.c
---
---Each file below FOLDER is there as NAME/its path; FOLDER may be a single file. The compiler is run in this folder.

---@return string[] paths relative to the folder; "" for a file
local function files_of(folder)
  local list = {}
  local find <close> = assert(io.popen(("find -L '%s' -type f -printf '%%P\\n' | LC_ALL=C sort"):format(folder)))
  for path in find:lines() do list[#list + 1] = path end
  assert(#list > 0, folder .. ": no file is there")
  return list
end

local files, names = {}, {}
for _, word in ipairs(arg) do
  local folder, name = word:match "^(.-)=(.*)$"
  for _, path in ipairs(files_of(folder)) do
    local whole = path == "" and name or name .. "/" .. path
    assert(not files[whole], whole .. " comes from two folders")
    files[whole], names[#names + 1] = path == "" and folder or folder .. "/" .. path, whole
  end
end
table.sort(names)

print '#include "modules.h"\n'
for position, name in ipairs(names) do
  print(('static const unsigned char file_%d[] = {\n#embed "%s" suffix(,)\n0};'):format(position, files[name]))
end
print "\nconst BideEmbedded bide_embedded[] = {"
for position, name in ipairs(names) do
  print(('  {"%s", file_%d, sizeof file_%d - 1},'):format(name, position, position))
end
print "};\nconst size_t bide_embedded_count = sizeof bide_embedded / sizeof *bide_embedded;"
