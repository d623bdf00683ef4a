---The one row of count(*) was an error before any condition saw it, so that --fail did not decide by it; beside --fail, RowGone
---did not say that such a row always comes; and a series of Prometheus was a success whatever its value, so that `up` was
---there while the target was down.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local COUNT = '{"meta":[{"name":"jobs","type":"UInt64"}],"data":[{"jobs":"%s"}],"rows":1}'
local SERIES = '{"status":"success","data":{"resultType":"vector","result":[%s]}}'
local SAMPLE = '{"metric":{"__name__":"up","instance":"%s"},"value":[1.5,"%s"]}'

describe("what comes whatever there is", function()
  local workspace = Workspace.of_block()
  local body

  local server = Server.of_block(function()
    return { headers = { ["Content-Type"] = "application/json" }, body = body }
  end)

  local function run(recipe, waiter, query, ...)
    return workspace:bide { recipe, waiter, server.url, query, "--max-wait", "300ms", "--quiet", ... }
  end

  it("is seen by a condition for failure, and is no row that was found", function()
    local query = "SELECT count(*) AS jobs FROM t"
    body = COUNT:format "0"
    run("clickhouse", "RowFound", query):says(124, "UnexpectedValue: the one value is 0, as EXISTS")
    run("clickhouse", "RowFound", query, "--fail", "data[0].jobs=0"):says(1, 'data[0].jobs is "0"')
    run("clickhouse", "RowFound", query, "--fail", "data[0].jobs=2"):says(124, "not believed: UnexpectedValue: the one value")
    run("clickhouse", "RowGone", query, "--fail", "data[0].jobs=2"):says(124, "is false", "the one value is 0, as EXISTS")
    body = COUNT:format "1"
    assert.equal(0, run("clickhouse", "RowFound", query, "--fail", "data[0].jobs=2", "--max-wait", "50s").code)
  end)

  it("is no result, if it is a series whose value says no and the query compares nothing", function()
    for _, value in ipairs { "0", "-0", "0.0", "NaN" } do
      body = SERIES:format(SAMPLE:format("a", value))
      run("prometheus", "ResultFound", "up"):says(124, ("the value is %s in each series"):format(value))
      run("prometheus", "ResultEmpty", "up"):says(124, "is false")
      assert.equal(0, run("prometheus", "ResultFound", "up == 0", "--max-wait", "50s").code)
    end
    for _, value in ipairs { "1", "-1", "+Inf", "0.5" } do
      body = SERIES:format(SAMPLE:format("a", "0") .. "," .. SAMPLE:format("b", value))
      assert.equal(0, run("prometheus", "ResultFound", "up", "--max-wait", "50s").code)
    end
    body = SERIES:format(SAMPLE:format("a", "0"))
    assert.equal(124, run("prometheus", "ResultEmpty", "up", "failed=up").code)
    assert.equal(1, run("prometheus", "ResultEmpty", "up", "failed=up == 0").code)
    body = SERIES:format '{"metric":{},"histogram":[1.5,{"count":"0","sum":"0"}]}'
    assert.equal(0, run("prometheus", "ResultFound", "latency", "--max-wait", "50s").code)
  end)
end)
