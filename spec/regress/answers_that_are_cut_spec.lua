---An answer whose body was cut within gzip, or had two lengths, counted as one of a healthy service: libcurl takes the
---last length, and its decoders take what has come. The variants over HTTP/1.1 are rows of spec/e2e/faults_spec.lua. After a
---status of 200, `success = false` took such an answer for the failure of the operation.

local failure_of = require "spec.support.failure_of"
local faults = require "spec.support.faults"
local http = require "bide.http"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

---A frame of HTTP/2.
local function frame(kind, flags, stream, payload)
  return (">I3I1I1I4"):pack(#payload, kind, flags, stream) .. payload
end

local DATA, HEADERS, RESET, SETTINGS = 0, 1, 3, 4
local END_STREAM, END_HEADERS = 1, 4

---":status 200" of HPACK's static table, and literal headers without an index.
local function block(headers)
  local parts = { "\x88" }
  for _, header in ipairs(headers) do parts[#parts + 1] = "\0" .. ("s1s1"):pack(header[1], header[2]) end
  return table.concat(parts)
end

---A server that answers each connection with these bytes, once a request has come.
local function serve(bytes, is_http2)
  return Server.start(nil, {
    raw = function(peer, received)
      peer.bytes = peer.bytes .. received
      if is_http2 and #peer.bytes < 40 then return end
      if not is_http2 and not peer.bytes:find("\r\n\r\n", 1, true) then return end
      if peer.has_answered then return end
      peer.has_answered = true
      peer:write(bytes)
      if not is_http2 then peer:finish() end
    end,
  })
end

describe("an answer that is cut", function()
  local server, workspace

  Server.close_after_each()
  after_each(function()
    if workspace then workspace:remove() end
    workspace = nil
  end)

  for name, frames in pairs {
    ["is reset"] = { { { "content-length", "50" } }, frame(DATA, 0, 1, "abc") .. frame(RESET, 0, 1, "\0\0\0\2") },
    ["ends early"] = { { { "content-length", "50" } }, frame(DATA, END_STREAM, 1, "abc") },
    ["has two lengths"] = { { { "content-length", "3" }, { "content-length", "50" } }, frame(DATA, END_STREAM, 1, "abc") },
    ["has cut gzip"] = { { { "content-encoding", "gzip" } }, frame(DATA, END_STREAM, 1, "\x1f\x8b\8\0\0\0\0\0\0\3") },
  } do
    it("is an error over HTTP/2 where it " .. name, function()
      local answer = frame(SETTINGS, 0, 0, "") .. frame(HEADERS, END_HEADERS, 1, block(frames[1])) .. frames[2]
      server = serve(answer, true)
      local failure = failure_of(http.get, server.url, { http2 = true, timeout = 10 })
      assert.truthy(failure.type == "ConnectionReset" or failure.type == "InvalidResponse", failure.type)
      assert.equal(name == "has cut gzip", failure.message:find("compressed data do not end", 1, true) ~= nil)
    end)
  end

  it("is none over HTTP/2 where nothing is missing", function()
    local answer = frame(SETTINGS, 0, 0, "") .. frame(HEADERS, END_HEADERS, 1, block { { "content-length", "3" } })
    server = serve(answer .. frame(DATA, END_STREAM, 1, "abc"), true)
    assert.equal("abc", http.get(server.url, { http2 = true, timeout = 10 }).body)
  end)

  it("is an error of a model's operation, with its own words", function()
    workspace = Workspace.make()
    workspace:write("things.smithy", [[
$version: "2"
namespace example
use aws.protocols#restJson1
use smithy.waiters#waitable
@restJson1
service Things { version: "1" operations: [GetThing] }
@http(method: "GET", uri: "/thing")
@readonly
@waitable(ThingExists: { acceptors: [{ state: "success", matcher: { success: true } }] })
operation GetThing { output := { status: String } }
]])
    for fault, says in pairs {
      gziptrunc = "compressed data do not end",
      cltwofirst = "two values of Content%-Length",
      clchunkstwo = "the body has 20 bytes",
    } do
      server = serve(faults.faults[fault])
      local outcome = workspace:outcome { "run", "things.smithy", "ThingExists", "--endpoint", server.url,
        "--max-wait", "50s", "--max-attempts", "1" }
      assert.equal("InvalidResponse", (outcome.error or {}).type, outcome.message)
      assert.matches(says, outcome.error.message)
    end
  end)

  it("is judged by its lengths where there is no body, and by no coding", function()
    local head = "HTTP/1.1 200 OK\r\n%s\r\n\r\n"
    server = serve(head:format "Content-Length: 5\r\nContent-Length: 6")
    local failure = failure_of(http.head, server.url)
    assert.same({ "InvalidResponse", true }, { failure.type, failure.message:find("two values", 1, true) ~= nil })
    for _, status in ipairs { "200 OK", "204 No Content" } do
      server = serve(("HTTP/1.1 %s\r\nContent-Encoding: br\r\nContent-Length: 0\r\n\r\n"):format(status))
      assert.equal("", http.get(server.url).body)
    end
    server = serve(head:format "Content-Encoding: gzip\r\nContent-Length: 50")
    assert.equal(200, http.head(server.url).status)
  end)

  ---Every kind of acceptor that names no error of an answer which did not come whole.
  local kinds = [[
local http = require "bide.http"
local function waiter(matcher) return { acceptors = { { state = "success", matcher = matcher } } } end
return { Ask = {
  call = function(input) return http.get(input.url, { timeout = input.timeout }) end,
  waitable = {
    Succeeded = waiter { success = true }, Failed = waiter { success = false }, Found = waiter { status = 200 },
    Gone = waiter { status = 404 }, Missing = waiter { errorType = "NotFound" },
    Empty = waiter { output = { path = "status == null", comparator = "booleanEquals", expected = "true" } },
    Named = waiter { output = { path = "status", comparator = "stringEquals", expected = "success" } },
    Seen = waiter { lua = function(context) return context.output ~= nil end },
  },
} }]]
  local cut = {
    "midbody", "rstbody", "cllong", "cltwofirst", "clchunkstwo", "chunktrunc", "chunknoend", "chunklastcut", "chunkbad",
    "trailercut", "gzipbad", "gziptrunc", "gziptail", "gzipcrc", "gzipnothing", "gzipclose", "gzipchunkscut", "deflatecut",
    "deflaterawcut", "br", "zstd", "unkenc", "tegzip", "hangbody", "afterheader", "manyheaders",
  }
  local names = { "Succeeded", "Failed", "Found", "Gone", "Missing", "Empty", "Named", "Seen" }

  it("is a success of no acceptor that names no error", function()
    workspace = Workspace.make()
    workspace:write("kinds.lua", kinds)
    local servers, lines, asked = {}, {}, {}
    for _, fault in ipairs(cut) do
      local bytes = faults.faults[fault]
      servers[fault] = Server.start(nil, {
        raw = function(peer)
          if type(bytes) == "function" then return bytes(peer) end
          peer:write(bytes)
          peer:finish()
        end,
      })
      for _, name in ipairs(names) do
        asked[#asked + 1] = fault .. " by " .. name
        lines[#lines + 1] = ('{"recipe": "./kinds.lua", "waiter": %q, "input": {"url": %q, "timeout": %d}, "maxAttempts": 1}')
          :format(name, servers[fault].url, fault == "hangbody" and 1 or 30)
      end
    end
    workspace:write("waits.jsonl", table.concat(lines, "\n"))
    local fleet = workspace:outcome { "run", "--each", "waits.jsonl", "--max-wait", "50s" }
    for _, each in pairs(servers) do each:close() end
    for position, outcome in ipairs(fleet.outcomes) do
      assert.equal("failure", outcome.state, asked[position] .. ": " .. outcome.message)
      assert.equal(200, outcome.error.began, asked[position])
    end
    assert.equal(#cut * #names, #fleet.outcomes)
  end)

  it("has no status that could count beside one that is whole", function()
    server = serve "HTTP/1.1 404 Not Found\r\nContent-Length: 50\r\n\r\n{}"
    assert.same({ 404, nil }, { failure_of(http.get, server.url).began, failure_of(http.get, server.url).status })
    server:close()
    server = serve "HTTP/1.1 100 Continue\r\n\r\n"
    assert.is_nil(failure_of(http.get, server.url).began)
  end)

  ---What a service sends behind an answer must not be the answer to the next request.
  for name, first in pairs {
    ["a 204 with a body"] = "HTTP/1.1 204 No Content\r\n\r\n",
    ["a 304 with a body"] = "HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n",
    ["a length too small"] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ["chunks that have ended"] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  } do
    for how, later in pairs { ["at once"] = false, ["later"] = true } do
      it(("leaves no bytes for the next one: %s, %s"):format(name, how), function()
        local behind = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        local count = 0
        server = Server.start(nil, {
          raw = function(peer, received)
            peer.bytes = peer.bytes .. received
            if not peer.bytes:find("\r\n\r\n", 1, true) then return end
            peer.bytes = ""
            count = count + 1
            if count > 1 then return peer:write "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue" end
            peer:write(later and first or first .. behind)
            if later then peer:later(0.01, function() peer:write(behind) end) end
          end,
        })
        http.get(server.url)
        require("bide").sleep(0.05)
        assert.equal("true", http.get(server.url).body)
      end)
    end
  end
end)
