---Programs inherited descriptors of bide: the file of --events, and the pairs of sockets that libcurl opens.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---A server that answers every request, /slow never.
local function serve()
  local listener, clients = uv.new_tcp(), {}
  assert(listener:bind("127.0.0.1", 0))
  listener:listen(64, function()
    local client = uv.new_tcp()
    listener:accept(client)
    clients[#clients + 1] = client
    client:read_start(function(_, bytes)
      if bytes and not bytes:find("/slow", 1, true) then
        client:write "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      end
    end)
  end)
  return listener:getsockname().port, function()
    for _, handle in ipairs { listener, table.unpack(clients) } do handle:close() end
    uv.run "nowait"
  end
end

---The program's own list of its descriptors. It opens one more to read the list.
local listing = "for f in /proc/self/fd/*; do echo ${f##*/}; done"

local recipe = [[
  local bide, http = require "bide", require "bide.http"
  local function call()
    http.get "http://127.0.0.1:%d/"
    bide.spawn(function() pcall(http.get, "http://localhost:%d/slow", { timeout = 5 }) end)
    bide.spawn(function() pcall(bide.tcp, { host = "127.0.0.1", port = %d, expect = "never", timeout = 5 }) end)
    bide.sleep(0.2)
    return { listed = bide.exec({ %q, shell = true }).stdout }
  end
  return { Op = { call = call, waitable = { Done = { acceptors = {
    { state = "success", matcher = { success = true } } } } } } }]]

describe("a program", function()
  local workspace = Workspace.of_block()
  local port, close

  setup(function()
    port, close = serve()
    workspace:write("recipe.lua", recipe:format(port, port, port, listing))
  end)

  teardown(function() close() end)

  ---A shell that expands the list reads it by descriptor 3.
  local expected = "0\n1\n2\n3\n"

  it("of bide.exec has the standard descriptors and no others", function()
    local outcome, done = workspace:outcome { "run", "recipe.lua", "--max-wait", "9s", "--events", "events.jsonl",
      "--journal", "journal.db" }
    assert.equal(0, done.code, done.stderr)
    assert.equal(expected, outcome.output.listed)
  end)

  local run = "run recipe.lua --max-wait 9s --quiet --events events.jsonl --journal journal.db -- sh -c"

  it("that runs in place of bide has what bide was started with, and no others", function()
    local alone = workspace:shell(("exec 7>kept; sh -c '%s'"):format(listing))
    local done = workspace:shell(("exec 7>kept; $BIDE %s '%s'"):format(run, listing))
    assert.equal(alone.stdout, done.stdout, done.stderr)
    assert.matches("\n7\n", alone.stdout)
  end)

  it("of a recipe's own io.popen has none of libcurl's either", function()
    workspace:write("own.lua", ([[local http = require "bide.http"
      return { Op = { call = function()
        http.get "http://127.0.0.1:%d/"
        return { listed = io.popen("ls -l /proc/self/fd"):read "a" }
      end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]):format(port))
    local outcome = workspace:outcome { "run", "own.lua", "--max-wait", "50s" }
    assert.not_matches(" [3-9] %-> socket", outcome.output.listed)
    assert.not_matches(" %d%d+ %-> socket", outcome.output.listed)
  end)

  it("of a recipe's own io.popen does not hold the events open", function()
    workspace:write("own.lua", ([[return { Op = { call = function()
        return { listed = io.popen("ls -l /proc/self/fd"):read "a" }
      end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]))
    local outcome = workspace:outcome { "run", "own.lua", "--max-wait", "50s", "--events", "events.jsonl" }
    assert.not_matches("events.jsonl", outcome.output.listed, 1, true)
  end)
end)
