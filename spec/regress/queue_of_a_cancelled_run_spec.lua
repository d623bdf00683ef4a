---`bide jobs cancel RUN --queue Q` cancelled a run of another queue: the options that choose runs were read by the list alone,
---and the other actions ignored them.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

describe("bide jobs", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("look.lua", [[
return { Look = { call = function() return { state = "waiting" } end, waitable = { Seen = { acceptors = {
  { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } } } } } } }
]])
    for number = 1, 4 do
      local queue = number % 2 == 0 and "even" or "odd"
      local done = workspace:bide { "submit", "look.lua", "--max-wait", "1h", "--store", "s.db", "--queue", queue }
      assert.equal(number .. "\n", done.stdout)
    end
  end)

  local function jobs(...)
    return workspace:bide { "jobs", "--store", "s.db", ... }
  end

  it("lets the list alone choose among runs", function()
    for _, option in ipairs { "--queue=even", "--state=open", "--limit=1", "--after=1" } do
      for _, action in ipairs { "cancel", "show", "prune" } do
        local done = jobs(action, "1", option)
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.matches(option:match "^[^=]*" .. " belongs to bide jobs list", done.stderr, 1, true)
      end
    end
    assert.equal("open", json.decode(jobs("show", "1").stdout).state)
  end)

  it("lists those that are chosen", function()
    assert.equal(0, jobs("cancel", "3").code)
    for options, expected in pairs { [""] = "1 2 3 4", ["--queue=even"] = "2 4", ["--queue=default"] = "", ["--limit=2"] = "1 2",
      ["--after=2"] = "3 4", ["--state=open"] = "1 2 4", ["--state=ended"] = "3", ["--queue=odd --after=1 --limit=1"] = "3",
      ["--queue=even --state=ended"] = "" } do
      local words, runs = { "list", "--output=json" }, {}
      for word in options:gmatch "%S+" do words[#words + 1] = word end
      for place, run in ipairs(json.decode(jobs(table.unpack(words)).stdout).runs) do runs[place] = run.run end
      assert.equal(expected, table.concat(runs, " "), options)
    end
  end)
end)
