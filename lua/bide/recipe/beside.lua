---A script finds its own modules beside itself: the folder of a file that was
---loaded stands behind everything else that require looks at.

---@param file string
return function(file)
  local folder = file:match("^(.*)/[^/]*$") or "."
  local patterns = (";%s/?.lua;%s/?/init.lua"):format(folder, folder)
  if not (package.path .. ";"):find(patterns .. ";", 1, true) then package.path = package.path .. patterns end
end
