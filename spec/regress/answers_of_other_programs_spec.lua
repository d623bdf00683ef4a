---JSON of another shape, as a gateway or another program gives it with the status 200, ended waits as a bug of the recipe
---(exit code 5), or was taken for an answer: a key of etcd was gone where the answer was `{}`.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local bodies = { "null", "[]", "{}", '"x"', "1", "true", "[null]", "[1]", "[[]]", '{"data":null}', '{"data":1}', '{"data":{}}',
  '{"data":{"resultType":"vector"}}', '{"data":{"resultType":"vector","result":5}}', '{"items":null}', '{"items":5}',
  '{"kvs":null}', '{"kvs":5}', '{"kvs":[5]}', '{"kvs":[{"value":5}]}', "" }

local waits = { { "etcd", "KeyExists", "key=/k" }, { "etcd", "KeyDeleted", "key=/k" },
  { "prometheus", "ResultFound", "query=up" }, { "prometheus", "ResultEmpty", "query=up" },
  { "rabbitmq", "QueueExists", "queue=q" }, { "rabbitmq", "QueueDrained", "queue=q" }, { "rabbitmq" } }

describe("an answer of another program", function()
  local workspace = Workspace.of_block()
  local body
  local server = Server.of_block(function()
    return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = body }
  end)

  for _, wait in ipairs(waits) do
    it("is an error for " .. table.concat(wait, " ", 1, math.min(#wait, 2)), function()
      for _, text in ipairs(bodies) do
        body = text
        local done = workspace:bide { "run", "--max-wait", "50s", "--quiet", wait[1], wait[2] or "url=127.0.0.1:" .. server.port,
          wait[2] and "url=127.0.0.1:" .. server.port, wait[3] }
        assert.equal(3, done.code, text .. ": " .. done.stdout .. done.stderr)
        assert.matches("error InvalidAnswer: this is not an answer of", done.stdout .. done.stderr, 1, true)
      end
    end)
  end
end)
