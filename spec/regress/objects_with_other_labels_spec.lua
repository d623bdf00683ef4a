---kubernetes pod -l app=web was ready by the pods of other labels, as where a proxy leaves out the query of a request.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json
local labels = require "bide.probe.kubernetes.labels"

describe("the objects of a selector", function()
  local workspace = Workspace.of_block()

  local function ask(selector, of_pod)
    local server = Server.start(function()
      return { headers = { ["Content-Type"] = "application/json" }, body = json.encode { kind = "PodList", apiVersion = "v1",
        metadata = {}, items = json.array { { metadata = { name = "x-1", namespace = "n", labels = of_pod },
          status = { phase = "Running", conditions = json.array { { type = "Ready", status = "True" } } } } } } }
    end)
    local done = workspace:bide { "kubernetes", "pod", "-l", selector, "-n", "n", "--server", server.url, "--no-watch",
      "--interval", "100ms", "--max-wait", "400ms", "--quiet" }
    server:close()
    return done
  end

  it("have its labels", function()
    assert.equal(0, ask("app=web", { app = "web", tier = "front" }).code)
    for _, other in ipairs { { app = "other" }, { app = json.null }, {} } do
      ask("app=web", other):says(124, "expected objects with the labels app=web, found PodList of v1")
    end
  end)

  for selector, expected in pairs {
    ["app=web"] = true, ["app==web"] = true, ["app = web , tier"] = true, ["app=we"] = false, ["app="] = false,
    ["app!=web"] = false, ["app!=db"] = true, ["old!=yes"] = true, ["tier"] = true, ["old"] = false, ["!old"] = true,
    ["! tier"] = false, ["app in (db,web)"] = true, ["app in (db, we)"] = false, ["app notin (db),tier in (front)"] = true,
    ["app notin (db,web)"] = false, ["old in (yes)"] = false, ["old notin (yes)"] = true, ["app=web,tier=back"] = false,
    ["a.b/c=1"] = true, ["none in ()"] = true, ["app in ()"] = false, ["size>3"] = true,
  } do
    it(("fit %s: %s"):format(selector, expected), function()
      assert.equal(expected, labels.reader(selector) { app = "web", tier = "front", ["a.b/c"] = "1", none = "" })
    end)
  end
end)
