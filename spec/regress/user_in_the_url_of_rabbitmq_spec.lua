---RabbitMQ was asked as guest where the URL has a user: the defaults of user and password took its place.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local base64 = require "bide.base64"

describe("a wait for RabbitMQ", function()
  local workspace = Workspace.of_each()
  local server, seen

  after_each(function() server:close() end)

  it("asks as the user of the URL, unless another one is given", function()
    server = Server.start(function(request)
      seen = request.headers.authorization
      return { headers = { ["Content-Type"] = "application/json" },
        body = '[{"name":"a","running":true,"mem_alarm":false,"disk_free_alarm":false}]' }
    end)
    local place = server.url:match "^http://(.*)$"
    for words, user in pairs {
      [place] = "guest:guest",
      ["http://app:secret@" .. place] = "app:secret",
      ["http://app@" .. place .. " password=other"] = "app:other",
      [place .. " user=app"] = "app:guest",
      [place .. " user=app password=other"] = "app:other",
      ["http://app:secret@" .. place .. " user=one password=other"] = "one:other",
    } do
      local arguments = { "rabbitmq", "--max-wait", "50s", "--quiet" }
      for word in words:gmatch "%S+" do table.insert(arguments, word) end
      local done = workspace:bide(arguments)
      assert.equal(0, done.code, done.stdout .. done.stderr)
      assert.equal("Basic " .. base64.encode(user), seen, words)
    end
  end)
end)
