---The API of Docker with recorded containers, for the specs of projects.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local compose = require "bide.compose"
local json = require("bide.core").json

local M = {}

---Serves what a project has at each poll; the last holds for all later ones.
---@param socket string
---@param polls { container: table, date: string }[][]
---@return spec.Server
function M.serve(socket, polls)
  local count, now = 0, {}
  local function list()
    count = math.min(count + 1, #polls)
    now = {}
    local found = json.array {}
    for number, row in ipairs(polls[count]) do
      local each = row.container
      now["/containers/" .. each.Id .. "/json"] = row
      found[number] = { Id = each.Id, Names = { each.Name }, State = each.State.Status, Labels = each.Config.Labels }
    end
    return found
  end
  return Server.start(function(request)
    local row = now[request.path]
    local value = request.path == "/containers/json" and list() or row and row.container
    return { status = value and 200 or 404, headers = { ["Content-Type"] = "application/json", ["Api-Version"] = "1.41",
        Date = row and row.date },
      body = json.encode(value or { message = "No such container: web1234" }) }
  end, { unix_socket = socket })
end

---Inspects the project of recorded containers.
---@param first { container: table, date: string }
---@param ... { container: table, date: string }
---@return bide.compose.Project
function M.inspect(first, ...)
  local workspace = Workspace.make()
  local socket = workspace.path .. "/docker.sock"
  local server = M.serve(socket, { { first, ... } })
  local name = first.container.Config.Labels["com.docker.compose.project"]
  local project = compose.inspect { project = name, socket = socket }
  server:close()
  workspace:remove()
  return project
end

return M
