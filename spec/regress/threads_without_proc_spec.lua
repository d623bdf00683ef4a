---The walls of the sandbox hold for one thread. Where /proc could not be read, they were raised although there were others,
---which went on outside of them.

local process = require "spec.support.process"
local uv = require "luv"

local script = [[
  local uv = require "luv"
  local walls = require "bide.walls"
  if arg[1] == "threads" then
    uv.new_work(function() end, function() end):queue()
    uv.run()
  end
  print(pcall(walls.raise, { "/" }, 0))]]

describe("walls without /proc", function()
  local function raise(...)
    local root = uv.cwd()
    local line = 'mount -t tmpfs none /proc || exit 99; exec lua5.4 - "$@"'
    local done = process.run({ "unshare", "-m", "sh", "-c", line, "sh", ... }, {
      stdin = script, env = { LUA_CPATH = package.cpath:gsub("^%./", root .. "/"):gsub(";%./", ";" .. root .. "/") } })
    local is_here = done.code ~= 99 and not done.stderr:find("unshare: ", 1, true)
    return is_here and done
  end

  it("are raised around one thread, and not beside others", function()
    if process.is_sanitized then return pending "a sanitizer reads /proc as it begins" end
    if process.is_static then return pending(process.NO_PRELOAD) end
    local alone = raise()
    if not alone then return pending "a namespace of mounts cannot be made here" end
    assert.matches("^true\ttable: ", alone.stdout, 1, false)
    local done = raise "threads"
    assert.matches("^false\t.*the walls of the sandbox cannot be raised: the process has threads already", done.stdout)
  end)
end)
