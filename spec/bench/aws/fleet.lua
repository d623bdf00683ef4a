---A thousand waits that sleep after their first answer: prints the bytes of Lua's that each of them takes.
---
---    bide exec spec/bench/aws/fleet.lua RECIPE [ENDPOINT]

local bide = require "bide"

local WAITS <const> = 1000

local function bytes()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count" * 1024
end

local waiter = assert(bide.load(arg[1], { endpoint = arg[2] })).InstanceRunning
local limits = { maxWait = 600, minDelay = 300, maxDelay = 300 }
waiter:prepare({ InstanceIds = { "i-0" } }, limits) -- connects
local prepared, before = {}, bytes()
for number = 1, WAITS do prepared[number] = waiter:prepare({ InstanceIds = { ("i-%017x"):format(number) } }, limits) end
local running = bide.spawn(bide.all, prepared)
bide.sleep(5)
print((bytes() - before) // WAITS | 0)
running:cancel()
