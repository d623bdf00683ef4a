---The versions of bide and of its libraries, a line each.

require "bide.core" -- what the transfer module is linked against

---@type string[]
return {
  "bide " .. require "bide.version",
  _VERSION, require("bide.transfer").version(), "libuv/" .. require("luv").version_string(),
  "SQLite/" .. require("bide.sqlite").version,
  "lua-cjson/" .. require("cjson")._VERSION, "argparse/" .. require("argparse").version,
}
