---`bide workers` listed neither the ID of a worker, by which its sessions are found in the database, nor its kind, nor what is
---left of its lease.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local function declare(name, url_of, kind)
  describe("the list of the workers of " .. name, function()
    local workspace = Workspace.of_each()

    it("has the ID, the kind and the lease of each", function()
      local words = { "submit", "tcp", "localhost:1", "--max-wait", "2h", "--initial-delay", "1h", "--store", url_of "ada" }
      workspace:bide(words):ends(0)
      local worker = workspace:start { "worker", "--store", url_of "wim" }
      worker:wait_for_output "serving"
      local done
      repeat
        done = workspace:bide { "workers", "--store", url_of "ada" }
      until done.stdout ~= ""
      local header, row, rest = done.stdout:match "^([^\n]*)\n([^\n]*)\n(.*)$"
      assert.matches("^id +host +process +kind +version +queues +held +lease$", header)
      assert.equal("", rest)
      local id, found, queue, held, lease = row:match "^(%d+) +%S+ +%d+ +(%a+) +%S+ +(%S+) +(%d+) +([%d.]+) s$"
      assert.same({ kind, "default", "0" }, { found, queue, held }, row)
      assert.is_true(tonumber(lease) > 0 and tonumber(lease) <= 10)
      local as_json = workspace:bide({ "workers", "--store", url_of "ada", "--output", "json" }).stdout
      assert.equal(id, as_json:match '"id": (%d+)')
      worker:kill "sigterm"
      worker:wait()
      workspace:bide({ "workers", "--store", url_of "ada" }):ends(0)
    end)
  end)
end

declare("a file", function() return "w.db" end, "trusted")

describe("with PostgreSQL", function()
  local cluster = Cluster.installed()
  if not cluster then return end
  declare("a database", function(role) return cluster:url(role) end, "sandboxed")
end)
