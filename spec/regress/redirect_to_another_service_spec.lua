---A service that redirected to another host had that one's state: nginx was drained, and Vault active, by the page of another
---server.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local failure_of = require "spec.support.failure_of"
local http = require "bide.http"

local PAGE <const> = "Active connections: 1 \nserver accepts handled requests\n 9 9 9 \nReading: 0 Writing: 1 Waiting: 0\n"
local VECTOR <const> = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}'

---The words behind `bide`, a good answer, its type, and the answer to a second question by a part of its target.
local rows = {
  { "nginx", PAGE, "text/plain" },
  { "vault VaultActive", '{"initialized":true,"sealed":false,"standby":false}' },
  { "prometheus ResultFound query=up", VECTOR },
  { "elasticsearch DocumentsGone index=o", '{"count":0,"_shards":{"total":1,"successful":1,"failed":0}}',
    witness = "bide_witness", status = 400,
    body = '{"error":{"reason":"request [/o/_count] contains unrecognized parameter: [bide_witness]"}}' },
  { "rabbitmq QueueDrained queue=q", '{"items":[{"name":"q","vhost":"/","messages":0,"state":"running"}]}',
    witness = "name=%28%3F%21%29", body = '{"items":[],"filtered_count":0}' },
}

describe("a redirect", function()
  local workspace = Workspace.of_block()
  local host, good
  local second = Server.of_block(function(request)
    local is_witness = good.witness and request.target:find(good.witness, 1, true)
    if is_witness then return { status = good.status, body = good.body } end
    return { body = good[2], headers = { ["Content-Type"] = good[3] or "application/json" } }
  end)
  local first = Server.of_block(function(request)
    return { status = 307, headers = { Location = ("http://%s:%d%s"):format(host, second.port, request.target) } }
  end)

  for _, row in ipairs(rows) do
    it("to another host is no success of " .. row[1], function()
      good = row
      local words = {}
      for word in (row[1] .. " url=" .. first.url .. " --max-wait 50s --quiet"):gmatch "%S+" do words[#words + 1] = word end
      host = "127.0.0.1"
      local done = workspace:bide(words)
      assert.equal(0, done.code, done.stdout .. done.stderr)
      host = "localhost"
      done = workspace:bide(words)
      assert.equal(3, done.code, done.stdout .. done.stderr)
      assert.matches("RedirectRefused: the redirect %(307%) .* it leads to another host", done.stdout .. done.stderr)
    end)
  end

  it("is followed within a host where a script wants that", function()
    good, host = rows[1], "127.0.0.1"
    assert.equal(PAGE, http.get(first.url, { redirects = "host" }).body)
    host = "localhost"
    assert.equal("RedirectRefused", failure_of(http.get, first.url, { redirects = "host" }).type)
    assert.equal(PAGE, http.get(first.url).body)
  end)
end)
