---A waiter of a model whose success is an absence succeeded at once, without a word, for a name that was misspelt or that is
---in another region. It still does, as the model says, but a warning says that nothing was ever seen.

local absences = require "bide.wait.absences"
local bide = require "bide"
local core = require "bide.core"
local data = require "bide.model.aws.data"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local json = core.json
local empty = json.array {}
local typed = { ["Content-Type"] = "application/x-amz-json-1.0" }

---The beginning of the warning.
local function unseen(waiter)
  return waiter .. ": no attempt has seen it: it was gone before this wait, or its name, region or account is wrong"
end

local function gone(name)
  return { error = { type = name, message = "no such thing", status = 400 } }
end

local throttled = { error = { type = "ThrottlingException", message = "slow down", status = 400 } }
local table_there = { output = { Table = { TableStatus = "DELETING" } } }
local instances_there = { output = { DBInstances = { { DBInstanceStatus = "deleting" } } } }
local no_instances = { output = { DBInstances = empty } }

---A service, its waiter, answers one after the other, whether nothing was seen, and further words.
local rows = {
  { "dynamodb", "TableNotExists", { gone "ResourceNotFoundException" }, true, "TableName=shop" },
  { "dynamodb", "TableNotExists", { throttled, gone "ResourceNotFoundException" }, true, "TableName=shop", "--tolerate", "3" },
  { "dynamodb", "TableNotExists", { gone "ResourceNotFoundException" }, true, "TableName=shop", "--hold", "3" },
  { "dynamodb", "TableNotExists", { table_there, gone "ResourceNotFoundException" }, false, "TableName=shop" },
  { "dynamodb", "TableNotExists", { table_there, throttled, gone "ResourceNotFoundException" }, false, "TableName=shop",
    "--tolerate", "3" },
  { "cloudformation", "StackDeleteComplete", { gone "ValidationError" }, true, "StackName=web" },
  { "cloudformation", "StackDeleteComplete", { { output = { Stacks = { { StackStatus = "DELETE_COMPLETE" } } } } }, false,
    "StackName=web" },
  { "rds", "DBInstanceDeleted", { no_instances }, true, "DBInstanceIdentifier=shop" },
  { "rds", "DBInstanceDeleted", { no_instances }, true, "DBInstanceIdentifier=shop", "--hold", "2" },
  { "rds", "DBInstanceDeleted", { instances_there, no_instances }, false, "DBInstanceIdentifier=shop" },
  { "rds", "DBInstanceDeleted", { instances_there, gone "DBInstanceNotFound" }, false, "DBInstanceIdentifier=shop" },
  { "rds", "DBInstanceDeleted", { no_instances }, false, "DBInstanceIdentifier=shop", "--until", "length(DBInstances) == `0`" },
  { "s3", "BucketExists", { { error = { type = "Forbidden", message = "no", status = 403 } } }, false, "Bucket=things" },
  { "s3", "BucketNotExists", { { error = { type = "NotFound", message = "no", status = 404 } } }, true, "Bucket=things" },
}

