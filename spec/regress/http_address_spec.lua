---The recipe `http` did not read its address as the other recipes do: `8080/health` was a request to a host called 8080,
---and an address that can be none was an InvalidUrl after the first attempt, exit code 3, in place of a usage error. A
---file of authorities that holds no certificate was a TLS failure, with the advice to wait for a better certificate. A
---method that can be none was an InvalidRequest after the first attempt.

local Workspace = require "spec.support.workspace"
local Server = require "spec.support.server"

describe("the recipe http", function()
  local workspace = Workspace.of_block()

  local server = Server.of_block(function() return { body = "{}" } end)
  setup(function() workspace:write("notes.pem", "no certificate\n") end)

  it("takes a port for the address of this machine", function()
    workspace:bide({ "http", server.port .. "/health", "--max-wait", "50s", "--quiet" }):ends(0)
  end)

  local mistakes = {
    ["htp://localhost"] = 'url: expected a URL such as http://localhost:8080/health, found "htp://localhost"',
    ["localhost:port"] = 'url: expected a URL such as http://localhost:8080/health, found "localhost:port"',
    ["localhost:99999"] = 'url: expected a URL such as http://localhost:8080/health, with a port of 1 to 65535, found "'
      .. 'localhost:99999"',
    [""] = 'url: expected a text that is not empty, found an empty text',
    ["localhost method=GET,POST"] = 'method: expected a method, such as HEAD, found "GET,POST"',
    ["https://localhost ca=notes.pem"] = "ca: notes.pem: expected a certificate in PEM, found none",
    ["https://localhost certificate=notes.pem"] = "certificate: notes.pem: expected a certificate in PEM, found none",
    ["https://localhost key=notes.pem"] = "key: notes.pem: expected a private key in PEM, found none",
  }

  for words, mistake in pairs(mistakes) do
    it("refuses, before anything is sent, http '" .. words .. "'", function()
      local done = workspace:shell(('"$BIDE" http %s --max-wait 1s'):format(words == "" and "''" or words))
      assert.same({ 2, "bide: " .. mistake .. "\n" }, { done.code, done.stderr })
    end)
  end
end)
