---A recipe could set `Content-Length` and `Transfer-Encoding`. Where they contradict the body, what follows is a second request,
---which a server in front of several sites passes on to any of them: so a secret by name reached another site than its grant
---names. A header Host that `sign` added was not compared with the grants at all.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local http = require "bide.http"
local reach = require "bide.probe.asking.reach"

local smuggled = "GET /other HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n"

describe("the length of a request", function()
  local workspace = Workspace.of_each()
  local seen

  local server = Server.of_each(function()
    seen = seen + 1
    return { status = 200, body = "{}" }
  end)

  before_each(function() seen = 0 end)

  for _, header in ipairs { "Content-Length", "content-length", "TRANSFER-ENCODING" } do
    it("is not set by an input: " .. header, function()
      local words = { "run", "http", "url=" .. server.url, "body=x", "headers=" .. header .. ": 0", "--max-wait", "50s" }
      local done = workspace:bide(words)
      assert.equal(2, done.code)
      assert.equal(("bide: headers.%s: bide sets it by the body\n"):format(header), done.stderr)
      assert.equal(0, seen)
    end)

    for way, options in pairs {
      ["headers"] = ('headers = { ["%s"] = "0" }'):format(header),
      ["sign"] = ('sign = function() return { ["%s"] = "0" } end'):format(header),
    } do
      it(("is not set by a script: %s in %s"):format(header, way), function()
        workspace:write("thing.lua", ([[
          local http = require "bide.http"
          return { Thing = {
            call = function(input) return http.post(input.url, { body = "%s", %s }) end,
            waitable = { Ready = { acceptors = { { state = "success", matcher = { success = true } } } } },
          } }
        ]]):format(smuggled, options))
        local done = workspace:bide { "run", "./thing.lua", "url=" .. server.url, "--max-wait", "50s" }
        done:says(5, header .. ": bide sets it by the body")
        assert.equal(0, seen)
      end)
    end
  end

  it("is what the body has", function()
    assert.equal(200, http.post(server.url, { body = "four" }).status)
    assert.equal("4", server:last().headers["content-length"])
  end)

  it("goes to the host of a grant, whatever `sign` says", function()
    local check_name <const> = reach.check_name
    finally(function() reach.check_name = check_name end)
    reach.check_name = function(name)
      if name ~= "127.0.0.1" then error("the grants do not name " .. name, 0) end
    end
    local function signed(name)
      return http.get(server.url, { sign = function() return { host = name .. ":80" } end })
    end
    assert.has_error(function() signed "other.example" end, "the grants do not name other.example")
    assert.equal(0, seen)
    assert.equal(200, signed("127.0.0.1").status)
  end)
end)
