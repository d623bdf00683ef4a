---JSON that Docker's API does not give ended `compose` as a bug of the recipe (exit code 5), or its project was gone where
---the list of containers was `[5]`. `docker` waited for it until the deadline, and ContainerGone took any page with the
---status 404 for Docker's word.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local lists = { "null", "{}", '"x"', "1", "true", "[null]", "[5]", "[[]]", "[{}]", '[{"Id":5}]', '[{"Id":"a"},5]', "" }

local containers = { "null", "{}", "[]", '"x"', "1", "[5]", '{"State":null}', '{"State":5}', '{"State":{}}',
  '{"State":{"Status":5}}', '{"State":{"Status":{}}}', '{"Name":"/web","State":"running"}', "" }

describe("an answer that Docker does not give", function()
  local workspace = Workspace.of_block()
  local socket, server, answers

  setup(function()
    socket = workspace.path .. "/docker.sock"
    server = Server.start(function(request)
      local answer = answers[request.path] or answers.other
      return { status = answer.status, headers = { ["Content-Type"] = "application/json" }, body = answer.body }
    end, { unix_socket = socket })
  end)

  teardown(function() server:close() end)

  local function check_error(recipe, waiter, name, text)
    local done = workspace:bide { "run", recipe, waiter, name, "socket=" .. socket, "--max-wait", "5s", "--quiet" }
    assert.equal(3, done.code, text .. ": " .. done.stdout .. done.stderr)
    assert.matches("error InvalidAnswer: this is not an answer of Docker", done.stdout .. done.stderr, 1, true)
  end

  for _, waiter in ipairs { "ProjectReady", "ProjectGone" } do
    it("is an error for " .. waiter, function()
      for _, text in ipairs(lists) do
        answers = { other = { body = text } }
        check_error("compose", waiter, "shop", text)
      end
      for _, text in ipairs(containers) do
        answers = { ["/containers/json"] = { body = '[{"Id":"a"}]' }, other = { body = text } }
        check_error("compose", waiter, "shop", text)
      end
    end)
  end

  for _, waiter in ipairs { "ContainerRunning", "ContainerHealthy", "ContainerExited", "ContainerGone" } do
    it("is an error for " .. waiter, function()
      for _, text in ipairs(containers) do
        answers = { other = { body = text } }
        check_error("docker", waiter, "db", text)
      end
    end)
  end

  it("is an error for ContainerGone, though it has the status 404", function()
    for _, text in ipairs { "<html>", "", "null", "[]", "404 page not found", '{"message":5}', '{"detail":"Not Found"}' } do
      answers = { other = { status = 404, body = text } }
      check_error("docker", "ContainerGone", "db", text)
    end
    answers = { other = { status = 404, body = json.encode { message = "No such container: db" } } }
    workspace:bide({ "run", "docker", "ContainerGone", "db", "socket=" .. socket, "--max-wait", "50s" }):ends(0)
  end)
end)
