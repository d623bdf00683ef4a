---Endpoint rules of another form than Smithy's were a script error, with a place within bide, or followed: conditions that
---are a text were taken for conditions that hold.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

describe("a model whose endpoint rules are broken", function()
  local workspace = Workspace.of_each()

  local function model_of(rules, parameters)
    local waiter = { acceptors = { { state = "success", matcher = { success = true } } } }
    local operation = { type = "operation", traits = {
      ["smithy.api#http"] = { method = "GET", uri = "/x", code = 200 }, ["smithy.waiters#waitable"] = { Done = waiter } } }
    local service = { type = "service", version = "1", operations = { { target = "a.b#Get" } }, traits = {
      ["aws.protocols#restJson1"] = {},
      ["smithy.rules#endpointRuleSet"] = { version = "1.0", parameters = parameters or {}, rules = rules } } }
    return json.encode { smithy = "2.0", shapes = { ["a.b#T"] = service, ["a.b#Get"] = operation } }
  end

  local function mistake_of(...)
    workspace:write("model.json", model_of(...))
    local done = workspace:bide({ "run", "model.json", "Done", "--max-wait", "50s", "--max-attempts", "1", "--quiet" },
      { env = { AWS_REGION = "eu-west-1", AWS_EC2_METADATA_DISABLED = "true", AWS_PROFILE = false, AWS_CONFIG_FILE = false } })
    assert.equal(2, done.code, done.stderr)
    assert.not_matches("[bide]", done.stderr, 1, true)
    return done.stderr
  end

  local URL = "https://127.0.0.1:1"

  ---A rule that leads to an endpoint, with members that replace its own.
  local function rule(endpoint, conditions)
    return { { type = "endpoint", conditions = conditions or json.array {}, endpoint = endpoint } }
  end

  local function condition(name, ...)
    return { { fn = name, argv = json.array { ... } } }
  end

  it("is a mistake in the model, which says what is wrong", function()
    for words, rules in pairs {
      ["url: expected a string, found 5"] = rule { url = 5 },
      ["headers: expected a table, found \"x\""] = rule { url = URL, headers = "x" },
      ["properties: expected a table, found \"x\""] = rule { url = URL, properties = "x" },
      ["endpoint: expected a table, found \"x\""] = rule "x",
      ["conditions: expected a table, found \"x\""] = rule({ url = URL }, "x"),
      ["conditions: expected a table, found nothing"] = { { endpoint = { url = URL } } },
      ["a rule: expected a table, found \"x\""] = { "x" },
      ["rules: expected a table, found nothing"] = { { type = "tree", conditions = json.array {} } },
      ["error: expected a string, found 5"] = { { type = "error", conditions = json.array {}, error = 5 } },
      ['unknown function "os.execute"'] = rule({ url = URL }, condition("os.execute", "id")),
      ["attempt to compare number with string"] = rule({ url = URL }, condition("substring", "abc", "x", "y", false)),
      ['no value for "Gone"'] = rule { url = "https://{Gone}" },
    } do
      assert.matches("the model is broken: endpoint rules: ", mistake_of(rules), 1, true)
      assert.matches(words, mistake_of(rules), 1, true)
    end
    assert.matches("the model is broken: endpoint rules: ", mistake_of(rule { url = URL }, 5), 1, true)
  end)

  it("is one if a header has no list of texts", function()
    for _, value in ipairs { "x", { { "x" } }, { true } } do
      local mistake = mistake_of(rule { url = URL, headers = { ["X-A"] = value } })
      assert.matches('the header "X-A": expected a list of texts', mistake, 1, true)
    end
  end)
end)
