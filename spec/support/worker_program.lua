---Runs a worker of a store in a file in a program of its own, for specs in which its loop might never turn again.
---
---    local done = worker_program.run [[ core.task.start(function() worker:run() … end, function() end) ]]

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

local M = {}

local before = [[
require "bide"
local core = require "bide.core"
local await = require "bide.task.await"
local stores = require "bide.record.store.open"
local workers = require "bide.record.worker"
local loop = core.loop
local store = assert(stores.open(arg[1]))
local worker = workers.new(store, { name = "w", queues = { { name = "default", weight = 1 } }, jobs = 4, version = "0",
  kind = "trusted", read = function() end })
]]

local after = "\nwhile loop.turn() do end\n"

---Runs the program to its end, for 20 s at most.
---@param body string Lua that knows `worker`, `store`, `core`, `loop` and `await`; it ends the process
---@return spec.Process
function M.run(body)
  local directory = Directory.make()
  local done = process.run({ process.lua, directory:write("worker.lua", before .. body .. after), directory.path .. "/waits.db" },
    { env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }, longest = 20 })
  directory:remove()
  return done
end

return M
