---bide workers: lists the workers of a store.

local client = require "bide.cli.store.client"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local tables = require "bide.text.tables"

local M = { summary = "list the workers of a store" }

local json = core.json

function M.new_parser()
  local command = parser.new("workers", "List the living workers of a store. The exit code is 1 if a queue has waits that are "
    .. "due and no worker.", "bide workers --store waits.db")
  command:usage "Usage: bide workers --store URL [options]"
  store_options.add_cells(command)
  command:option("--output", "Print as FORMAT, text or json."):argname("FORMAT"):one_of({ "text", "json" }):default "text"
  return command
end

---@class bide.cli.WorkerOfCell : bide.record.WorkerRow
---@field cell integer? the number of its store

---@param worker bide.record.WorkerRow
local function queues_of(worker)
  local names = json.array {}
  for position, queue in ipairs(worker.queues) do names[position] = queue.name end
  return names
end

local row_of = "%-19s  %-16s %-8s %-10s %-9s %-16s %5s %7s%s"

---@param workers bide.cli.WorkerOfCell[]
---@param has_cells boolean whether the numbers of cells are shown
local function list_text(workers, has_cells)
  local lines = {
    row_of:format("id", "host", "process", "kind", "version", "queues", "held", "lease", has_cells and "  cell" or ""),
  }
  for _, worker in ipairs(workers) do
    lines[#lines + 1] = row_of:format(worker.id, worker.host, worker.pid, worker.kind, worker.version,
      table.concat(queues_of(worker), ","), worker.held, ("%.1f s"):format(worker.lease / 1000000),
      has_cells and ("%6d"):format(worker.cell) or "")
  end
  return #workers > 0 and shown.document(lines) or ""
end

---@param workers bide.cli.WorkerOfCell[]
local function list_json(workers)
  local list = json.array {}
  for position, worker in ipairs(workers) do
    list[position] = {
      id = worker.id, name = worker.name, host = worker.host, process = worker.pid, kind = worker.kind,
      version = worker.version, queues = queues_of(worker), jobs = worker.slots, held = worker.held,
      lease = worker.lease / 1000000, cell = worker.cell,
    }
  end
  return assert(json.encode({ workers = list }, { indent = true, escape = true })) .. "\n"
end

---Says which queues of a store have waits that are due and no worker; ends the process if this role has no queue.
---@param store bide.Store
---@param of_cell string
---@return boolean? is_served nil if the store failed
---@return bide.record.Failure? failure
local function check_queues(store, of_cell)
  local found, failure = store:list { what = "queues" }
  if not found then return nil, failure end
  if #found.queues == 0 and store.sends_files then
    parser.fail(("there is no queue%s on which this role has a right: bide workers is for a role that may submit or work")
      :format(of_cell))
  end
  local is_served = true
  for _, queue in ipairs(found.queues) do
    if queue.due > 0 and queue.workers == 0 then
      shown.complain(("no worker serves the queue %s%s, which has %d wait%s due"):format(queue.name, of_cell, queue.due,
        queue.due == 1 and " that is" or "s that are"))
      is_served = false
    end
  end
  return is_served
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local cells = client.open_cells(options, { must_exist = true })
  local has_cells <const>, workers, code = #cells.places > 1, {}, exit_code.SUCCESS
  client.check(cells:each(function(store, place)
    local found, failure = store:list { what = "workers" }
    if not found then return nil, failure end
    for _, worker in ipairs(found.workers) do workers[#workers + 1] = tables.merged(worker, { cell = place.cell }) end
    local is_served
    is_served, failure = check_queues(store, has_cells and (" of cell %d"):format(place.cell) or "")
    if failure then return nil, failure end
    if not is_served then code = exit_code.FAILURE end
    return true
  end))
  cells:close()
  local text = options.output == "json" and list_json(workers) or list_text(workers, has_cells)
  return exit_code.unless_reported(code, shown.print_document(text))
end

return M
