---ResultFound took a series whose value is no number, such as an empty text, for a value that is neither 0 nor NaN.

local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

local ONE <const> = { metric = { job = "web" }, value = { 1, "1" } }

---The members of the series beside its labels, and the exit code.
local rows = {
  { { value = { 1, "" } }, 3 }, { { value = { 1, "up" } }, 3 }, { { value = { 1, true } }, 3 }, { { value = "up" }, 3 },
  { { value = { 1, "1" } }, 0 }, { { value = { 1, "+Inf" } }, 0 }, { { value = { 1, "1e-05" } }, 0 },
  { { value = json.null, histogram = { 1, { count = "1" } } }, 0 }, { { histogram = { 1, { count = "1" } } }, 0 },
}

describe("a series of Prometheus", function()
  local series

  local server = Server.of_block(function(request)
    local result = request.target:find("vector", 1, true) and ONE or series
    return {
      body = json.encode { status = "success", data = { resultType = "vector", result = json.array { result } } },
      headers = { ["Content-Type"] = "application/json" },
    }
  end)

  for _, row in ipairs(rows) do
    it(("with %s: %d"):format(json.encode(row[1]), row[2]), function()
      series = { metric = { job = "web" } }
      for name, value in pairs(row[1]) do series[name] = value end
      process.run({ process.bide, "prometheus", "ResultFound", server.url, "up", "--max-wait", "10s", "--quiet" }):ends(row[2])
    end)
  end
end)
