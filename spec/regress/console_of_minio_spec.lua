---MinIO's console answers every path with its page and the status 200, on a port of its own. The recipe took that for the
---answer of a healthy MinIO. Recorded from MinIO of 2026-02-12.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local page = { headers = { Server = "MinIO Console", ["Content-Type"] = "text/html" },
  body = '<!doctype html><html lang="en"><head><meta charset="utf-8"/><base href="/"/></head></html>' }

describe("MinIO's console", function()
  local workspace = Workspace.of_each()

  for _, waiter in ipairs { "MinioReady", "MinioReadable", "MinioLive" } do
    it("is not " .. waiter, function()
      local server = Server.start(function() return page end)
      local done = workspace:bide { "run", "minio", waiter, server.url, "--max-wait", "50s" }
      server:close()
      done:writes(3, "InvalidAnswer: this is not MinIO's API; has the console answered?")
    end)
  end
end)
