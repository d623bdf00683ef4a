---Files of a service that take seconds to make: the build keeps them, and gives copies to all specs after the first.
---
---    kept.copy("postgres 15.6", directory.path .. "/data", function() … end)

local uv = require "luv"
local process = require "spec.support.process"

local M = {}

local function run(command)
  local done = process.run(command, { tool = true, cwd = "/" })
  assert(done.code == 0 and done.signal == 0, done.stderr)
end

---Keeps a folder; of several that are kept at once the first one stays.
local function keep(path, kept)
  local copy = ("%s.%d"):format(kept, uv.os_getpid())
  run { "mkdir", "-p", (kept:match "^(.*)/") }
  run { "cp", "-a", path, copy }
  if not uv.fs_rename(copy, kept) then run { "rm", "-rf", copy } end
end

---Makes a folder, or copies one that was made.
---@param name string names all on which its contents depend
---@param path string
---@param make fun() makes it there
function M.copy(name, path, make)
  -- what one user has made no other may read
  local kept = ("%s/build/kept/%s-%d"):format(uv.cwd(), name:gsub("%W+", "-"), uv.getuid())
  if uv.fs_stat(kept) then
    run { "cp", "-a", kept, path }
  else
    make()
    keep(path, kept)
  end
end

return M
