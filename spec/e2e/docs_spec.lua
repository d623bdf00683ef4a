---Every example of the pages does what the page says it does.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local core = require "bide.core"
local document = require "spec.support.document"
local process = require "spec.support.process"
local uv = require "luv"

require "bide"

---The service that the examples talk to, at http://localhost:8080.
local function new_service()
  local asked = {}
  local function times(path)
    asked[path] = (asked[path] or 0) + 1
    return asked[path]
  end
  local function answer(value) return { body = core.json.encode(value), headers = { ["Content-Type"] = "application/json" } } end
  local routes = {
    ["/health"] = function() return { body = "" } end,
    ["/echo"] = function(request) return answer { method = request.method } end,
    ["/things/foo"] = function(request)
      local count = times(request.path)
      if count == 1 then return { status = 404, body = '{"message": "no such thing"}' } end
      return answer { status = count == 2 and "pending" or "success" }
    end,
    ["/jobs/1"] = function(request)
      return times(request.path) % 2 == 1 and { status = 503 } or answer { state = "done" }
    end,
    ["/instances"] = function(request)
      local input, count = core.json.decode(request.body), times(request.body)
      if count == 1 then return { status = 503 } end
      return answer { State = count == 2 and "pending" or "running", ClientToken = input.ClientToken }
    end,
    ["/jobs/2"] = function() return answer { state = "failed", reason = "disk full" } end,
  }
  return function(request)
    local route = routes[request.path]
    return route and route(request) or { status = 404 }
  end
end

local instances = [[{"Reservations": [{"Instances": [{"State": {"Name": "running"}}, {"State": {"Name": "pending"}}]}]}]]

---Times and jitter differ from run to run: numbers are compared as numbers only.
local function without_numbers(text)
  return (text:gsub("%d+%.?%d*", "N"))
end

for _, page in ipairs { "README.md", "docs/scripting.md", "docs/jmespath.md", "docs/secrets.md" } do
  describe(page, function()
    local files, examples = document.read(page)
    local directory, server

    setup(function()
      directory = Directory.make()
      server = Server.start(new_service())
      for name, text in pairs(files) do
        directory:write(name, (text:gsub("http://localhost:8080", server.url)))
      end
      directory:write("instances.json", instances)
      for _, example in ipairs(examples) do
        if example.command:find("^cat ") then directory:write(example.command:match("^cat (%S+)"), example.output) end
      end
    end)

    teardown(function()
      server:close()
      directory:remove()
    end)

    it("has examples", function() assert.is_true(#examples > 0 and next(files) ~= nil) end)

    for _, example in ipairs(examples) do
      it("$ " .. example.command, function()
        local command = example.command:gsub("http://localhost:8080", server.url)
        local folder = uv.fs_realpath(process.bide):match("^(.*)/")
        local done = process.run({ "sh", "-c", 'PATH="$BIDE_FOLDER:$PATH"; ' .. command .. " 2>&1" }, {
          cwd = directory.path, env = { BIDE_FOLDER = folder }, tool = true,
        })
        assert.equal(without_numbers(example.output), without_numbers(done.stdout))
        assert.equal(example.code, done.code)
      end)
    end
  end)
end
