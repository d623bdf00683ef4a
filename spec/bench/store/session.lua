---The row about a session of PostgreSQL: what it costs its client, against a loop of libpq with the same statements over the
---same server, in microseconds of processor time; its framing against a dialogue; and for how long it holds the loop, in
---milliseconds.

local Dialogue = require "bide.probe.peer.dialogue"
local Framing = require "bide.probe.postgres.framing"
local Peer = require "bide.probe.peer"
local Proxy = require "spec.support.proxy"
local measure = require "spec.bench.store.measure"
local read_pieces = require "bide.probe.peer.pieces"
local sessions = require "bide.postgres.session"
local uv = require "luv"

local RUNS <const>, BATCH <const> = 5, 100

local function processor_time()
  local usage = uv.getrusage()
  return (usage.utime.sec + usage.stime.sec) * 1e6 + usage.utime.usec + usage.stime.usec
end

-- ---- beside libpq -------------------------------------------------------------------------------

local function reference(bench, mode, sql, count)
  local pipe <close> = assert(io.popen(("%s/store/bare_session '%s' %s '%s' %d"):format(bench.build,
    bench.place:conninfo("postgres", "postgres"), mode, sql, count)))
  return assert(pipe:read "n")
end

local ways = {
  one = function(session, sql, count)
    for number = 1, count do assert(session:query(sql, number)) end
  end,
  together = function(session, sql, count)
    for first = 1, count, BATCH do
      local pending = {}
      for number = first, first + BATCH - 1 do pending[#pending + 1] = session:send(sql, number) end
      for _, each in ipairs(pending) do assert(each:await()) end
    end
  end,
  rows = function(session, sql, count)
    for _ = 1, count do assert(session:query(sql)) end
  end,
}

---Compares both sides; `units` is how many of what is counted a query has.
---@param bench bench.Bench
local function compare(bench, session, name, mode, sql, count, units)
  ways[mode](session, sql, BATCH) -- prepares it, and learns its columns
  local reached = measure.in_turns {
    libpq = function() return { cost = reference(bench, mode, sql, count) / units } end,
    bide = function()
      collectgarbage()
      local began = processor_time()
      ways[mode](session, sql, count)
      return { cost = (processor_time() - began) / count / units }
    end,
  }
  return measure.ratio(name .. ", beside libpq, µs", reached.bide.cost, reached.libpq.cost, {})
end

local SMALL = "SELECT $1::bigint AS a"
local CLAIM = [[SELECT g AS id, g AS due, g AS deadline, 1::int AS attempts, 0::smallint AS strikes, 7::int AS definition,
  1::smallint AS format, decode(repeat(chr(97), 200), chr(104)||chr(101)||chr(120)) AS state, repeat(chr(97), 180) AS input,
  repeat(chr(98), 36) AS token FROM generate_series(1::bigint, 500) g]]

-- ---- beside a dialogue --------------------------------------------------------------------------

---Pieces of what a server sends: messages of a size, cut as a socket cuts them.
local function pieces_of(size, count)
  local text = ("D" .. string.pack(">s4", ("x"):rep(size - 5)):gsub("^....", string.pack(">I4", size - 1))):rep(count)
  local pieces = {}
  for first = 1, #text, 65536 do pieces[#pieces + 1] = text:sub(first, first + 65535) end
  return pieces
end

---Reads the messages as the probe does: by a dialogue, whose connection adds each piece to what it has.
local function read_by_dialogue(pieces, count)
  local position, connection = 0, { received = "" }
  function connection:read(is_enough)
    repeat
      position = position + 1
      self.received = self.received .. pieces[position]
    until is_enough(self.received, pieces[position])
    return "found"
  end
  local dialogue = Dialogue.new(Peer.new("x", 3600000), connection)
  for _ = 1, count do
    local _, length = string.unpack(">c1I4", dialogue:read(5))
    read_pieces(dialogue, length - 4)
  end
end

local function read_by_framing(pieces, count)
  local found = 0
  local framing = Framing.new(1 << 24, function() found = found + 1 end)
  for _, piece in ipairs(pieces) do
    framing:add(piece)
    while not framing:run(1e9) do found = found + 0 end
  end
  assert(found == count)
end

---Reads 32 MB in messages of a size in both ways.
local function compare_framing(size)
  local count = 32000000 // size
  local pieces = pieces_of(size, count)
  local function cost(read)
    local began = processor_time()
    read(pieces, count)
    return { cost = (processor_time() - began) / 32 }
  end
  local reached = measure.in_turns {
    dialogue = function() return cost(read_by_dialogue) end, framing = function() return cost(read_by_framing) end,
  }
  return measure.ratio(("a MB in messages of %d bytes, beside a dialogue, µs"):format(size), reached.framing.cost,
    reached.dialogue.cost, {})
end

-- ---- the loop -----------------------------------------------------------------------------------

---Returns the longest processor time between two turns of a timer of a millisecond while f runs: other processes do not
---count.
local function hold(name, f)
  local all = {}
  for run = 1, RUNS do
    local longest, last = 0, processor_time()
    local ticker = uv.new_timer()
    ticker:start(1, 1, function()
      local now = processor_time()
      longest, last = math.max(longest, now - last), now
    end)
    f()
    ticker:close()
    all[run] = longest / 1e3
  end
  return measure.bound("the loop is held, ms: " .. name, measure.median(all), 5)
end

---@param bench bench.Bench
return function(bench)
  local port = bench.place.cluster.port
  local function open(given)
    local all = { host = "127.0.0.1", port = port, user = "postgres", dbname = "postgres" }
    for name, value in pairs(given or {}) do all[name] = value end
    return assert(sessions.open(all))
  end
  local session <close> = open()
  local lines = {
    compare(bench, session, "a small query", "one", SMALL, 5000, 1),
    compare(bench, session, "a small query of a hundred together", "together", SMALL, 20000, 1),
    compare(bench, session, "a row of ten columns, of 500", "rows", CLAIM, 100, 500),
    compare_framing(100), compare_framing(4000), compare_framing(1000000),
  }
  local function add(name, f) lines[#lines + 1] = hold(name, f) end
  add("100,000 rows", function()
    assert(session:each(function() end, "SELECT g AS a, g AS b, 'x' AS c FROM generate_series(1, 100000) g"))
  end)
  add("rows of 3 MB", function() assert(session:query "SELECT repeat('x', 3000000) AS a FROM generate_series(1, 10)") end)
  add("a bytea of 1 MB, and an array of 10,000", function()
    local other <close> = open() -- as text, which a session reads once
    assert(other:query "SELECT decode(repeat('61', 1000000), 'hex') AS a, array_agg(g) AS b FROM generate_series(1, 10000) g")
  end)
  add("COPY of 100 MB out", function()
    assert(session:copy_out("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT", function() end))
  end)
  add("a server that is stopped", function()
    local stopped <close> = open { timeout = 0.2 }
    local pid = stopped:query("SELECT pg_backend_pid() AS pid")[1].pid
    uv.kill(pid, "sigstop")
    assert(not stopped:query "SELECT 1")
    uv.kill(pid, "sigcont")
  end)
  add("a network that loses all", function()
    local proxy = Proxy.start(port)
    local lost <close> = open { port = proxy.port, timeout = 0.2 }
    proxy:stop "both"
    assert(not lost:query "SELECT 1")
    assert(not sessions.open { host = "127.0.0.1", port = proxy.port, user = "postgres", connect_timeout = 0.2 })
    proxy:close()
  end)
  return lines
end
