---Answers by the documentation of the APIs of GitHub and GitLab, from a server of the spec's own.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

require "spec.support.proven"

describe("the recipe commit_checks", function()
  local workspace = Workspace.of_block()
  local handler, seen

  local server = Server.of_block(function(request)
    seen[#seen + 1] = request
    return handler(request)
  end)
  before_each(function() seen = {} end)

  local function answer(value, headers)
    return { body = json.encode(value), headers = { ["content-type"] = "application/json", table.unpack(headers or {}) } }
  end

  ---Serves the runs and statuses of GitHub. A run is a name and a conclusion, or a name and a status.
  local function github(runs, statuses)
    handler = function(request)
      local list = json.array {}
      if request.path:find "/check%-runs" then
        for position, run in ipairs(runs) do
          local is_over = not run[2]:find "^queued$" and not run[2]:find "^in_progress$"
          list[position] = {
            name = run[1], status = is_over and "completed" or run[2], conclusion = is_over and run[2] or json.null,
          }
        end
        return answer { total_count = #list, check_runs = list }
      end
      for position, status in ipairs(statuses or {}) do list[position] = { context = status[1], state = status[2] } end
      return answer { state = "pending", statuses = list, total_count = #list }
    end
  end

  local function run(...)
    local words = { "commit_checks", "acme/shop", "main", "url=" .. server.url, "--interval", "20ms", "--max-wait", "400ms", ... }
    if not table.concat(words, " "):find "names=" then words[#words + 1] = "names=build" end
    return workspace:outcome(words)
  end

  for _, row in ipairs {
    { "success", { { "build", "success" }, { "lint", "skipped" } }, nil, "names=build,lint" },
    { "success", { { "build", "success" } }, { { "ci/old", "success" } }, "names=build,ci/old" },
    { "maxWait", { { "build", "success" } }, nil, "names=build,test" },      -- has not begun
    { "maxWait", { { "build", "success" } }, nil, "least=2" }, { "maxWait", {}, nil, "least=1" },
    { "maxWait", { { "build", "success" }, { "test", "queued" } }, nil, "names=build" },
    { "maxWait", { { "build", "success" } }, { { "ci/old", "pending" } }, "names=build" },
    { "failure", { { "build", "queued" }, { "test", "failure" } }, nil, "names=build" },
    { "failure", { { "build", "success" }, { "build", "cancelled" } }, nil, "names=build" },
    { "failure", { { "build", "action_required" } }, nil, "least=1" },
    { "failure", { { "build", "success" } }, { { "ci/old", "error" } }, "names=build" },
    { "success", { { "build", "success" }, { "deploy", "in_progress" } }, nil, "names=build", "ignore=deploy" },
    { "maxWait", { { "build", "success" }, { "deploy", "success" } }, nil, "least=2", "ignore=deploy" },
    { "maxWait", { { "build", "some_new_word" } }, nil, "least=1" },
  } do
    it(("is %s: %s %s"):format(row[1], json.encode(row[2]), table.concat(row, " ", 4)), function()
      github(row[2], row[3])
      local outcome, done = run(row[4], row[5])
      assert.equal(row[1], outcome.reason == "maxWait" and "maxWait" or outcome.state, done.stderr)
    end)
  end

  it("names the checks that have failed, and asks as GitHub has it", function()
    github { { "test", "failure" }, { "lint", "timed_out" }, { "build", "success" } }
    local outcome, done = run("names=build", "bearer=t0ken")
    assert.equal(1, done.code)
    assert.matches(": lint, test$", outcome.message)
    assert.matches("^/repos/acme/shop/commits/main/check%-runs%?page=1&per_page=100$", seen[1].target)
    assert.equal("Bearer t0ken", seen[1].headers.authorization)
  end)

  it("reads all pages", function()
    handler = function(request)
      local list, page = json.array {}, tonumber(request.query:match "^page=(%d+)")
      if request.path:find "/status" then return answer { state = "success", statuses = list } end
      for number = 1, page == 1 and 100 or 3 do list[number] = { name = page .. "-" .. number, status = "completed",
        conclusion = "success" } end
      return answer { total_count = 103, check_runs = list }
    end
    assert.equal(103, run("names=2-3").output.count)
    assert.equal("success", run("names=1-1", "least=103").state)
    assert.equal("maxWait", run("names=1-1", "least=104").reason)
  end)

  it("waits for the quota, and for a commit that is not there yet", function()
    local count = 0
    handler = function()
      count = count + 1
      if count > 1 then return { status = 422, body = '{"message":"No commit found for SHA: main"}' } end
      return { status = 403, body = '{"message":"API rate limit exceeded"}',
        headers = { ["x-ratelimit-remaining"] = "0", ["x-ratelimit-reset"] = tostring(os.time() + 1) } }
    end
    local outcome = workspace:outcome { "commit_checks", "acme/shop", "main", "url=" .. server.url, "names=a", "--max-wait",
      "3s", "--interval", "20ms" }
    assert.equal("maxWait", outcome.reason)
    assert.equal("RateLimitExceeded", outcome.history[1].error.type)
    assert.is_true(outcome.history[1].delay >= 0.5)
    assert.equal("No commit found for SHA: main", outcome.error.message)
  end)

  it("fails where it may not look, and on answers of other programs", function()
    handler = function() return { status = 404, body = '{"message":"Not Found"}' } end
    local _, done = run "names=a"
    assert.equal(3, done.code)
    for _, body in ipairs { "{}", "[]", '{"total_count":1}', "<html>" } do
      handler = function() return { body = body } end
      _, done = run "names=a"
      assert.not_equal(0, done.code, body)
    end
  end)

  it("reads the statuses of GitLab", function()
    local statuses
    handler = function() return answer(json.array(statuses)) end
    local function state(...)
      local outcome = run("provider=gitlab", ...)
      return outcome.reason == "maxWait" and "maxWait" or outcome.state
    end
    statuses = { { name = "build", status = "success" }, { name = "flaky", status = "failed", allow_failure = true } }
    assert.equal("success", state "names=build")
    assert.matches("/projects/acme%2Fshop/repository/commits/main/statuses?", seen[1].target, 1, true)
    statuses = { { name = "build", status = "success" }, { name = "deploy", status = "manual", allow_failure = false } }
    assert.equal("maxWait", state "names=build")
    assert.equal("success", state("names=build", "ignore=deploy"))
    statuses = { { name = "build", status = "canceled" } }
    assert.equal("failure", state "names=build")
    statuses = {}
    assert.equal("maxWait", state "names=build")
  end)

  for words, mistake in pairs {
    ["acme/shop main"] = "names: ",
    ["acme/shop main names=a ignore=a"] = 'ignore: expected names that are not in names, found "a" in both',
    ["acme main names=a"] = "repository: ", ["acme/shop main names=a least=0"] = "least: ",
  } do
    it("refuses " .. words, function()
      local line = { "commit_checks", "--max-wait", "1s" }
      for word in words:gmatch "%S+" do line[#line + 1] = word end
      workspace:bide(line):says(2, mistake)
    end)
  end
end)
