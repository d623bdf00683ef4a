---ResultEmpty succeeded for an answer that said in another way that it was not complete: isPartial, as VictoriaMetrics has
---it, and a warning that was no list.

local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

local ONE <const> = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}'

local nothing = json.array {}

---The members of the answer beside its data, and the exit code.
local rows = {
  { { isPartial = true }, 124 }, { { isPartial = false }, 0 }, { { warnings = "store unavailable" }, 124 },
  { { warnings = json.array { "store unavailable" } }, 124 }, { { warnings = nothing }, 0 }, { { infos = { "x" } }, 0 },
  { {}, 0 },
  { { warnings = { "PromQL info: metric might not be a counter" } }, 0 },
}

describe("an empty result of Prometheus", function()
  local answer

  local server = Server.of_block(function(request)
    local is_one = request.target:find("vector", 1, true)
    return { body = is_one and ONE or json.encode(answer), headers = { ["Content-Type"] = "application/json" } }
  end)

  for _, row in ipairs(rows) do
    it(("with %s: %d"):format(json.encode(row[1]), row[2]), function()
      answer = { status = "success", data = { resultType = "vector", result = nothing } }
      for name, value in pairs(row[1]) do answer[name] = value end
      local longest = row[2] == 124 and "300ms" or "10s"
      process.run({ process.bide, "prometheus", "ResultEmpty", server.url, "up", "--max-wait", longest, "--quiet" }):ends(row[2])
    end)
  end
end)
