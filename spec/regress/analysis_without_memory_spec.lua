---An analysis whose memory ran out called a function with an argument that it does not accept, as in avg('text'), which
---read beside it: spec/unit/jmespath/checks.c.

describe("the analysis", function()
  require("spec.support.checks").declare("jmespath", it)
end)
