---bide workers: lists the workers of a store.

local client = require "bide.cli.store.client"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"

local M = { summary = "list the workers of a store" }

local json = core.json

function M.new_parser()
  local command = parser.new("workers", "List the living workers of a store. The exit code is 1 if a queue has waits that are "
    .. "due and no worker.", "bide workers --store waits.db")
  command:usage "Usage: bide workers --store URL [options]"
  store_options.add_store(command)
  command:option("--output", "Print as FORMAT, text or json."):argname("FORMAT"):one_of({ "text", "json" }):default "text"
  return command
end

---@param worker bide.record.WorkerRow
local function queues_of(worker)
  local names = json.array {}
  for position, queue in ipairs(worker.queues) do names[position] = queue.name end
  return names
end

local row_of = "%-24s %-16s %-8s %-12s %-16s %5s"

---@param workers bide.record.WorkerRow[]
local function list_text(workers)
  local lines = { row_of:format("worker", "host", "process", "version", "queues", "held") }
  for _, worker in ipairs(workers) do
    lines[#lines + 1] = row_of:format(worker.name, worker.host, worker.pid, worker.version,
      table.concat(queues_of(worker), ","), worker.held)
  end
  return #workers > 0 and shown.document(lines) or ""
end

---@param workers bide.record.WorkerRow[]
local function list_json(workers)
  local list = json.array {}
  for position, worker in ipairs(workers) do
    list[position] = {
      id = worker.id, name = worker.name, host = worker.host, process = worker.pid, kind = worker.kind,
      version = worker.version, queues = queues_of(worker), jobs = worker.slots, held = worker.held,
      lease = worker.lease / 1000000,
    }
  end
  return assert(json.encode({ workers = list }, { indent = true, escape = true })) .. "\n"
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local store = client.open(options, { must_exist = true })
  local workers = client.check(store:list { what = "workers" }).workers
  local code = exit_code.SUCCESS
  local queues = client.check(store:list { what = "queues" }).queues
  if #queues == 0 and store.sends_files then
    parser.fail "there is no queue on which this role has a right: bide workers is for a role that may submit or work"
  end
  for _, queue in ipairs(queues) do
    if queue.due > 0 and queue.workers == 0 then
      shown.complain(("no worker serves the queue %s, which has %d wait%s due"):format(queue.name, queue.due,
        queue.due == 1 and " that is" or "s that are"))
      code = exit_code.FAILURE
    end
  end
  store:close()
  local text = options.output == "json" and list_json(workers) or list_text(workers)
  return exit_code.unless_reported(code, shown.print_document(text))
end

return M