describe("a success of something that is gone", function()
  local workspace = Workspace.of_block()

  for number, row in ipairs(rows) do
    it(("is %s, row %d of %s"):format(row[4] and "warned of" or "as usual", number, row[2]), function()
      local lines = {}
      for position, answer in ipairs(row[3]) do lines[position] = json.encode(answer) end
      workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
      local done = workspace:bide { "replay", "aws:" .. row[1], row[2], "answers.jsonl", "--max-wait", "1h", "--quiet",
        "--output", "json", table.unpack(row, 5) }
      local outcome = json.decode(done.stdout)
      assert.same({ 0, "success" }, { done.code, outcome.state }, done.stderr)
      local warning = outcome.warnings and table.concat(outcome.warnings, "\n") or ""
      assert.equal(row[4] and unseen(row[2]) .. "; to tell these apart, ask before it is deleted" or "", warning)
    end)
  end

  it("names the host that was asked, before COMMAND begins", function()
    local server = Server.start(function()
      return { status = 400, headers = typed, body = '{"__type":"ResourceNotFoundException","message":"no table"}' }
    end)
    local done = workspace:bide { "aws", "dynamodb", "table-not-exists", "TableName=shop", "--endpoint", server.url,
      "--region", "eu-west-1", "--no-sign-request", "--max-wait", "1m", "--quiet", "--", "sh", "-c", "echo started >&2" }
    server:close()
    assert.equal(0, done.code, done.stderr)
    local warning = done.stderr:find(unseen "TableNotExists" .. " (asked: 127.0.0.1); ", 1, true)
    local started = done.stderr:find("\nstarted", 1, true)
    assert.is_true(warning and started and warning < started, done.stderr)
  end)

  it("is shown with the waiter", function()
    for waiter, is_shown in pairs { TableNotExists = true, TableExists = false } do
      local text = workspace:bide({ "show", "aws:dynamodb", waiter }).stdout
      assert.equal(is_shown, text:find("warned of where no attempt has seen the thing itself", 1, true) ~= nil, text)
    end
  end)

  it("is warned of in a step that is the first, and in no later one, which does not know what was seen", function()
    local asked = 0
    local server = Server.start(function()
      asked = asked + 1
      local there = asked == 2
      return { status = there and 200 or 400, headers = typed,
        body = there and '{"Table":{"TableStatus":"DELETING"}}' or '{"__type":"ResourceNotFoundException","message":"no"}' }
    end)
    local function step(...)
      return workspace:bide { "step", "aws:dynamodb", "TableNotExists", "TableName=shop", "--endpoint", server.url, "--region",
        "eu-west-1", "--no-sign-request", "--max-wait", "1m", "--interval", "1ms", "--quiet", ... }
    end
    local first = step("--state", "a.json", "--begin")
    assert.same({ 0, 1 }, { first.code, #json.decode(first.stdout).outcome.warnings }, first.stderr)
    assert.equal(75, step("--state", "b.json", "--begin").code)
    local last = step("--state", "b.json")
    server:close()
    assert.same({ 0 }, { last.code, json.decode(last.stdout).outcome.warnings }, last.stderr)
  end)
end)

---The answers by which a success says that something is gone: an error of its type or its status, or lists without elements.
local function absence_of(waiter, acceptor)
  local matcher = acceptor.matcher
  if matcher.errorType then return { error = { type = matcher.errorType, status = 400 } } end
  if matcher.status == 404 then return { error = { type = "NotFound", status = 404 } } end
  local path = matcher.output and matcher.output.path
  local list = path and path:match "^length%((%w+)[%[%]]*%)"
  local is_for_none = list and (path:find "== `0`" or matcher.output.expected == "false")
  return is_for_none and not waiter.found and { output = { [list] = empty } } or nil
end

describe("a waiter of AWS", function()
  it("that succeeds by an absence warns of one that it has not seen", function()
    local seen = 0
    for _, service in ipairs(data.names()) do
      local recipe = assert(bide.load("aws:" .. service))
      for _, name in ipairs(recipe.names) do
        local waiter = recipe.waiters[name]
        local is_warned_of = absences.are_warned_of(waiter)
        for _, acceptor in ipairs(waiter.acceptors) do
          local answer = acceptor.state == "success" and absence_of(waiter, acceptor)
          if answer then
            waiter.inputs, waiter.read_input, waiter.check = nil, nil, nil
            waiter.call = function()
              if answer.error then error(answer.error, 0) end
              return answer.output
            end
            local outcome = waiter:wait({}, { maxWait = 3600, maxAttempts = 1 })
            local words = ("%s %s: %s"):format(service, name, core.json.encode(acceptor.matcher))
            assert(outcome, words)
            assert.is_true(is_warned_of, words)
            assert.equal(unseen(name), outcome.warnings and outcome.warnings[1]:sub(1, #unseen(name)), words)
            seen = seen + 1
          end
        end
      end
    end
    assert.is_true(seen >= 76, seen)
  end)
end)
