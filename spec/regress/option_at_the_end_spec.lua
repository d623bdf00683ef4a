---An option without its argument at the end of a command line took the recipe for it, which comes after the options once
---bide has sorted the words: `bide http URL --max-wait` said that "http" was no duration.

local Workspace = require "spec.support.workspace"

describe("the command line of run", function()
  local workspace = Workspace.of_block()

  local cases = {
    ["--max-wait at the end"] = { "file there --max-wait", "--max-wait: expected DURATION, found nothing (see bide run --help)" },
    ["--until at the end"] = { "file there --max-wait 50s --until", "--until: expected EXPRESSION, found nothing" },
    ["--output at the end of a +"] = { "run file there + file here --output", "--output: expected FORMAT[=FILE], found nothing" },
  }

  for name, case in pairs(cases) do
    it("is refused for " .. name, function()
      workspace:shell('"$BIDE" ' .. case[1]):says(2, "bide: " .. case[2])
    end)
  end
end)
