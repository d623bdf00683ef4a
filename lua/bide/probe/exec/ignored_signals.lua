---Keeps signals ignored that were ignored when bide started, as by nohup. A child of libuv begins with none ignored,
---whatever this process ignores; so a shell ignores them again.

local core = require "bide.core"
local uv = require "luv"

local M = {}

---Returns the words that start a program with the same signals ignored.
---@param words string[]
---@return string[]
function M.keep(words)
  local ignored = {}
  for _, number in ipairs { uv.constants.SIGHUP, uv.constants.SIGINT, uv.constants.SIGQUIT, uv.constants.SIGTERM } do
    if core.process.ignores(number) then table.insert(ignored, number) end
  end
  if #ignored == 0 then return words end
  local line = ("trap '' %s; exec \"$@\""):format(table.concat(ignored, " "))
  return table.move(words, 1, #words, 5, { "/bin/sh", "-c", line, "bide" })
end

return M
