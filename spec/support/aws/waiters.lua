---Runs the waiters of services against spec/support/aws/service.py, one wait for each acceptor, and prints a line of
---JSON for each: what was expected, and how the wait ended. For `bide exec`: URL SERVICE …

local bide = require "bide"
local http = require "bide.http"
local json = bide.json

local url = arg[1]

---@param waiter bide.Waiter
---@param service string
---@param name string of the waiter
---@param position integer of the acceptor, from 0
local function run(waiter, service, name, position)
  local case = http.post(url .. "/case", { json = { service = service, waiter = name, acceptor = position } }):json()
  local line = { service = service, waiter = name, acceptor = position, expected = case.state, none = case.none,
    is_sent_again = case.is_sent_again }
  if not case.none then
    local value, outcome = waiter:wait(case.input, { maxWait = 5, interval = 0.001 })
    outcome = outcome or value
    line.state, line.reason, line.attempts = outcome.state, outcome.reason, outcome.attempts
    line.text = tostring(outcome)
  end
  print(json.encode(line))
end

for position = 2, #arg do
  local service = arg[position]
  local recipe = assert(bide.load("aws:" .. service, { endpoint = url, region = "eu-west-1" }))
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    for at = 1, #waiter.acceptors - (waiter.added or 0) do run(waiter, service, name, at - 1) end
  end
end
