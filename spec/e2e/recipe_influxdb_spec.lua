local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"

local configuration = [[
bind-address = "127.0.0.1:BACKUP"
reporting-disabled = true
[meta]
  dir = "FOLDER/meta"
[data]
  dir = "FOLDER/data"
  wal-dir = "FOLDER/wal"
[http]
  bind-address = "127.0.0.1:PORT"
]]

require "spec.support.proven"

describe("the recipe influxdb, with InfluxDB", function()
  local workspace = Workspace.of_each()
  local program, missing = service.find("influxd", "influxdb")
  if not program then return pending(missing) end

  it("waits until it is healthy", function()
    local port = free_port()
    local values = { BACKUP = free_port(), PORT = port, FOLDER = workspace.path }
    workspace:write("influxdb.conf", (configuration:gsub("%u%u%u%u+", values)))
    local started = workspace:start { "influxdb", "127.0.0.1:" .. port, "--max-wait", "30s", "--output", "json" }
    started:wait_for_output "ConnectionRefused"
    local influxdb = service.start { program, "-config", workspace.path .. "/influxdb.conf" }
    started:wait()
    influxdb:stop "sigkill"
    started:prints(0, '"status": "pass"')
    assert.matches('"version": "1%.%d', started.stdout)
  end)
end)
