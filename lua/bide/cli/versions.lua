---The versions of bide and of its libraries, a line each: of what may change beside an installed bide. argparse is compiled
---into it, and takes longer to load than all that is bide's own here.

require "bide.core" -- what the transfer module is linked against

---@type string[]
return {
  "bide " .. require "bide.version",
  _VERSION, require("bide.transfer").version(), "libuv/" .. require("luv").version_string(),
  "SQLite/" .. require("bide.sqlite").version,
  "lua-cjson/" .. require("cjson")._VERSION,
}
