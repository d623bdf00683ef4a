---A model whose sigv4 trait has a name that is not text ended its wait by a script error, with a traceback through bide; one
---with a slash or a line break in it was signed for.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local model = [[{ "smithy": "2.0", "shapes": {
  "x#Svc": { "type": "service", "version": "1", "operations": [{ "target": "x#Get" }],
    "traits": { "aws.protocols#restJson1": {}, "aws.auth#sigv4": { "name": %s } } },
  "x#Get": { "type": "operation", "output": { "target": "x#Out" }, "traits": {
    "smithy.api#http": { "method": "GET", "uri": "/" },
    "smithy.waiters#waitable": { "Up": { "acceptors": [ { "state": "success", "matcher":
      { "output": { "path": "state", "comparator": "stringEquals", "expected": "up" } } } ] } } } },
  "x#Out": { "type": "structure", "members": { "state": { "target": "smithy.api#String" } } } } }]]

describe("the name to sign for of a model", function()
  local workspace, server
  before_each(function()
    workspace, server = Workspace.make(), Server.start(function() return { body = '{"state": "up"}' } end)
  end)
  after_each(function()
    server:close()
    workspace:remove()
  end)

  local function run(name)
    workspace:write("model.json", model:format(json.encode(name)))
    return workspace:bide({ "run", "model.json", "--max-wait", "50s", "--quiet", "--endpoint", server.url }, { env = {
      HOME = workspace.path, AWS_REGION = "eu-west-1", AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "secret-of-nobody",
      AWS_EC2_METADATA_DISABLED = "true",
    } })
  end

  it("is signed for if it is a name", function()
    run("svc-1"):ends(0)
    assert.equal(1, #server.requests)
  end)

  for _, name in ipairs { 5, true, json.null, { "svc" }, { svc = "svc" }, "", "svc/aws4_request", "a b", "a\r\nX-Own: b" } do
    it("is refused before anything is sent: " .. json.encode(name), function()
      local done = run(name)
      assert.same({ 2, "", 0 }, { done.code, done.stdout, #server.requests }, done.stderr)
      assert.matches("^bide: waiter Up: the service Svc: sigv4: name: expected the name to sign for, found [^\n]*\n$",
        done.stderr)
    end)
  end
end)
