---The versions of bide and of its libraries, a line each: of what may change beside an installed bide. argparse is compiled
---into it, and takes longer to load than all that is bide's own here.

require "bide.core" -- what the transfer module is linked against

local M = {}

---Of what nearly every run loads: what `bide --version` says.
---@return string[]
function M.of_each_run()
  return {
    "bide " .. require "bide.version",
    _VERSION, require("bide.transfer").version(), "libuv/" .. require("luv").version_string(),
  }
end

---Of all, also of what is loaded by few runs alone.
---@return string[]
function M.of_all()
  local lines = M.of_each_run()
  table.insert(lines, "SQLite/" .. require("bide.sqlite").version)
  table.insert(lines, "lua-cjson/" .. require("cjson")._VERSION)
  return lines
end

return M
