---What the allocation sweep runs bide on: commands that succeed while there is memory.

local Server = require "spec.support.server"
local TlsServer = require "spec.support.tls_server"
local certificates = require "spec.support.certificates"

local M = {}

---@class spec.Scenario
---@field name string
---@field words string[] of the command
---@field shows string a pattern of what it prints where it succeeds
---@field reset? fun() called before each run
---@field is_walled? boolean whether the kernel's walls stand, behind which nobody looks for leaks
---@field is_whole? fun(): boolean whether all else was done that a success stands for

local recipe = [[
local http = require "bide.http"
return {
  GetThing = {
    call = function(input) return http.get(input.endpoint .. "/things/" .. input.name) end,
    waitable = {
      ThingExists = {
        minDelay = 0.001, maxDelay = 0.002,
        acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
          { state = "failure", matcher = { output = { path = "tags[0]", comparator = "stringEquals", expected = "broken" } } },
          { state = "retry", matcher = { errorType = "NotFound" } },
        },
      },
      ThingGone = { acceptors = { { state = "success", matcher = { success = false } } } },
    },
  },
}
]]

local script = [[
local bide = require "bide"
local task = bide.spawn(function() bide.sleep(0.001) return bide.json.encode { a = { 1, 2 } } end)
assert(bide.exec({ "true" }).code == 0)
assert(#bide.dns("localhost").answers > 0)
print(task:join(), bide.jmespath("a[?b > `1`].b"):search { a = { { b = 1 }, { b = 2 } } }[1])
]]

---Answers the first request for a name with 404 and the next with "done"; for what is gone always with 404.
local function new_server()
  local server
  server = Server.start(function(request)
    server.asked = server.asked + 1
    if server.asked % 2 == 1 or request.path:find "^/gone" then
      return { status = 404, body = '{"message": "not there"}' }
    end
    return { body = '{"status": "done", "tags": ["a", "b"]}' }
  end)
  server.asked = 0
  return server
end

local function write_files(workspace)
  workspace:write("doc.json", '{"a": [{"b": 1, "c": ["x", null]}, {"b": 2.5}]}\n')
  workspace:write("things.lua", recipe)
  workspace:write("script.lua", script)
  workspace:write("answers.jsonl", '{"error": {"type": "NotFound", "status": 404}}\n'
    .. '{"output": {"status": "pending", "tags": ["x"]}, "duration": 0.2}\n{"output": {"status": "done"}}\n')
  local lines = {}
  for number = 1, 20 do lines[number] = ('{"name": "thing-%d"}\n'):format(number) end
  workspace:write("each.jsonl", table.concat(lines))
end

---@param workspace spec.Workspace
---@return spec.Scenario[]
function M.make(workspace)
  local server = new_server()
  local function run(waiter, ...)
    return { "run", "things.lua", waiter, "--max-wait", "2s", "--quiet", ... }
  end
  local function forget_requests() server.asked = 0 end
  local function was_asked() return server.asked > 0 end
  local function forget_journal()
    forget_requests()
    for _, suffix in ipairs { "", "-wal", "-shm", "-lock" } do os.remove(workspace.path .. "/waits.db" .. suffix) end
  end
  local function has_journal()
    return workspace:bide({ "journal", "list", "--journal", "waits.db" }).stdout:find " success .* ThingExists " ~= nil
  end
  local endpoint = "endpoint=" .. server.url
  write_files(workspace)
  certificates(workspace)
  local secure = TlsServer.start(workspace, { "-cert", "server.pem", "-key", "server.key", "-www", "-quiet" })
  return {
    { name = "query", words = { "query", "a[?b > `1`].{b: b, n: length(not_null(c, `[]`))}", "doc.json", "--compact" },
      shows = '^%[{"b":2.5,"n":0}%]\n$' },
    { name = "plan", words = { "plan", "things.lua", "ThingExists", "--max-wait", "10s", "--seed", "1" }, shows = "most" },
    { name = "list", words = { "list", "things.lua" }, shows = "ThingExists.*ThingGone" },
    { name = "replay", words = { "replay", "things.lua", "ThingExists", "answers.jsonl", "name=x", "--max-wait", "5m",
      "--seed", "1", "--quiet", "--output", "json" }, shows = '"state": "success".*"attempts": 3.*}\n$' },
    { name = "sandbox", words = { "replay", "things.lua", "ThingExists", "answers.jsonl", "--sandbox", "--max-wait", "5m",
      "--quiet" }, shows = "^ThingExists succeeded after 3 attempts", is_walled = true },
    { name = "exec", words = { "exec", "script.lua" }, shows = '^{"a":%[1,2%]}\t2\n$' },
    { name = "run", words = run("ThingExists", endpoint, "name=x", "--output", "json=outcome.json", "--", "echo", "it ran"),
      shows = "^it ran\n$", reset = forget_requests,
      is_whole = function() return was_asked() and workspace:read("outcome.json"):find '"state": "success"' ~= nil end },
    { name = "gone", words = run("ThingGone", endpoint .. "/gone", "name=x"), shows = "^ThingGone succeeded",
      reset = forget_requests, is_whole = was_asked },
    { name = "each", words = run("ThingExists", endpoint, "--each", "each.jsonl", "--jobs", "5"),
      shows = "20 of 20 waits succeeded", reset = forget_requests, is_whole = function() return server.asked > 19 end },
    { name = "journal", words = run("ThingExists", endpoint, "name=x", "--journal", "waits.db"),
      shows = "^ThingExists succeeded", reset = forget_journal, is_whole = has_journal },
    { name = "tls", words = { "run", "tls", "localhost:" .. secure.port, "ca=ca.pem", "--max-wait", "2s", "--quiet" },
      shows = "^CertificateValid succeeded" },
    { name = "mistrust", words = { "run", "tls", "CertificateInvalid", "localhost:" .. secure.port, "ca=client.pem",
      "--max-wait", "2s", "--quiet" }, shows = "^CertificateInvalid succeeded.*has no authority that is trusted" },
    { name = "https", words = { "http", "https://localhost:" .. secure.port .. "/", "ca=ca.pem", "--max-wait", "2s",
      "--quiet" }, shows = "succeeded" },
  }
end

return M
