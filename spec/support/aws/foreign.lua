---Asks each waiter of AWS once, of a server that is not AWS, and prints the names of those that succeed, with their
---sentences. For `bide exec`: URL.

local bide = require "bide"

local url = arg[1]

---A value for each type of a declared input; the texts are long enough for the shortest that a model takes.
local LONG = ("a"):rep(80)
local values = { string = LONG, integer = 1, number = 1, boolean = true, list = { LONG }, object = { imageTag = "latest" } }

---@param waiter bide.Waiter
local function input_of(waiter)
  local input = {}
  for name, member in pairs(waiter.inputs or {}) do
    if member.required then input[name] = values[member.type] end
  end
  return input
end

local services, seen = {}, {}
for line in io.popen("ls scripts/aws/*.json"):lines() do
  local name = line:match "([%w-]+)%.json$"
  if name ~= "index" and name ~= "partitions" and name ~= "smithy" then services[#services + 1] = name end
end

local count = 0

---Asks one waiter.
local function ask(service, waiter)
  local ok, value, failed = pcall(waiter.wait, waiter, input_of(waiter), { maxWait = 5, maxAttempts = 1 })
  if ok then count = count + 1 end
  if not (ok and failed) then seen[#seen + 1] = ("%s %s: %s"):format(service, waiter.name, tostring(value)) end
end

local tasks = {}
for _, service in ipairs(services) do
  local recipe = assert(bide.load("aws:" .. service, { endpoint = url, region = "eu-west-1" }))
  for _, name in ipairs(recipe.names) do tasks[#tasks + 1] = bide.spawn(ask, service, recipe.waiters[name]) end
end
for _, task in ipairs(tasks) do task:join() end
table.sort(seen)
for _, line in ipairs(seen) do print(line) end
print(count)
