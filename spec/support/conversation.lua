---A server of answers that the spec has recorded or made, for the specs of protocols whose own server may be missing. It
---writes the next answer when something has come, and closes when there is no more.
---
---    local ok, result, requests = conversation.hold(mongodb, { answer })
---    conversation.failure(imap, { greeting = "* BYE\r\n" }).type    --> "BYE"
---    for broken in conversation.broken(answer) do … end

local Server = require "spec.support.server"

local M = {}

---@class spec.Answers
---@field greeting? string what the server says before anything has come
---@field [integer] string|fun(request: string): string

---Serves the answers to one connection after the other.
---@param answers spec.Answers
---@return spec.Server server
---@return string[] requests of all connections
function M.serve(answers)
  local requests = {}
  local server = Server.start(nil, { connected = function(peer)
    if answers.greeting then peer:write(answers.greeting) end
  end, raw = function(peer, bytes)
    requests[#requests + 1] = bytes
    peer.said = (peer.said or 0) + 1
    local answer = answers[peer.said]
    if answer then peer:write(type(answer) == "function" and answer(bytes) or answer) end
    if peer.said >= #answers then peer:finish() end
  end })
  return server, requests
end

---Calls a protocol's function with a server of such answers.
---@param call fun(options: table): any
---@param answers spec.Answers
---@param options? table without host and port
---@return boolean ok
---@return any result or what it raised
---@return string[] requests
function M.hold(call, answers, options)
  local server, requests = M.serve(answers)
  options = options or {}
  options.host, options.port, options.timeout = "127.0.0.1", server.port, options.timeout or 2
  local ok, result = pcall(call, options)
  server:close()
  return ok, result, requests
end

---Calls a protocol's function with a server of such answers; returns what it raised.
---@param call fun(options: table): any
---@param answers spec.Answers
---@param options? table
---@return { type: string, message: string }
function M.failure(call, answers, options)
  local ok, failure = M.hold(call, answers, options)
  assert(not ok, "it failed in nothing")
  return failure
end

---Asserts that a protocol's function raises an operation error for each of 300 greetings, made of random parts.
---@param call fun(options: table): any
---@param alphabet string[] the parts
---@param options? table
function M.assert_reads_any(call, alphabet, options)
  for seed = 1, 300 do
    math.randomseed(seed)
    local parts = {}
    for position = 1, math.random(12) do parts[position] = alphabet[math.random(#alphabet)] end
    local failure = M.failure(call, { greeting = table.concat(parts) }, options)
    assert(type(failure) == "table" and type(failure.message) == "string", ("seed %d: %s"):format(seed, tostring(failure)))
  end
end

---Goes through copies of an answer that end early, and through copies with wrong bytes.
---@param answer string
---@return fun(): string?
function M.broken(answer)
  return coroutine.wrap(function()
    for length = 0, #answer - 1, 1 + #answer // 200 do coroutine.yield(answer:sub(1, length)) end
    math.randomseed(14)
    for _ = 1, 300 do
      local at = math.random(#answer)
      coroutine.yield(answer:sub(1, at - 1) .. string.char(math.random(0, 255)) .. answer:sub(at + 1))
    end
    for _ = 1, 50 do
      local bytes = {}
      for at = 1, math.random(64) do bytes[at] = string.char(math.random(0, 255)) end
      coroutine.yield(table.concat(bytes))
    end
  end)
end

---Asserts that a protocol's function survives each broken copy of one of its answers: it returns, or raises an operation
---error.
---@param call fun(options: table): any
---@param answers string[]
---@param options? table
function M.assert_survives(call, answers, options)
  for position, answer in ipairs(answers) do
    for broken in M.broken(answer) do
      local changed = table.move(answers, 1, position - 1, 1, {}) -- then it closes, so that nobody waits for more
      changed[position] = broken
      local given = {}
      for name, value in pairs(options or {}) do given[name] = value end
      local ok, failure = M.hold(call, changed, given)
      assert(ok or type(failure) == "table" and type(failure.type) == "string", tostring(failure))
    end
  end
end

return M
