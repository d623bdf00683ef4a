---The label selector by which the pods of an object are asked for.

local json = require("bide.core").json
local pods = require "bide.probe.kubernetes.pods"

---The selector of an object, and what the API is asked with; nil if it is not asked.
local rows = {
  { {}, nil }, { { matchLabels = {} }, nil }, { { matchExpressions = json.array {} }, nil }, { "app=web", nil },
  { { matchLabels = { app = "web" } }, "app=web" }, { { matchLabels = { tier = "a", app = "web" } }, "app=web,tier=a" },
  { { matchExpressions = { { key = "app", operator = "In", values = { "a", "b" } } } }, "app in (a,b)" },
  { { matchExpressions = { { key = "app", operator = "NotIn", values = { "a", "b" } } } }, "app notin (a,b)" },
  { { matchExpressions = { { key = "app", operator = "Exists" } } }, "app" },
  { { matchExpressions = { { key = "app", operator = "DoesNotExist" } } }, "!app" },
  { { matchLabels = { app = "web" }, matchExpressions = { { key = "canary", operator = "DoesNotExist" },
    { key = "tier", operator = "In", values = { "a" } } } }, "app=web,!canary,tier in (a)" },
  -- without a requirement, a selector finds the pods of others
  { { matchLabels = { app = "web" }, matchExpressions = { { key = "tier", operator = "Near" } } }, nil },
  { { matchLabels = { app = "web" }, matchExpressions = { { key = "tier" } } }, nil },
  { { matchLabels = { app = "web" }, matchExpressions = { { key = 5, operator = "Exists" } } }, nil },
  { { matchLabels = { app = "web" }, matchExpressions = { { key = "tier", operator = "In" } } }, nil },
  { { matchLabels = { app = "web" }, matchExpressions = { { key = "tier", operator = "NotIn", values = { "a", 5 } } } }, nil },
  { { matchLabels = { app = 5 } }, nil }, { { matchLabels = { app = json.null } }, nil },
  { { matchLabels = { app = "web" }, matchExpressions = "tier" }, nil }, { { matchLabels = "web" }, nil },
  { { matchLabels = "web", matchExpressions = { { key = "app", operator = "Exists" } } }, nil },
}

describe("the pods of an object", function()
  it("are found by all that its selector says, or not at all", function()
    for _, row in ipairs(rows) do
      local object = assert(json.document { spec = { selector = row[1] } })
      assert.equal(row[2], pods.selector(object), json.encode(row[1]))
    end
    assert.is_nil(pods.selector(assert(json.read "{}")))
  end)
end)
