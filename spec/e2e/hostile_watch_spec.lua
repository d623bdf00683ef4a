---What a watch hears costs no more than requests: servers that flood, lie, never end a line, or close each connection. The
---servers answer polls as usual.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"
local uv = require "luv"
local message = require "spec.support.postgres_message"

local function answer(peer, body, headers, status)
  peer:write(("HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s")
    :format(status or "200 OK", headers or "", #body, body))
end

local function chunk(text) return ("%x\r\n%s\r\n"):format(#text, text) end

---Reads requests over HTTP. Those of a watch are the row's to answer, after the head of a stream.
local function over_http(row, server)
  return function(peer, bytes)
    peer.pending = (peer.pending or "") .. bytes
    while true do
      local head, rest = peer.pending:match "^(.-\r\n\r\n)()"
      local length = head and tonumber(head:match "[Ll]ength: (%d+)" or 0)
      if not head or #peer.pending < rest - 1 + length then return end
      local target, body = head:match "^%u+ (%S+)", peer.pending:sub(rest, rest + length - 1)
      peer.pending = peer.pending:sub(rest + length)
      if target:find(row.watched) then
        server.watches = server.watches + 1
        peer:write "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.misbehave(function(text) peer:write(chunk(text)) end, peer)
      elseif row.refused and body:find(row.refused, 1, true) then
        answer(peer, row.refusal, nil, "400 Bad Request")
      else
        server.polls = server.polls + 1
        answer(peer, row.poll)
      end
    end
  end
end

---Reads the commands of Redis. After SUBSCRIBE the connection is the row's.
local function over_redis(_, server)
  return function(peer, bytes)
    if bytes:find "SUBSCRIBE" then
      server.watches = server.watches + 1
      return server.misbehave(function(text) peer:write(text) end, peer)
    end
    if bytes:find "CONFIG" then return peer:write "*2\r\n$22\r\nnotify-keyspace-events\r\n$2\r\nKA\r\n" end
    server.polls = server.polls + 1
    peer:write "+PONG\r\n:0\r\n"
  end
end

local idle = message("Z", "I")
local entered = message("R", "\0\0\0\0") .. message("S", "server_version\00015.1\0") .. message("K", "12345678") .. idle
local column = message("T", (">I2zI4I2I4i2i4I2"):pack(1, "a", 0, 0, 23, -1, -1, 0))

---Returns the answer to a statement, over either of the two protocols of queries.
local function answer_of(bytes, description, tag)
  local done = message("C", tag .. "\0") .. idle
  if bytes:find "^Q" then return (description or "") .. done end
  return message("1", "") .. message("2", "") .. (description or message("n", "")) .. done
end

---Lets PostgreSQL find no row. After LISTEN the connection is the row's.
local function over_postgres(_, server)
  return function(peer, bytes)
    if not peer.is_entered then
      peer.is_entered = true
      return peer:write(entered)
    end
    if bytes:find "LISTEN" then
      server.watches = server.watches + 1
      peer:write(answer_of(bytes, nil, "LISTEN"))
      return server.misbehave(function(text) peer:write(text) end, peer)
    end
    if not bytes:find "SELECT" then return nil end
    server.polls = server.polls + 1
    peer:write(answer_of(bytes, column, "SELECT 0"))
  end
end

---A message of D-Bus of a type: 2 is an answer, 4 a signal.
local function bus_message(kind, fields, body)
  local head = ("<c1 BBB I4 I4 s4"):pack("l", kind, 0, 1, #body, 1, fields)
  return head .. ("\0"):rep(-#head % 8) .. body
end

---A signal of a unit, which has the name of its object as the first field.
local function bus_signal(object)
  return bus_message(4, ("<c4 s4 x"):pack("\1\1o\0", object), "")
end

local UNIT = "/org/freedesktop/systemd1/unit/web_2eservice"
local unit_loaded = bus_message(2, "", ("<s4 x"):pack(UNIT))

---Logs a user in to D-Bus, and lets it subscribe. The answer to LoadUnit is the row's, or all that comes after it.
local function over_bus(row, server)
  return function(peer, bytes)
    if bytes:find "AUTH" then peer:write "OK 0123456789abcdef0123456789abcdef\r\n" end
    if bytes:find("Subscribe", 1, true) then peer:write(bus_message(2, "", "")) end
    if not bytes:find("LoadUnit", 1, true) then return nil end
    server.watches = server.watches + 1
    if not row.is_unloaded then peer:write(unit_loaded) end
    server.misbehave(function(text) peer:write(text) end, peer)
  end
end

---Writes a systemctl whose unit is always inactive, since the real one would ask the server. It notes each call. Returns
---the environment in which both are found.
local function make_systemctl(workspace)
  assert(uv.fs_mkdir(workspace.path .. "/systemd", 448))
  assert(uv.fs_chmod(workspace:write("systemctl", [[#!/bin/sh
echo >>"${0%/*}/calls"
echo LoadState=loaded
echo ActiveState=inactive
]]), 448))
  return { PATH = workspace.path .. ":" .. os.getenv "PATH", XDG_RUNTIME_DIR = workspace.path }
end

local container = json.encode { Id = "a1", Name = "/web", Config = { Tty = false, Labels = json.decode "{}" },
  State = { Status = "created", Running = false, Error = "" } }

local function event_of(name)
  return json.encode { Type = "container", Action = "start", Actor = { ID = "b2", Attributes = { name = name } } } .. "\n"
end

local function key_event(events)
  return json.encode { result = { header = { revision = "7" }, events = events } } .. "\n"
end

---A recipe, the answer to its polls, an event, one of another object, and the shortest delay that it may have.
local rows = {
  docker = { over = over_http, is_local = true, words = { "docker", "web" }, watched = "^/events", poll = container,
    event = event_of "web", other = event_of "other" },
  compose = { over = over_http, is_local = true, words = { "compose", "shop" }, watched = "^/events", poll = "[]",
    event = event_of "web" },
  etcd = { over = over_http, words = { "etcd", "KeyExists", "key=/x" }, watched = "^/v3/watch",
    poll = '{"header":{"revision":"6"}}', refused = "revision", -- of the future
    refusal = '{"code":11,"message":"etcdserver: mvcc: required revision is a future revision","details":[]}', -- as 3.6 says it
    event = key_event { { kv = { key = "Lw==" } } }, other = key_event() },
  postgres = { over = over_postgres, words = { "postgres", "RowFound", "query=SELECT 1", "listen=jobs" },
    url = "postgres://app@127.0.0.1:%d/shop?sslmode=disable", event = message("A", (">I4zz"):pack(7, "jobs", "")) },
  redis = { over = over_redis, words = { "redis", "KeyExists", "name=x" },
    event = "*3\r\n$7\r\nmessage\r\n$16\r\n__keyspace@0__:x\r\n$3\r\nset\r\n" },
  systemd = { over = over_bus, is_systemd = true, words = { "systemd", "web.service", "scope=user" },
    event = bus_signal(UNIT), other = bus_signal(UNIT .. "2") },
}

---A bide and the server that it asks, in a folder of their own.
---@class spec.HostileRun
---@field row table
---@field running spec.Process
---@field state { polls: integer, watches: integer, misbehave: function }

---Starts the server of a row, and bide.
---@return spec.HostileRun
local function start(row, misbehave, ...)
  local workspace = Workspace.make()
  local env = row.is_systemd and make_systemctl(workspace) or nil
  local path = row.is_systemd and workspace.path .. "/systemd/private" or row.is_local and workspace.path .. "/socket" or nil
  local state = { polls = 0, watches = 0, misbehave = misbehave }
  local server = Server.start(nil, { unix_socket = path, raw = row.over(row, state) })
  local words = table.move(row.words, 1, #row.words, 1, {})
  if not row.is_systemd then
    words[#words + 1] = path and "socket=" .. path or "url=" .. (row.url or "127.0.0.1:%d"):format(server.port)
  end
  for _, word in ipairs { "--output", "json", "--verbose", ... } do words[#words + 1] = word end
  local running = workspace:start(words, { env = env })
  return { row = row, running = running, state = state, server = server, workspace = workspace }
end

local function close(one)
  one.server:close()
  one.workspace:remove()
end

---Waits for the end, and counts the polls of a program.
local function wait_for(one)
  one.running:wait()
  if one.row.is_systemd then one.state.polls = #one.workspace:read "calls" end
end

local function outcome_of(one)
  wait_for(one)
  return json.decode(one.running.stdout)
end

local function notes_of(outcome)
  local notes = {}
  for _, entry in ipairs(outcome.history) do notes[#notes + 1] = entry.note end
  return table.concat(notes, "\n")
end

---Checks that polls alone set the delays: how many polls there are would depend on the machine.
---@param interval number seconds
local function leaves_polls(outcome, interval)
  assert.is_true(#outcome.history >= 3, #outcome.history)
  for _, entry in ipairs(outcome.history) do assert.is_true((entry.delay or 0) <= interval, entry.delay) end
end

---Begins the runs of all rows at once, since they mostly wait, and has a spec for each.
---@param title string
---@param list table<string, any>
---@param begin fun(row: any): spec.HostileRun
---@param check fun(outcome: table, state: table, row: any)
local function at_once(title, list, begin, check)
  describe(title, function()
    local runs = {}

    setup(function()
      for name, row in pairs(list) do runs[name] = begin(row) end
    end)
    teardown(function()
      for _, one in pairs(runs) do close(one) end
    end)

    for name, row in pairs(list) do
      it("of " .. name, function()
        local outcome = outcome_of(runs[name])
        check(outcome, runs[name].state, row)
      end)
    end
  end)
end

describe("a watch", function()
  for name, row in pairs(rows) do
    it(("of %s that floods makes attempts as far apart as polls at first, in flat memory"):format(name), function()
      local many, sent = row.event:rep(100), 0
      local one = start(row, function(write, peer)
        peer:later(0.01, function()
          sent = sent + 100
          write(many)
        end, true)
      end, "--interval", "0.25s", "--max-wait", "4s")
      finally(function() close(one) end)
      one.running:wait_for_output "attempt 3"
      local before = process.memory_of(one.running.pid)
      one.running:wait_for_output "attempt 7"
      local grown = process.memory_of(one.running.pid) - before
      wait_for(one)
      assert.equal(124, one.running.code, one.running.stderr)
      assert.is_true(sent > 5000, sent)
      assert.is_true(one.state.polls <= 2 * 4 / 0.25 + 12, one.state.polls)
      assert.is_true(grown < 4096 or process.is_sanitized, grown)
    end)
  end

  at_once("that never ends a line leaves the polls as they are:", rows, function(row)
    return start(row, function(write, peer)
      peer:later(0.01, function() write(("x"):rep(65536)) end, true)
    end, "--interval", "0.2s", "--max-wait", "2.5s")
  end, function(outcome)
    assert.equal("maxWait", outcome.reason)
    leaves_polls(outcome, 0.2)
    assert.matches("the watch failed: ", notes_of(outcome), 1, true)
  end)

  at_once("that is closed at once is begun again, later each time:", rows, function(row)
    return start(row, function(_, peer) peer:finish() end, "--interval", "0.2s", "--max-wait", "5s")
  end, function(outcome, state)
    assert.matches("it begins again in 2 s", notes_of(outcome), 1, true)
    assert.is_true(state.watches <= 3, state.watches)
    leaves_polls(outcome, 0.2)
  end)

  at_once("that is closed each second, and lives until then, leaves polls for the time between:", rows, function(row)
    return start(row, function(write, peer)
      write(row.event)
      peer:later(1, function() peer:finish() end)
    end, "--interval", "0.2s", "--max-wait", "4.5s")
  end, function(outcome, state)
    assert.equal("maxWait", outcome.reason)
    assert.matches("it begins again in 2 s", notes_of(outcome), 1, true)
    assert.is_true(state.watches <= 3, state.watches)
    assert.is_true(state.polls >= 4, state.polls) -- 2.5 s of these have no watch
  end)

  local with_others = {}
  for name, row in pairs(rows) do with_others[name] = row.other and row end
  at_once("that names another object wakes nobody:", with_others, function(row)
    return start(row, function(write, peer)
      peer:later(0.01, function() write(row.other) end, true)
    end, "--interval", "20s", "--max-wait", "2s")
  end, function(outcome, state)
    assert.equal("maxWait", outcome.reason)
    assert.is_true(state.polls <= 3, state.polls) -- one of them since the watch stands, one before the deadline
  end)

  ---Starts a wait against a bus that answers LoadUnit, or more, in this way.
  local function start_systemd(misbehave)
    local row = setmetatable({ is_unloaded = true }, { __index = rows.systemd })
    return start(row, misbehave, "--interval", "0.2s", "--max-wait", "2s")
  end

  local half = bus_signal(UNIT)
  local lengths = { fields = 13, body = 5 } -- where they stand in a message

  ---A message, and what is wrong with it.
  local broken = {
    ["a bus whose answer is empty"] = { bus_message(2, "", ""), "LoadUnit has not named a unit" },
    ["a bus whose answer has a text that is longer than it"] = { bus_message(2, "", "\255\255\255\255/a"),
      "LoadUnit has not named a unit" },
    ["a bus whose answer names what is no object"] = { bus_message(2, "", ("<s4 x"):pack "../a"),
      "LoadUnit has not named a unit" },
    ["a bus whose answer has another order of bytes than it says"] = { "B" .. unit_loaded:sub(2), "too long" },
    ["a bus that refuses"] = { bus_message(3, "", ""), "LoadUnit is refused" },
    ["a bus that is none"] = { "HTTP/1.1 400 Bad Request\r\n\r\n", "this is not D-Bus" },
  }
  for name, at in pairs(lengths) do
    broken[("a bus whose %s have four gigabytes"):format(name)] =
      { unit_loaded .. half:sub(1, at - 1) .. "\255\255\255\255" .. half:sub(at + 4), "a message of D-Bus is too long" }
  end

  at_once("has failed", broken, function(row)
    return start_systemd(function(write) write(row[1]) end)
  end, function(outcome, _, row)
    assert.equal("maxWait", outcome.reason)
    assert.matches("the watch failed: ", notes_of(outcome), 1, true)
    assert.matches(row[2], notes_of(outcome), 1, true)
    assert.is_nil(notes_of(outcome):find("bus.lua", 1, true))
    leaves_polls(outcome, 0.2)
  end)

  at_once("leaves the polls as they are", {
    ["a bus that sends half an answer for ever"] = unit_loaded:sub(1, 20),
    ["a bus that sends half a head for ever"] = unit_loaded .. half:sub(1, 9),
    ["a bus that sends half a signal for ever"] = unit_loaded .. half:sub(1, -2),
    ["a bus that sends nothing for ever"] = "",
  }, function(bytes)
    return start_systemd(function(write) write(bytes) end)
  end, function(outcome, state)
    assert.equal("maxWait", outcome.reason)
    assert.equal(1, state.watches)
    leaves_polls(outcome, 0.2)
  end)

  it("of a bus that closes each second is begun again, later each time", function()
    local one = start(rows.systemd, function(_, peer)
      peer:later(1, function() peer:finish() end)
    end, "--interval", "0.2s", "--max-wait", "4.5s")
    finally(function() close(one) end)
    local outcome = outcome_of(one)
    assert.matches("it begins again in 2 s", notes_of(outcome), 1, true)
    assert.equal(2, one.state.watches)
    leaves_polls(outcome, 0.2)
    assert.is_true(one.state.polls <= 30, one.state.polls)
  end)

  it("of a bus that sends signals and never an answer leaves the polls as they are", function()
    local many = half:rep(100)
    local one = start_systemd(function(write, peer)
      peer:later(0.01, function() write(many) end, true)
    end)
    finally(function() close(one) end)
    local outcome = outcome_of(one)
    assert.equal("maxWait", outcome.reason)
    leaves_polls(outcome, 0.2)
    assert.is_true(one.state.polls <= 12, one.state.polls)
  end)

  ---Starts a wait for a service of a Consul whose requests, with the bytes of its peer, go to `act`.
  local function start_consul(waiter, act, ...)
    local workspace, state = Workspace.make(), { polls = 0, watches = 0 }
    local server = Server.start(nil, { raw = function(peer, bytes)
      for target in bytes:gmatch "GET (%S+) " do
        local of = target:find "wait=" and "watches" or "polls"
        state[of] = state[of] + 1
        act(peer, of == "watches", state[of])
      end
    end })
    local running = workspace:start { "consul", waiter, "url=127.0.0.1:" .. server.port, "service=web", "--output", "json",
      "--verbose", ... }
    return { row = {}, running = running, state = state, server = server, workspace = workspace }
  end

  ---Runs a wait against a Consul that answers a watch in this way.
  local function run_consul(misbehave, ...)
    local one <close> = setmetatable(start_consul("ServicePassing", function(peer, is_watch, number)
      if is_watch then return misbehave(peer, number) end
      answer(peer, "[]", "X-Consul-Index: 7\r\nX-Consul-KnownLeader: true\r\nX-Consul-Default-ACL-Policy: allow\r\n")
    end, ...), { __close = close })
    return outcome_of(one), one.state
  end

  it("of Consul whose index always changes is asked ten times a second at most", function()
    local _, state = run_consul(function(peer, number)
      answer(peer, "[]", ("X-Consul-Index: %d\r\n"):format(number))
    end, "--interval", "0.5s", "--max-wait", "3s")
    assert.is_true(state.watches <= 31, state.watches)
    assert.is_true(state.polls <= 2 * 3 / 0.5 + 12, state.polls)
  end)

  local instance = [=[[{"Service":{"Service":"web"},"Checks":[]}]]=]
  local of_consul = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Consul-Index: 7\r\nX-Consul-KnownLeader: true\r\n"
    .. "X-Consul-Default-ACL-Policy: allow\r\n"

  ---The ways in which an answer ends after a half of its body.
  local cuts = {
    ["of a length"] = function(body) return ("Content-Length: %d\r\n\r\n%s"):format(#body, body:sub(1, #body // 2)) end,
    ["in chunks"] = function(body)
      return ("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s"):format(#body, body:sub(1, #body // 2))
    end,
    ["until the end"] = function(body) return ("Connection: close\r\n\r\n%s"):format(body:sub(1, #body // 2)) end,
  }

  ---Starts a wait against a Consul that cuts all answers to a watch, and the first answers to polls.
  local function start_cut(row, cut_polls, max_wait)
    return start_consul(row.waiter, function(peer, is_watch, number)
      local is_cut = is_watch or number <= cut_polls
      peer:write(of_consul .. (is_cut and row.cut(row.body) or ("Content-Length: %d\r\n\r\n%s"):format(#row.body, row.body)))
      if is_cut then peer:finish() end
    end, "--interval", "0.1s", "--max-wait", max_wait)
  end

  ---Returns a row for each waiter, with the body of its answers, and each way of cutting them.
  local function cut_rows(bodies)
    local list = {}
    for waiter, body in pairs(bodies) do
      for name, cut in pairs(cuts) do
        list[("Consul, which %s awaits, cut %s"):format(waiter, name)] = { waiter = waiter, body = body, cut = cut }
      end
    end
    return list
  end

  at_once("goes beside polls whose answers are cut, which are tried again:",
    cut_rows { ServicePassing = instance, ServiceGone = "[]" },
    function(row) return start_cut(row, 3, "20s") end,
    function(outcome, state)
      assert.same({ "success", 4 }, { outcome.state, state.polls })
      for attempt = 1, 3 do assert.equal("retry", outcome.history[attempt].state) end
    end)

  at_once("whose answers are cut says nothing of a service:", cut_rows { ServicePassing = "[]", ServiceGone = instance },
    function(row) return start_cut(row, 0, "1s") end,
    function(outcome) assert.same({ "failure", "maxWait" }, { outcome.state, outcome.reason }) end)

  it("of Consul that is not held, or has no index, has failed", function()
    local outcome, state = run_consul(function(peer) answer(peer, "[]", "X-Consul-Index: 7\r\n") end,
      "--interval", "0.2s", "--max-wait", "2s")
    assert.matches("WatchFailed: the server has not held the request", notes_of(outcome), 1, true)
    assert.is_true(state.watches <= 4, state.watches)
    outcome = run_consul(function(peer) answer(peer, "{}") end, "--interval", "0.2s", "--max-wait", "1s")
    assert.matches("it has no X-Consul-Index", notes_of(outcome), 1, true)
  end)
end)
