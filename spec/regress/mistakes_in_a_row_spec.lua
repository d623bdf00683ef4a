---A mistake in a whole statement of the IDL hid the statement after it, with its mistakes and its shape.

local model = require "bide.model"

describe("a file of the IDL", function()
  it("has every mistake of statements that follow each other", function()
    local text = '$version: "2.0"\nnamespace a.b\n'
      .. "list L {}\nmap M { key: String }\nenum E {}\n"
      .. "@x\nstructure S { e: E, t: T }\nstructure T {}\n"
    local opened = model.of_texts { { file = "m.smithy", text = text } }
    assert.equal([[
m.smithy:3:6: the list L has no member member
m.smithy:4:5: the map M has no member value
m.smithy:5:6: the enum E has no member
m.smithy:7:15: a.b#S: there is no shape a.b#E, did you mean a.b#S?]], model.describe_all(opened.problems))
  end)
end)
