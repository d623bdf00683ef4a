---An error of bide itself, or of a wrong use of it, counted as an answer of the service: a waiter with `success = false`
---succeeded where there were no credentials, and COMMAND ran.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local recipe = [[
local bide = require "bide"
local ways = {
  NoCredentials = function() return require("bide.kubernetes").get("api/v1", "pods", { name = "web", kubeconfig = "./none" }) end,
  InvalidUrl = function() return require("bide.http").get "http://[" end,
  InvalidAddress = function() return require("bide.tcp")({ host = "", port = 1 }) end,
  InvalidName = function() return require("bide.dns") "" end,
  ProgramNotFound = function() return require("bide.exec") { "./no-such-program" } end,
  TaskCancelled = function()
    local task = bide.spawn(function() bide.sleep(60) end)
    task:cancel()
    task:join()
  end,
  ConnectionRefused = function() error { type = "ConnectionRefused" } end,
  NoSuchThing = function() error { type = "NoSuchThing", status = 404 } end,
}
local function waiter(...) return { minDelay = 0.01, maxDelay = 0.01, acceptors = { ... } } end
return { Ask = {
  input = { how = { type = "string", required = true } },
  call = function(input)
    local way = ways[input.how]
    if way then way() end
    error { type = input.how }
  end,
  waitable = {
    Gone = waiter({ state = "success", matcher = { success = false } }),
    Named = waiter({ state = "success", matcher = { errorType = "NoCredentials" } }),
    Lost = waiter({ state = "failure", matcher = { success = false } }, { state = "success", matcher = { success = true } }),
    Asked = waiter({ state = "retry", matcher = { success = false } }, { state = "success", matcher = { success = true } }),
  },
} }]]

describe("an error of bide's own", function()
  local workspace = Workspace.of_block { ["ask.lua"] = recipe }

  local function run(waiter, how, ...)
    return workspace:bide { "run", "./ask.lua", waiter, "how=" .. how, "--max-wait", "50s", ... }
  end

  local raised = { "NoCredentials", "InvalidUrl", "InvalidAddress", "InvalidName", "ProgramNotFound", "TaskCancelled" }
  for _, how in ipairs(raised) do
    it("is no success by success = false: " .. how, function()
      local done = run("Gone", how, "--", "echo", "COMMAND")
      assert.same({ 3, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("error " .. how, done.stderr, 1, true)
    end)
  end

  it("decides as before where an acceptor names it, or is for a retry or a failure", function()
    assert.equal(0, run("Named", "NoCredentials").code)
    assert.equal(1, run("Lost", "NoCredentials").code)
    assert.equal(4, run("Asked", "NoCredentials", "--max-attempts", "3").code)
  end)

  it("is told from an answer, and from a service that cannot be reached", function()
    for _, how in ipairs { "ConnectionRefused", "NoSuchThing" } do
      assert.equal(0, run("Gone", how, "--", "true").code, how)
    end
  end)

  it("is of a type that the page of errors lists", function()
    local error_class = require "bide.error_class"
    local file <close> = assert(io.open "docs/reference/errors.md")
    local own = assert(file:read("a"):match "%*bide, or its use%*.-every error of")
    local count = 0
    for name in own:gmatch "`(%u%w+)`" do
      assert.is_true(error_class.is_own { type = name }, name)
      assert.is_false(error_class.is_own { type = name, status = 400 }, name)
      count = count + 1
    end
    assert.equal(19, count)
    assert.is_false(error_class.is_own { type = "TlsFailure" })
  end)

  it("is none in a replay either", function()
    local gone = { { state = "success", matcher = { success = false } } }
    local own = workspace:replay_of(gone, { '{"error": {"type": "NoCredentials"}}' }, "--max-wait", "5s")
    assert.equal(3, workspace:bide(own).code)
    local line = json.encode { error = { type = "InvalidInput", status = 400 } }
    local answer = workspace:replay_of(gone, { line }, "--max-wait", "5s")
    assert.equal(0, workspace:bide(answer).code)
  end)
end)
