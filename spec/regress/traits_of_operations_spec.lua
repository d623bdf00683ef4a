---`bide check` accepted operations that refer to shapes of the wrong kind, and traits with values of the wrong form.

local check = require "bide.model.check.model"
local models = require "spec.support.models"

local HEAD = '$version: "2.0"\nnamespace a.b\n'

local function member(traits, target)
  return ("operation O { input := {\n%s\nm: %s\n} }"):format(traits, target or "String")
end

---a model; the event of Smithy's validators; a part of its message
local cases = {
  { "operation O { input: String }", "a.b#O Target", "an input: expected a structure, found smithy.api#String, of type string" },
  { "operation O { output: P }\noperation P {}", "a.b#O Target", "an output: expected a structure, found a.b#P" },
  { "operation O { errors: [String] }", "a.b#O Target", "an error: expected a structure" },
  { "operation O { errors: [E] }\nstructure E {}", "a.b#O Target", "with the trait @error, found a.b#E" },
  { "operation O { errors: [E] }\n@error(\"ok\")\nstructure E {}", "a.b#E Model", '@error: expected one of client, server' },
  { "service S { operations: [E] }\nstructure E {}", "a.b#S Target", "an element of operations: expected an operation" },
  { "service S { resources: [O] }\noperation O {}", "a.b#S Target", "an element of resources" },
  { "resource R { read: E }\nstructure E {}", "a.b#R Target", "read: expected an operation" },
  { "service S { errors: [O] }\noperation O {}", "a.b#S Target", "an error: expected a structure" },
  { member("", "O"), "a.b#OInput Target", "the member m: expected a shape of data, found a.b#O" },
  { member '@required("x")', "a.b#OInput Model", "@required: expected no value" },
  { member '@length("x")', "a.b#OInput Model", "@length: expected an object" },
  { member "@length(min: 1.5)", "a.b#OInput Model", "@length: expected a whole number as its member min" },
  { member "@length", "a.b#OInput Model", "@length: expected a min or a max" },
  { member "@length(min: 3, max: 2)", "a.b#OInput LengthTrait", "@length: expected a min that is not above the max" },
  { member('@range(min: "1")', "Integer"), "a.b#OInput Model", "@range: expected a number as its member min" },
  { member "@httpQuery", "a.b#OInput Model", "@httpQuery: expected a string" },
  { member("@timestampFormat(\"iso\")", "Timestamp"), "a.b#OInput TraitValue", "@timestampFormat: expected one of date-time" },
  { member('@default("x")', "Integer"), "a.b#OInput DefaultTrait", "@default: expected a number" },
  { "operation O { input := { m: Boolean = 1\n} }", "a.b#OInput DefaultTrait", "@default: expected a boolean" },
  { "operation O { input := { m: S } }\nstructure S { l: L }\nlist L { member: T }\n@sensitive(1)\nstring T", "a.b#T Model",
    "@sensitive: expected no value" },
  { '@http(method: "GET")\noperation O {}', "a.b#O Model", "uri: expected a path" },
  { '@http(method: 5, uri: "/")\noperation O {}', "a.b#O Model", "@http: expected a string as its member method" },
  { '@endpoint(prefix: "x")\noperation O {}', "a.b#O Model", "hostPrefix: expected labels" },
  { '@http("/")\noperation O {}', "a.b#O Model", "uri: expected a path" },
  { '@http(uri: "/")\noperation O {}', "a.b#O Model", "@http: expected an object with the member method" },
  { '@auth("x")\noperation O {}', "a.b#O Model", "@auth: expected a list of ids of schemes" },
  { '@httpApiKeyAuth(name: "x", in: "body")\nservice S {}', "a.b#S TraitValue", "expected one of header, query" },
  { '@suppress([1])\noperation O {}', "a.b#O Model", "@suppress: expected a list of strings" },
}

local right = {
  member '@required\n@length(min: 1, max: 1)\n@httpQuery("x")\n@sensitive\n@documentation("x")',
  member("@range(min: 1.5)", "Double"), "operation O { input := { m: Boolean = true\nn: Integer = null\nd: Document = []\n} }",
  'operation O { input: Unit, errors: [E] }\n@error("server")\n@httpError(500)\nstructure E {}',
  '@http(method: "GET", uri: "/", code: 200)\n@readonly\n@auth([])\noperation O {}\nservice S { operations: [O] }',
}

describe("bide check", function()
  for _, case in ipairs(cases) do
    it("refuses " .. case[1]:gsub("\n", " "), function()
      local opened = models.of_text(HEAD .. case[1] .. "\n")
      local events = check.check(opened)
      assert.equal("ERROR " .. case[2], models.events(events))
      assert.matches(case[3], events[1].message, 1, true)
      assert.is_true(events[1].line >= 3)
    end)
  end

  for _, text in ipairs(right) do
    it("accepts " .. text:gsub("\n", " "), function()
      assert.equal("", models.events(check.check(models.of_text(HEAD .. text .. "\n"))))
    end)
  end
end)
