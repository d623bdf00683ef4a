---What was given twice counted once, and nobody said which: the last value of an input, of an option, and of a member in
---JSON that a person wrote. Every `failed` or `fail` that was lost so opened a gate.

local Workspace = require "spec.support.workspace"

describe("what is given twice", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.lua", [[
      return { GetThing = { call = function(input) return { name = input.name } end,
        input = { name = { type = "string", positional = 1 }, failed = { type = "list", of = { type = "string" } } },
        waitable = { ThingExists = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
    workspace:write("operation.lua", "return { GetThing = { call = function() return {} end } }")
    workspace:write("trait.json", '{"T":{"acceptors":[{"state":"failure","state":"success","matcher":{"success":true}}]}}')
    workspace:write("sound.json", '{"T":{"acceptors":[{"state":"success","matcher":{"success":true}}]}}')
    workspace:write("waiters.json", '{"T":{"acceptors":[]},\n "T":{"acceptors":[]}}')
    workspace:write("model.json", [[{"smithy":"2.0","shapes":{
      "a.b#Get":{"type":"operation","input":{"target":"a.b#In"},"input":{"target":"a.b#Out"}}}}]])
    workspace:write("waiters-2.json", [[{"version":2,"waiters":{"X":{"operation":"Get","delay":1,"maxAttempts":2,
      "maxAttempts":3,"acceptors":[{"matcher":"status","expected":200,"state":"success"}]}}}]])
    workspace:write("inputs.jsonl", '{"run":"exit 3","code":[0],"code":[3]}\n')
    workspace:write("list.jsonl", '{"recipe":"command","input":{"run":"true"},"fail":"a=b","fail":"a=c"}\n')
    workspace:write("list.json", '[{"recipe":"command","input":{"run":"true"},\n"until":"a","until":"b"}]')
    workspace:write("input.json", '{"run":"false","run":"true"}')
    workspace:write("answers.jsonl", '{"output":{"n":1}}\n{"output":1,"output":2}\n')
    workspace:write("deep.jsonl", '{"output":{"n":{"a":1,"a":2}}}\n')
  end)

  ---Each line, and what its mistake has to say.
  local mistakes = {
    -- inputs
    { "run things.lua failed=a failed=b", "failed is given twice" },
    { "run things.lua name=a name=b", "name is given twice" },
    { "run things.lua name:=1 name=b", "name is given twice" },
    { "run things.lua a name=b", "name is given already" },
    { "run things.lua name=b a", "name is given already" },
    { [[run things.lua --input '{"name":"a"}' --input '{}']], "--input is given twice" },
    { [[run things.lua --input '{"name":"a"}' name=b]], "name is given twice, here and in --input" },
    { [[run things.lua --input '{"name":"a"}' b]], "name is given already" },
    { "command false run=true", "run is given already" },
    { "file path=nope path=there", "path is given twice" },
    -- options
    { "command true --max-attempts 1 --max-attempts 2", "--max-attempts is given twice" },
    { "command true --max-attempts=1 --max-attempts 2", "--max-attempts is given twice" },
    { "command true --invert --invert", "--invert is given twice" },
    { "command true --max-wait 5s", "--max-wait is given twice" },
    { "command true --output json=a --output text=a", "--output: a is given twice: for --output json, and for --output text" },
    { "command true --fail a --fail-message b --fail-message c", "--fail-message is given twice" },
    { "command true --quiet -q", "-q is given twice" },
    { "command true --max-attempts 1 + command true --max-attempts 2 --max-attempts 3", "--max-attempts is given twice" },
    { "replay sound.json T answers.jsonl --seed 1 --seed 2", "--seed is given twice" },
    { "plan sound.json --seed 1 --seed 2", "--seed is given twice" },
    -- members of JSON
    { [[run things.lua name:='{"a":1,"a":2}']], 'name: the member "a" is given twice, at line 1, column 8' },
    { [[run things.lua --input '{"name":"a","name":"b"}']], '--input: the member "name" is given twice, at line 1, column 13' },
    { "command --input @input.json", 'the member "run" is given twice, at line 1, column 16' },
    { "run trait.json T --with operation.lua", 'trait.json:1:39: the member "state" is given twice' },
    { "run waiters.json T --with operation.lua", 'waiters.json:2:2: the member "T" is given twice' },
    { "run model.json", 'model.json:2:65: the member "input" is given twice' },
    { "run waiters-2.json --with operation.lua", 'waiters-2.json:2:7: the member "maxAttempts" is given twice' },
    { "command --each inputs.jsonl", 'inputs.jsonl:1:28: the member "code" is given twice' },
    { "run --each list.jsonl", 'list.jsonl:1:57: the member "fail" is given twice' },
    { "run list.json", 'list.json:2:13: the member "until" is given twice' },
    { "replay sound.json T answers.jsonl", 'answers.jsonl:2: column 13: the member "output" is given twice' },
    { "replay sound.json T deep.jsonl", 'the member "a" is given twice' },
    { [[http 127.0.0.1:1 json='{"a":1,"a":2}']], 'the member "a" is given twice' },
    { [[http 127.0.0.1:1 headers:='{"a":"1","a":"2"}']], 'headers: the member "a" is given twice' },
    -- what excludes each other
    { "command true code=0,3 failed=3", "failed: expected codes that code does not have, found 3" },
    { "http 127.0.0.1:1 path=a expect=b failed=b", 'failed: expected values other than that of expect, found "b"' },
    { "tcp 127.0.0.1:1 --invert --until x", "--invert and --until exclude each other" },
  }

  for _, case in ipairs(mistakes) do
    it("is a mistake: " .. case[1], function()
      local done = workspace:shell(('"$BIDE" %s --max-wait 2s'):format(case[1]))
      done:says(2, case[2])
      assert.equal("", done.stdout)
    end)
  end

  it("is an event of check", function()
    for _, file in ipairs { "trait.json", "model.json", "waiters-2.json" } do
      workspace:bide({ "check", file }):prints(1, "is given twice")
    end
  end)

  ---Lines that say a thing twice on two levels, or in a list.
  local fine = {
    "command true --max-attempts 1 + command true --max-attempts 2",
    "run --max-attempts 1 command true --max-attempts 2",
    "run --max-attempts 1 command true + command true --max-attempts 2",
    "command 'echo {}' --retry-on A --retry-on A",
    [[command true --input '{"timeout":1}']],
  }

  for _, line in ipairs(fine) do
    it("is none: " .. line, function()
      workspace:shell(('"$BIDE" %s --max-wait 2s'):format(line)):ends(0)
    end)
  end
end)
