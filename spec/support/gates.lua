---Every waiter of `bide list`, pointed at a server that is not its service: what a gate is asked that has to stay closed.
---
---    for _, gate in ipairs(gates.all()) do print(gate.name, gates.input_of(gate, "127.0.0.1:8080", "/tmp/x.sock")) end
---
---A new recipe is here by itself: its inputs are filled in with the examples that it declares, and an example that is an
---address gets that of the server. A recipe that has no such input needs a row in `places`, or one in `local_ones`.

local json = require("bide.core").json
local process = require "spec.support.process"

local M = {}

---A waiter of a bundled recipe.
---@class spec.Gate
---@field name string "tcp PortOpen"
---@field recipe string
---@field waiter string
---@field inputs table<string, table> as `bide list --output json` prints them

---Recipes that ask this machine alone. There is no server to put in their place.
M.local_ones = {
  command = "a program of this machine", connections = "connections of this machine",
  file = "files of this machine", process = "processes of this machine",
  systemd = "systemctl of this machine",
}

---Where a recipe that declares no example of an address looks for its service.
---@type table<string, fun(address: string, socket: string): table<string, any>>
local places = {
  compose = function(_, socket) return { socket = socket } end,
  dns = function(address) return { server = address:match "^[^:]+", port = tonumber(address:match "%d+$") } end,
  docker = function(_, socket) return { socket = socket } end,
  git_ref = function(address) return { repository = "http://" .. address .. "/app.git", ref = "refs/heads/main" } end,
  kubernetes = function(address) return { server = "http://" .. address, resource = "deployment/web" } end,
  kubernetes_job = function(address) return { server = "http://" .. address } end,
  kubernetes_rollout = function(address) return { server = "http://" .. address } end,
  unix = function(_, socket) return { path = socket } end,
}

---The inputs that are addresses, by the names that recipes have for them.
local address_names = { url = true, host = true, sentinels = true }

---Puts an address in the place of that of an example: "amqp://app@bus/shop" becomes "amqp://app@127.0.0.1:5000/shop".
local function with_address(example, address)
  local scheme, rest = example:match "^(%w+://)(.*)$"
  scheme, rest = scheme or "", rest or example
  local user, after = rest:match "^([^@/]*@)(.*)$"
  return scheme .. (user or "") .. address .. ((after or rest):match "/.*$" or "")
end

---Inputs of which a waiter needs one, though none is required by itself.
---@type table<string, string[]>
local needed = { ["docker LineFound"] = { "matches" }, ["compose LineFound"] = { "matches" } }

---Fills in what an operation requires, and what it takes by position in place of it.
local function examples_of(gate, address)
  local input = {}
  for name, member in pairs(gate.inputs) do
    if address_names[name] and type(member.example) == "string" then
      input[name] = with_address(member.example, address)
    elseif member.required then
      input[name] = member.example or "web"
    end
  end
  for _, name in ipairs(needed[gate.name] or {}) do input[name] = assert(gate.inputs[name].example) end
  return input
end

---Returns the input of a gate, for a server at an address and on a unix socket; nil if it asks this machine alone.
---@param gate spec.Gate
---@param address string HOST:PORT
---@param socket string a path
---@return table?
function M.input_of(gate, address, socket)
  if M.local_ones[gate.recipe] then return nil end
  local input, place = examples_of(gate, address), places[gate.recipe]
  local is_placed = place ~= nil
  for name, value in pairs(place and place(address, socket) or {}) do input[name] = value end
  for name in pairs(address_names) do is_placed = is_placed or input[name] ~= nil end
  assert(is_placed, gate.name .. ": spec/support/gates.lua does not know how to point it at a server")
  return input
end

---@return spec.Gate[] gates in the order of their names
function M.all()
  local done = process.run { process.bide, "list", "--output", "json" }
  assert(done.code == 0, done.stderr)
  local list = {}
  for _, recipe in ipairs(json.decode(done.stdout)) do
    for _, waiter in ipairs(recipe.waiters) do
      local name = waiter.name or waiter.waiter
      list[#list + 1] = { name = recipe.recipe .. " " .. name, recipe = recipe.recipe, waiter = name, inputs = waiter.inputs }
    end
  end
  return list
end

return M
