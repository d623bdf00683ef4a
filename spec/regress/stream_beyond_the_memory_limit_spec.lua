---A stream whose answer takes more memory than scripts may have ended its task only if the script did not catch the error:
---one that did was believed, whatever it said then.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local recipe = [[
local http = require "bide.http"
return { Get = {
  call = function()
    local ok = pcall(function()
      local stream <close> = http.stream { url = "%s" }
      repeat until not stream:read()
    end)
    return { state = "up", ok = ok }
  end,
  waitable = { Up = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "up" } } },
  } } },
} }]]

---A mebibyte of the letter x, once or often, as members of gzip: a few kilobytes for each.
local function compressed(workspace, count)
  workspace:write("x", ("x"):rep(1 << 20))
  local packed = process.run({ "gzip", "-9c", "x" }, { cwd = workspace.path }).stdout
  return packed:rep(count)
end

describe("a stream beyond the memory limit of scripts", function()
  if process.is_sanitized then return end -- no limit of memory is kept then

  for _, row in ipairs { { "ends the wait, though the script catches its error", 256, 5 }, { "is another's", 1, 0 } } do
    it(row[1], function()
      local workspace = Workspace.make()
      local body = compressed(workspace, row[2])
      local server = Server.start(function()
        return { headers = { ["Content-Encoding"] = "gzip" }, body = body }
      end)
      workspace:write("stream.lua", recipe:format(server.url))
      local outcome, done = workspace:outcome { "run", "stream.lua", "--max-wait", "20s", "--memory", "15M" }
      server:close()
      workspace:remove()
      assert.equal(row[3], done.code, done.stderr)
      if row[3] == 5 then assert.matches("memory limit exceeded", outcome.message, 1, true) end
    end)
  end
end)
