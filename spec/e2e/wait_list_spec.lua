---Lists of waits: `bide run waits.json`, `bide run waits.yaml`, `bide run waits.lua`, and `--each FILE` without a recipe.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"

local recipe = [[
local function acceptor(state, name, expected)
  return { state = state, name = name, matcher = { output = {
    path = "state", comparator = "stringEquals", expected = expected,
  } } }
end
return {
  GetThing = {
    call = function(input)
      if input.missing then error { type = "NotFound" } end
      return input
    end,
    waitable = { ThingDone = { minDelay = 0.02, maxDelay = 0.02, acceptors = {
      acceptor("success", "Done", "done"), acceptor("failure", "Broken", "failed"),
    } } },
  },
}
]]

local declared = [[
return { Ask = { input = { port = { type = "integer", required = true } }, call = function(input) return input end,
  waitable = { Asked = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("a list of waits", function()
  local workspace = Workspace.of_each()

  before_each(function()
    require("luv").fs_mkdir(workspace.path .. "/lists", 448)
    workspace:write("lists/things.lua", recipe)
    workspace:write("lists/ports.lua", declared)
    workspace:write("lists/lists.json", "[{}]")
  end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  local done = '{"recipe": "./things.lua", "input": {"state": "done"}'

  ---Runs entries in each of the three forms; in JSON an entry is on the line of its number.
  local function run(form, entries, ...)
    local file, words = "lists/waits.json", { "run" }
    if form == "lines" then
      file = "lists/waits.jsonl"
      workspace:write(file, table.concat(entries, "\n"))
      words[2] = "--each"
    elseif form == "json" then
      workspace:write(file, "[" .. table.concat(entries, ",\n") .. "]")
    else
      file = "lists/waits.lua"
      local text = ("return require('bide').json.decode [=[[%s]]=]"):format(table.concat(entries, ","))
      workspace:write(file, text)
    end
    words[#words + 1] = file
    local result = workspace:bide(table.move({ "--max-wait", "5s", "--quiet", ... }, 1, select("#", ...) + 3, #words + 1, words))
    return result, result.stdout:find "^{" and core.json.decode(result.stdout) or nil
  end

  describe("as YAML", function()
    local function run_yaml(text, ...)
      workspace:write("lists/waits.yaml", text)
      return workspace:bide { "run", "lists/waits.yaml", "--max-wait", "5s", "--quiet", ... }
    end

    it("is run as the same list in JSON", function()
      local result = run_yaml([[
# two waits
- &first
  name: api
  recipe: ./things.lua
  waiter: ThingDone
  input: &input {state: done, count: 3, none: ~, empty: {}, list: [], text: "3"}
- {recipe: things.lua, input: *input, maxAttempts: 2, maxDelay: 50ms}
]], "--output", "json")
      assert.equal(0, result.code, result.stderr)
      local fleet = core.json.decode(result.stdout)
      assert.same({ "api", "things#2" }, { fleet.outcomes[1].branch, fleet.outcomes[2].branch })
      local written = core.json.encode(fleet.outcomes[2].input)
      assert.equal('{"count":3,"empty":{},"list":[],"none":null,"state":"done","text":"3"}', written)
    end)

    for text, words in pairs {
      ["- {recipe: things.lua}\n- {recipe: things.lua, waitr: x}\n"] = "lists/waits.yaml:2: waitr: unknown member",
      ["- {recipe: things.lua, maxAttempts: x}\n"] = "lists/waits.yaml:1: --max-attempts: expected a whole number",
      ["- {recipe: things.lua, recipe: x}"] = 'waits.yaml: line 1, column 24: the name "recipe" is there twice',
      ["- !!map {recipe: things.lua}"] = "expected a value without a tag",
      ["- {recipe: things.lua}\n---\n- {}\n"] = "expected one document, found another one",
      ["- &a {recipe: things.lua}\n- {<<: *a}\n"] = "lists/waits.yaml:2: <<: unknown member",
      ["waits:\n- recipe: things.lua\n"] = "lists/waits.yaml: expected a list of waits, as YAML, found an object",
      ["[]"] = "lists/waits.yaml: expected at least one wait, found an empty list",
      [""] = "lists/waits.yaml: expected a list of waits, as YAML, found nothing",
      ["- [\n"] = "did not find expected",
      ["- things.lua"] = "lists/waits.yaml:1: expected an object",
    } do
      it(("refuses %q"):format(text), function()
        run_yaml(text):says(2, words)
      end)
    end

    it("refuses a bomb before it is laid out", function()
      local lines = { "- &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]" }
      for level = 1, 30 do
        lines[#lines + 1] = ("- &a%d [%s]"):format(level, (("*a%d, "):format(level - 1)):rep(9))
      end
      run_yaml(table.concat(lines, "\n")):says(2, "more than 100000 values")
    end)

    it("is read in the sandbox, too", function()
      run_yaml('- {recipe: things.lua, input: {state: done}}\n', "--sandbox"):ends(0)
    end)
  end)

  for _, form in ipairs { "json", "lua", "lines" } do
    describe("as " .. form, function()
      it("is run as branches, with recipes from beside the file", function()
        local result, fleet = run(form, {
          done .. ', "waiter": "ThingDone", "name": "api"}', '{"recipe": "things.lua", "input": {"state": "failed"}}',
        }, "--output", "json", "--events", "events.jsonl")
        assert.equal(1, result.code, result.stderr)
        assert.same({ "api", "things#2" }, { fleet.outcomes[1].branch, fleet.outcomes[2].branch })
        assert.same({ "success", "failure" }, { fleet.outcomes[1].state, fleet.outcomes[2].state })
        assert.truthy(workspace:read "events.jsonl":find('"branch": "api"', 1, true))
        assert.truthy(run(form, { done .. ', "name": "api"}' }).stdout:find "^api: ThingDone succeeded")
      end)

      it("ends at the first failure unless it is --each", function()
        workspace:write("lists/late.lua", [[return { Op = { call = function() require("bide").sleep(0.4) end,
          waitable = { Late = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
        local function reason_of_other(...)
          local entries = { '{"recipe": "things.lua", "input": {"state": "failed"}}', '{"recipe": "late.lua"}' }
          local result, fleet = run(form, entries, "--output", "json", ...)
          assert.equal(1, result.code, result.stderr)
          return fleet.outcomes[2].reason
        end
        assert.equal(form == "lines" and "acceptor" or "cancelled", reason_of_other())
        assert.equal("cancelled", reason_of_other "--fail-fast")
        assert.equal("acceptor", reason_of_other "--keep-going")
      end)

      it("has a wait's own options, and takes the others from the command line", function()
        local _, fleet = run(form, {
          '{"recipe": "things.lua", "input": {"state": "x"}, "maxAttempts": 2}', '{"recipe": "things.lua"}',
          '{"recipe": "things.lua", "minDelay": 0.05, "maxDelay": "50ms", "maxAttempts": 2}',
        }, "--max-attempts", "4", "--keep-going", "--output", "json")
        assert.same({ 2, 4, 2 }, { fleet.outcomes[1].attempts, fleet.outcomes[2].attempts, fleet.outcomes[3].attempts })
        assert.equal(0.05, fleet.outcomes[3].history[1].delay)
      end)

      it("takes a hold, in place of that of the command line", function()
        local _, fleet = run(form, {
          '{"recipe": "things.lua", "input": {"state": "done"}, "hold": 3, "interval": "10ms"}',
          '{"recipe": "things.lua", "input": {"state": "done"}, "hold": "100ms"}',
          '{"recipe": "things.lua", "input": {"state": "done"}, "interval": "10ms", "retryAfterCap": "none"}',
        }, "--hold", "2", "--output", "json")
        local outcomes = fleet.outcomes
        assert.same({ 3, 2 }, { outcomes[1].attempts, outcomes[3].attempts })
        assert.is_true(outcomes[2].elapsed >= 0.1 and outcomes[2].elapsed < 1)
        assert.truthy(outcomes[1].message:find("held for 3 attempts", 1, true), outcomes[1].message)
      end)

      it("takes acceptors, tolerance, exit codes and tokens", function()
        local result, fleet = run(form, {
          '{"recipe": "things.lua", "input": {"phase": "up"}, "until": "phase=up"}',
          '{"recipe": "things.lua", "input": {"phase": "down", "why": "full"}, '
            .. '"fail": ["phase=lost", "phase=down"], "failMessage": "why"}',
          '{"recipe": "things.lua", "input": {"missing": true}, "retryOn": "NotFound", "maxAttempts": 2}',
          done .. ', "exitCode": {"Done": 9}, "ignoreRetryAfter": true, "tolerate": 3, "initialDelay": "20ms"}',
        }, "--keep-going", "--output", "json")
        assert.equal(1, result.code, result.stderr)
        local states = {}
        for position, outcome in ipairs(fleet.outcomes) do states[position] = outcome.reason end
        assert.same({ "acceptor", "acceptor", "maxAttempts", "acceptor" }, states)
        assert.truthy(fleet.outcomes[2].message:find "full")
        assert.equal(9, run(form, { done .. ', "exitCode": {"Done": 9}}' }).code)
        assert.truthy(run(form, { done .. ', "token": "t"}' }).stderr:find "declares no idempotencyToken")
      end)

      it("is refused with the place of the mistake", function()
        local place = form == "lines" and "lists/waits.jsonl:2: " or form == "json" and "lists/waits.json:2: "
          or "lists/waits.lua: wait 2: "
        local rows = {
          { '{"recipe": "things.lua", "max_attempts": 3}', 'max_attempts: unknown member, did you mean "maxAttempts"?' },
          { '{"recipe": "things.lua", "maxAttempts": true}', "maxAttempts: expected a string or a number, found" },
          { '{"recipe": "things.lua", "maxAttempts": 0}', "--max-attempts: " },
          { '{"recipe": "things.lua", "maxWait": 3}', "maxWait: unknown member" },
          { '{"recipe": "things.lua", "input": []}', "input: expected an object, found" },
          { '{"input": {}}', "recipe: expected the name or the file of a recipe, found" },
          { '{"recipe": "things.lua", "waiter": "ThingDon"}', 'did you mean "ThingDone"?' },
          { '{"recipe": "lists.json"}', "expected a recipe, found a list of waits" },
          { '{"recipe": "thing.lua"}', "lists/thing.lua: no such file" },
          { '{"recipe": "things.lua", "exitCode": {"Don": 1}}', 'did you mean "Done"?' },
          { '{"recipe": "things.lua", "name": "things#1"}', 'two branches are called "things#1"' },
          { '{"recipe": "ports.lua", "input": {"prot": 1}}', 'did you mean "port"?' },
          { '{"recipe": "ports.lua", "input": {"port": "1"}}', "port: expected" },
          { '{"recipe": "ports.lua"}', "port" },
        }
        for _, row in ipairs(rows) do
          local result = run(form, { done .. "}", row[1] })
          assert.equal(2, result.code, row[1])
          assert.truthy(result.stderr:find("bide: " .. place, 1, true), result.stderr)
          assert.truthy(result.stderr:find(row[2], 1, true), result.stderr)
        end
      end)

      it("has no line for what cannot be one", function()
        for _, entries in ipairs { {}, { done .. "}", "3" } } do
          local result = run(form, entries)
          assert.equal(2, result.code)
          assert.truthy(result.stderr:find "waits%.%a+", result.stderr)
        end
      end)

      it("is read within the walls of the sandbox", function()
        assert.equal(0, run(form, { done .. "}", done .. "}" }, "--sandbox").code)
      end)
    end)
  end

  it("is continued with --resume", function()
    workspace:write("lists/waits.json", '[{"recipe": "things.lua", "input": {"state": "done"}}, {"recipe": "things.lua"}]')
    local words = { "run", "lists/waits.json", "--max-wait", "1s", "--journal", "waits.db" }
    local process = workspace:start(words)
    process:wait_for_output "attempt 1, "
    process:kill "sigkill"
    process:wait()
    workspace:bide(table.move({ "--resume" }, 1, 1, #words + 1, words)):says(124, "continuing ThingDone, which began")
  end)

  it("is one side of a +", function()
    workspace:write("lists/waits.json", ('[%s}, %s, "name": "second"}]'):format(done, done))
    local result = workspace:bide {
      "run", "lists/waits.json", "+", "lists/things.lua", "state=done", "--max-wait", "50s", "--quiet", "--output", "json",
    }
    local names = {}
    for position, outcome in ipairs(core.json.decode(result.stdout).outcomes) do names[position] = outcome.branch end
    assert.same({ "things#1", "second", "things#3" }, names)
  end)

  it("is no recipe", function()
    workspace:write("lists/waits.lua", ("return { { recipe = %q } }"):format "things.lua")
    for _, words in ipairs {
      { "plan", "lists/waits.lua", "--max-wait", "5s" }, { "list", "lists/waits.lua" },
      { "replay", "lists/waits.lua", "ThingDone", "answers.jsonl", "--max-wait", "5s" },
    } do
      workspace:bide(words):ends(2)
    end
    assert.truthy(workspace:bide({ "list", "lists/waits.lua" }).stderr:find("expected a recipe, found a list of waits", 1, true))
    workspace:write("lines.jsonl", "{}\n")
    for _, words in ipairs { { "state=done" }, { "--each", "lines.jsonl" }, { "--input", "{}" } } do
      local result = workspace:bide(table.move(words, 1, #words, 5, { "run", "lists/waits.lua", "--max-wait", "5s" }))
      assert.equal(2, result.code, table.concat(words, " "))
    end
  end)
end)
