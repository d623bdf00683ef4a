---No waiter of any bundled recipe succeeds because of an answer that its service did not give: another program's page, an
---empty body, JSON of another kind, a proxy that is dead, a server that says nothing. The yeses that remain are listed,
---each with its reason. `bide list` says which waiters there are, so a new recipe is asked the same by itself.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local gates = require "spec.support.gates"
local json = require("bide.core").json
local port = require "spec.support.port"
local process = require "spec.support.process"

local html = { ["Content-Type"] = "text/html" }
local typed = { ["Content-Type"] = "application/json" }

---@class spec.ForeignState
---@field name string
---@field answer? table for spec.support.server; without it there is no server
---@field raw? fun(peer: spec.Peer) in place of an answer
---@field proxy? boolean whether the environment names a proxy that is dead

---@type spec.ForeignState[]
local states = {}

local function page(status)
  states[#states + 1] = { name = "a page with " .. status,
    answer = { status = status, headers = html, body = "<html><body>It works!</body></html>" } }
end

local function body_of_json(status, body)
  states[#states + 1] = { name = ("%d with %s"):format(status, body == "" and "an empty body" or body),
    answer = { status = status, headers = body ~= "" and typed or nil, body = body } }
end

for _, status in ipairs { 200, 400, 401, 403, 404, 500, 502, 503, 504 } do page(status) end
for _, status in ipairs { 200, 204, 400, 404, 503 } do body_of_json(status, "") end
for _, body in ipairs { '{"status":"ok"}', "{}", "[]", "null", "0", '"ok"', '{"items":[]}', '{"kind":"List","items":[]}' } do
  body_of_json(200, body)
end
for _, body in ipairs { "{}", '{"message":"not found"}', '{"code":"NotFound"}', '{"error":"NotFound","reason":"NotFound"}',
  '{"code":"ConnectionRefused"}', '{"code":"ResourceNotFoundException"}' } do
  body_of_json(404, body)
end
body_of_json(500, '{"code":"ConnectionRefused"}')
body_of_json(400, '{"error":{"code":"ServiceUnavailable"}}')
for _, state in ipairs {
  { name = "a redirect to a page of login", answer = { status = 302, headers = { Location = "/login" } },
    login = { status = 200, headers = html, body = "<html>Sign in</html>" } },
  { name = "a server that closes at once", raw = function(peer) peer:finish() end },
  { name = "a server that resets", raw = function(peer) peer[peer.server.path and "finish" or "reset"](peer) end },
  { name = "a server that says nothing", raw = function() end },
  { name = "a server that speaks another protocol", raw = function(peer) peer:write("+OK hello\r\n") end },
  { name = "a closed port" },
  { name = "a proxy that is dead", proxy = true, answer = { status = 200, headers = html, body = "<html>It works!</html>" } },
} do
  states[#states + 1] = state
end

---What a waiter may take for its success, since nothing else was asked, with the reason. A pattern of the state's name.
local excused = {
  ["tcp PortOpen"] = { { ".", "whatever accepts a connection is an open port" } },
  ["tcp PortClosed"] = { { "^a closed port$", "every address refuses the connection" } },
  ["unix SocketOpen"] = { { ".", "whatever accepts a connection is an open socket" } },
  ["unix SocketClosed"] = { { "^a closed port$", "there is no such socket" } },
  ["http ServiceHealthy"] = { { "200", "a status of 200 is what was asked for" }, { "204", "so is 204" } },
  ["http ServiceDown"] = { { "^a closed port$", "every address refuses the connection" } },
}

local function excuse(gate, state)
  for _, row in ipairs(excused[gate.name] or {}) do
    if state.name:find(row[1]) then return row[2] end
  end
end

local directory = Directory.make()
local all = gates.all()

local function start(state, options)
  if state.raw then
    options.raw, options.connected = function() end, state.raw
  end
  return Server.start(function(request) return request.path == "/login" and state.login or state.answer end, options)
end

---Starts a state's server, for TCP and on a unix socket, if it has one.
---@return string address
---@return string socket
---@return spec.Server[] servers
local function serve(state, position)
  local socket = ("%s/%d.sock"):format(directory.path, position)
  if not state.answer and not state.raw then return "127.0.0.1:" .. port.free(), socket, {} end
  local tcp, unix = start(state, {}), start(state, { unix_socket = socket })
  return "127.0.0.1:" .. tcp.port, socket, { tcp, unix }
end

---Asks every gate, in each of some states, all beside each other.
---@param some spec.ForeignState[]
---@param env table<string, string>
---@return table<string, { gate: spec.Gate, outcome: table }[]> asked by the state's name
local function ask(some, env)
  local lines, asked, servers = {}, {}, {}
  for position, state in ipairs(some) do
    local address, socket, own = serve(state, position)
    table.move(own, 1, #own, #servers + 1, servers)
    for _, gate in ipairs(all) do
      local input = gates.input_of(gate, address, socket)
      if input then
        asked[#asked + 1] = { gate = gate, state = state }
        if gate.inputs.timeout then input.timeout = 2 end
        lines[#lines + 1] = json.encode { recipe = gate.recipe, waiter = gate.waiter, input = input, maxAttempts = 2,
          minDelay = 0.01, maxDelay = 0.02 }
      end
    end
  end
  directory:write("waits.jsonl", table.concat(lines, "\n"))
  env.KUBECONFIG = "/nonexistent"
  local done = process.run({ process.bide, "run", "--each", directory.path .. "/waits.jsonl", "--max-wait", "40s",
    "--output", "json", "--quiet" }, { env = env })
  for _, server in ipairs(servers) do server:close() end
  local fleet = json.decode(done.stdout)
  assert(fleet and fleet.outcomes, done.stdout .. done.stderr)
  local by_state = {}
  for position, outcome in ipairs(fleet.outcomes) do
    local one = asked[position]
    by_state[one.state.name] = by_state[one.state.name] or {}
    table.insert(by_state[one.state.name], { gate = one.gate, outcome = outcome })
  end
  return by_state
end

describe("a gate", function()
  local asked

  setup(function()
    local plain, by_proxy = {}, {}
    for _, state in ipairs(states) do table.insert(state.proxy and by_proxy or plain, state) end
    asked = ask(plain, {})
    local dead = "http://127.0.0.1:" .. port.free()
    for name, list in pairs(ask(by_proxy, { http_proxy = dead, all_proxy = dead })) do asked[name] = list end
  end)

  teardown(function() directory:remove() end)

  for _, state in ipairs(states) do
    it("stays closed before " .. state.name, function()
      local opened = {}
      for _, one in ipairs(asked[state.name]) do
        if one.outcome.state == "success" and not excuse(one.gate, state) then
          opened[#opened + 1] = ("%s: %s"):format(one.gate.name, one.outcome.message)
        end
      end
      assert.equal("", table.concat(opened, "\n"))
    end)
  end

  it("is excused only while it needs to be", function()
    for name, rows in pairs(excused) do
      for _, row in ipairs(rows) do
        local is_used = false
        for _, state in ipairs(states) do
          for _, one in ipairs(state.name:find(row[1]) and asked[state.name] or {}) do
            is_used = is_used or one.gate.name == name and one.outcome.state == "success"
          end
        end
        assert.is_true(is_used, name .. ": " .. row[2])
      end
    end
  end)
end)
