---What no script reaches of src/base: spec/unit/base/checks.c.

describe("base", function()
  require("spec.support.checks").declare("base", it)
end)
