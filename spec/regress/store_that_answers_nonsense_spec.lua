---A server whose answers are not those of a store could hold a watch for ever: it read the same ended wait again and again,
---and obeyed no signal meanwhile. A value that was missing ended commands with the text of a Lua error, and `jobs cancel` took
---any answer to mean that the run is cancelled.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local message = require "spec.support.postgres_message"

local oids = { integer = 20, boolean = 16, string = 25 }

local ready = message("Z", "I")
local accepted = message("R", "\0\0\0\0") .. ready

---Returns the answer to a statement: rows of `names`, in which `false` is NULL.
local function answer_of(names, rows)
  local columns, cells = {}, {}
  for position, name in ipairs(names) do
    local value = rows[1] and rows[1][position]
    columns[position] = string.pack(">zI4I2I4i2i4I2", name, 0, 0, oids[math.type(value) or type(value)] or 25, -1, -1, 0)
  end
  for _, row in ipairs(rows) do
    local texts = {}
    for position in ipairs(names) do
      local value = row[position]
      texts[position] = value == false and string.pack(">i4", -1) or string.pack(">s4", tostring(value == true and "t" or value))
    end
    cells[#cells + 1] = message("D", string.pack(">I2", #names) .. table.concat(texts))
  end
  return message("1", "") .. message("2", "") .. message("T", string.pack(">I2", #names) .. table.concat(columns))
    .. table.concat(cells) .. message("C", ("SELECT %d\0"):format(#rows)) .. ready
end

local counter_names = { "run", "queue", "about", "need", "waits", "open", "succeeded", "failed", "cancelled", "began",
  "deadline", "ended", "state", "clock", "workers" }
local function counters() return { 7, "default", "{}", 1, 1, 0, 1, 0, 0, 1, 9000000000000000, 2, "success", 3, 1 } end

local end_names = { "position", "rank", "waiter", "outcome", "input", "attempts", "deadline", "ended" }
local function ended() return { 1, 1, "Seen", "{}", "{}", 1, 9, 2 } end

describe("a store that answers nonsense", function()
  local workspace = Workspace.of_each()
  local server

  Server.close_after_each()

  ---Starts a server that answers each statement by the first of the answers whose pattern is in it.
  local function start(answers)
    server = Server.start(nil, { raw = function(peer, bytes)
      peer.received = (peer.received or "") .. bytes
      if not peer.is_in then
        if #peer.received < 8 then return end
        if peer.received:sub(5, 8) == "\x04\xd2\x16\x2f" then -- TLS
          peer.received = peer.received:sub(9)
          return peer:write "N"
        end
        peer.is_in, peer.received = true, ""
        return peer:write(accepted)
      end
      while #peer.received >= 5 do
        local length = string.unpack(">I4", peer.received, 2)
        if #peer.received <= length then return end
        local letter, body = peer.received:sub(1, 1), peer.received:sub(6, length + 1)
        peer.received = peer.received:sub(length + 2)
        if letter == "P" then peer.statement = select(2, string.unpack("zz", body)) end
        if letter == "S" then
          for _, one in ipairs(answers) do
            if peer.statement:find(one[1], 1, true) then
              peer:write(answer_of(one[2], one[3]))
              break
            end
          end
        end
      end
    end })
    return ("postgres://ada@127.0.0.1:%d/d?prepare=off"):format(server.port)
  end

  local about = { "SELECT lease", { "lease", "ahead" }, { { 10000000, 1000000 } } }
  local version = { "SELECT version", { "version", "reads_from", "cell", "set_config" }, { { 1, 1, 0, "x" } } }
  local histories = { "bide.attempts", { "position", "entry" }, {} }

  local function watch(of_run, of_ends, words)
    local url = start { version, about, { "bide.runs", counter_names, of_run }, { "bide.waits WHERE", end_names, of_ends },
      histories }
    return workspace:start { "watch", "7", "--store", url, table.unpack(words or {}) }
  end

  it("ends a watch with 70, if it says again and again that a wait has ended", function()
    local process = watch({ counters() }, { ended() })
    process:wait()
    assert.same({ 70, "" }, { process.code, process.stdout })
    assert.matches("run 7: more waits have ended than it has", process.stderr, 1, true)
  end)

  it("ends a watch with 70 and a sentence, if a value is missing", function()
    for position, name in ipairs(counter_names) do
      if name ~= "ended" and name ~= "state" then
        local row = counters()
        row[position] = false
        local process = watch({ row }, {})
        process:wait()
        assert.same({ 70, "" }, { process.code, process.stdout }, name)
        assert.matches("^bide: the store is broken: [run 7:]*" .. name .. ": expected [^\n]+\n$", process.stderr)
      end
    end
    for position, name in ipairs(end_names) do
      local row = ended()
      row[position] = false
      local process = watch({ counters() }, { row })
      process:wait()
      assert.same({ 70, "" }, { process.code, process.stdout }, name)
      assert.matches("^bide: the store is broken: " .. name .. ": expected [^\n]+\n$", process.stderr)
    end
  end)

  it("ends a watch with 70, if it answers for another run", function()
    local row = counters()
    row[1] = 8
    local process = watch({ row }, {})
    process:wait()
    assert.same({ 70, "bide: the store is broken: run 8 in place of 7\n" }, { process.code, process.stderr })
  end)

  it("is refused by each command, if it does not say its version", function()
    for _, rows in ipairs { {}, { { false, 1, "x" } }, { { 1, false, "x" } } } do
      local process = workspace:start { "watch", "7", "--store", start { { version[1], version[2], rows }, about } }
      process:wait()
      assert.same({ 2, "" }, { process.code, process.stdout })
      assert.matches("^bide: the store is broken: [^\n]+\n$", process.stderr)
    end
  end)

  it("has cancelled and pruned no run, if it does not say so", function()
    for _, action in ipairs { "cancel", "prune" } do
      for _, rows in ipairs { {}, { { false } }, { { "yes" } } } do
        local url = start { version, about, { "SELECT bide." .. action, { "answer" }, rows } }
        local process = workspace:start { "jobs", action, "7", "--store", url }
        process:wait()
        assert.same({ 2, "" }, { process.code, process.stdout }, action)
        assert.matches("^bide: the store is broken: [^\n]+\n$", process.stderr)
      end
    end
  end)
end)
