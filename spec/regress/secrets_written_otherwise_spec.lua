---A secret of an input was in recordings as bide itself writes it in a URL, and wherever a service sent it back in base64 or
---with the escapes of JSON, HTML or a URL.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local SECRET = 'correct+horse/battery&"staple'
local written = {
  "correct%2Bhorse%2Fbattery%26%22staple", 'correct+horse/battery&\\"staple', "correct+horse/battery&amp;&quot;staple",
  "Y29ycmVjdCtob3JzZS9iYXR0ZXJ5JiJzdGFwbGU", "bTpjb3JyZWN0K2hvcnNlL2JhdHRlcnkmInN0YXBsZQ",
}

local workspace = Workspace.of_each()

it("a secret is hidden however it is written", function()
  local server = Server.start(function()
    return { status = 403, headers = { ["Content-Type"] = "application/json" },
      body = core.json.encode { code = "Denied", message = "not one of " .. table.concat(written, ", ") } }
  end)
  workspace:write("ask.lua", [[
    local http = require "bide.http"
    return { Ask = { secret = { "phrase" }, call = function(input)
      return http.get(input.url, { query = { q = input.phrase } })
    end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
  ]])
  local done = workspace:bide { "run", "ask.lua", "url=" .. server.url, "phrase=" .. SECRET, "--max-wait", "1s", "--record",
    "record", "--events", "events", "--output", "json=outcome", "--output", "html=page", "--verbose" }
  assert.equal(3, done.code, done.stderr)
  assert.equal("/?q=" .. written[1], server.requests[1].target)
  server:close()
  for _, name in ipairs { "record", "events", "outcome", "page" } do
    local text = workspace:read(name)
    assert.matches("[redacted]", text, 1, true)
    for _, part in ipairs { "correct", "Y29ycmVjd", "JyZWN0K2" } do
      assert.is_nil(text:find(part, 1, true), name .. ": " .. text)
    end
  end
  assert.is_nil((done.stdout .. done.stderr):find("correct", 1, true))
end)
