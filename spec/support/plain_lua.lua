---Runs a script in plain lua5.4, with the modules under test:
---
---    local done = plain_lua 'print(require("bide").VERSION)'

local process = require "spec.support.process"
local uv = require "luv"

---@param text string the script
---@param ... string its arguments
---@return spec.Process done
return function(text, ...)
  local root = uv.cwd()
  local modules = package.cpath:gsub("^%./", root .. "/"):gsub(";%./", ";" .. root .. "/")
  return process.run({ "lua5.4", "-", ... }, {
    stdin = text,
    env = { LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root), LUA_CPATH = modules },
  })
end
