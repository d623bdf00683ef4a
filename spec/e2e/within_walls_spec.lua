---What a sandboxed recipe is for goes on working behind the kernel's walls.

local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local make_certificates = require "spec.support.certificates"
local uv = require "luv"

local acceptors = "waitable = { Done = { minDelay = 0.05, maxDelay = 0.05, acceptors = { "
  .. "{ state = 'success', matcher = { success = true } } } } }"

describe("within the walls of --sandbox", function()
  local workspace = Workspace.of_each()
  local elsewhere = Workspace.of_each()
  local server = Server.of_each(function() return { body = '{"status": "ok"}' } end)

  ---Runs an operation whose body is `code` to a success, and returns its output.
  local function output_of(code, ...)
    workspace:write("recipe.lua", ("return { Op = { call = function(input) %s end, %s } }"):format(code, acceptors))
    local outcome, done = workspace:outcome { "run", "recipe.lua", "--sandbox=strict", "--max-wait", "50s", ... }
    assert.equal(0, done.code, done.stderr .. done.stdout)
    return outcome.output
  end

  it("names are resolved, by as many threads as there are names", function()
    local output = output_of(([[
      local bide, http = require "bide", require "bide.http"
      local tasks, count = {}, 0
      for i = 1, 60 do
        tasks[i] = bide.spawn(function()
          local ok, found = pcall(http.get, "http://localhost:%d/" .. i, { timeout = 8 })
          if ok and found:json().status == "ok" then count = count + 1 end
        end)
      end
      for i = 1, 60 do tasks[i]:join() end
      return { count = count }]]):format(server.port))
    assert.equal(60, output.count)
  end)

  it("certificates are checked against those of the system", function()
    local directory = Directory.make()
    make_certificates(directory)
    local nginx = Nginx.start(directory, [[ssl_certificate server.pem; ssl_certificate_key server.key;
      server { listen 127.0.0.1:PORT ssl; location / { return 200 '{}'; } }]])
    local output = output_of(([[
      local http, url = require "bide.http", "https://localhost:%d/"
      local ok, failure = pcall(http.get, url)
      return { ok = ok, type = failure.type, message = failure.message, open = http.get(url, { verify = false }).status }]])
      :format(nginx.port))
    nginx:stop()
    directory:remove()
    assert.same({ false, "TlsFailure", 200 }, { output.ok, output.type, output.open })
    assert.matches("issuer certificate", output.message)
  end)

  it("sockets of the network are opened", function()
    local echo = uv.new_udp()
    echo:bind("127.0.0.1", 0)
    echo:recv_start(function(_, bytes, from) if bytes then echo:send(bytes, from.ip, from.port) end end)
    local output = output_of(([[
      local bide = require "bide"
      bide.tcp { host = "localhost", port = %d }
      return { udp = bide.udp({ host = "127.0.0.1", port = %d, send = "hello", expect = "hello" }) ~= nil }]])
      :format(server.port, echo:getsockname().port))
    echo:close()
    assert.is_true(output.udp)
  end)

  it("modules beside the recipe, recipes of BIDE_PATH and files for --with elsewhere are read", function()
    elsewhere:write("named.lua",
      ("return { Op = { call = function(input) return require 'part'(input) end, %s } }"):format(acceptors))
    elsewhere:write("part.lua", "return function(input) return { name = input.name, zone = os.date '%Y' } end")
    local outcome, done = workspace:outcome({ "run", "named", "name=x", "--sandbox", "--max-wait", "50s" },
      { env = { BIDE_PATH = elsewhere.path } })
    assert.equal(0, done.code, done.stderr)
    assert.same({ name = "x", zone = os.date "%Y" }, outcome.output)
    workspace:write("trait.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    elsewhere:write("with.lua", "return { Op = function() return require 'part' { name = 'w' } end }")
    outcome = workspace:outcome { "run", "trait.json", "--with", elsewhere.path .. "/with.lua", "--sandbox", "--max-wait", "50s" }
    assert.equal("w", outcome.output.name)
  end)

  it("inputs of files elsewhere are read", function()
    local file = elsewhere:write("input.json", '{"name": "y"}')
    assert.equal("y", output_of("return input", "--input", "@" .. file).name)
    local lines = elsewhere:write("lines.jsonl", '{"name": "1"}\n{"name": "2"}\n')
    local done = workspace:bide { "run", "recipe.lua", "--each", lines, "--sandbox", "--max-wait", "9s", "--quiet" }
    assert.equal(0, done.code, done.stderr)
    local answers = elsewhere:write("answers.jsonl", '{"output": {"a": 1}}\n')
    done = workspace:bide { "replay", "recipe.lua", "Done", answers, "--sandbox", "--max-wait", "9s" }
    assert.equal(0, done.code, done.stderr)
    done = workspace:bide { "query", "output.a", answers, "--sandbox" }
    assert.equal("1\n", done.stdout, done.stderr)
    done = workspace:shell(('cat %s | "$BIDE" run recipe.lua --each - --sandbox --max-wait 9s --quiet'):format(lines))
    assert.equal(0, done.code, done.stderr)
  end)

  it("events are written elsewhere", function()
    output_of("return {}", "--events", elsewhere.path .. "/events.jsonl")
    local events = Workspace.decode_lines(elsewhere:read "events.jsonl")
    assert.equal("end", events[#events].event)
  end)

  it("a journal is kept, and a wait goes on where another process left it", function()
    local journal = elsewhere.path .. "/journal.db"
    local answers = 0
    server:close()
    server = Server.start(function()
      answers = answers + 1
      return { status = answers > 3 and 200 or 500, body = "{}" }
    end)
    workspace:write("recipe.lua", ([[return { Op = { call = function() return require "bide.http".get "http://127.0.0.1:%d/" end,
      waitable = { Done = { minDelay = 0.1, maxDelay = 0.1, acceptors = {
        { state = "success", matcher = { success = true } }, { state = "retry", matcher = { success = false } } } } } } }]])
      :format(server.port))
    local words = { "run", "recipe.lua", "--sandbox=strict", "--max-wait", "20s", "--journal", journal, "--verbose" }
    local first = workspace:start(words)
    first:wait_for_output "attempt 1"
    first:kill "sigkill"
    first:wait()
    words[#words + 1] = "--resume"
    workspace:bide(words):says(0, "continuing Done")
    assert.equal(0, workspace:bide({ "journal", "list", "--journal", journal }).code)
  end)
end)
