---`bide run --store URL [--work]`: submits the waits of the command and follows them.

local client = require "bide.cli.store.client"
local core = require "bide.core"
local definitions = require "bide.cli.store.definition"
local groups = require "bide.cli.waits.group"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local store_watch = require "bide.cli.store.watch"

local M = {}

---Begins to work.
---@param store bide.Store
---@return fun() finish gives back what is in hand, and ends the work
local function begin_work(options, store)
  local worker = require("bide.cli.store.worker").new(store, {
    queues = { { name = options.queue or "default", weight = 1 } },
    takes = function(found)
      return not (found.is_mine and definitions.own[found.bundle.digest]) and "they are not of this run" or nil
    end,
  })
  local waker, is_over = core.task.waker(), false
  core.task.start(function() worker:run() end, function()
    if worker.refusal then shown.warn("--work: " .. worker.refusal) end
    is_over = true
    waker()
  end)
  return function()
    worker:stop()
    if not is_over then core.task.pause(waker) end
  end
end

---Ends the process if this role may not work in the queue.
---@param store bide.Store
local function require_right(options, store)
  local name = options.queue or "default"
  for _, queue in ipairs(client.check(store:list { what = "queues" }).queues) do
    if queue.name == name and not queue.may_work then
      local advice = require("bide.record.store.postgres.server").grant(store.role, name)
      parser.fail(("--work: the role %s may not work in the queue %s: leave --work out, and other workers make the attempts, "
        .. "or %s"):format(store.role, name, advice))
    end
  end
end

---Submits waits, and follows them to their end.
---@param options table of the command line
---@param waits bide.cli.Waits
---@return bide.cli.Ended
function M.run(options, waits)
  require("bide.cli.report.output").open(options)
  local stream = groups.stream_of(waits)
  local store = client.open_for(options, stream)
  if options.work then require_right(options, store) end
  local made = client.submit(options, store, stream)
  if not made.created then
    shown.complain(("run %d was submitted with this token before: it is followed, and no other one begins"):format(made.run))
  end
  local watch = store_watch.new(options, store, made.run, waits.codes[1])
  local finish_work = options.work and begin_work(options, store)
  local ended = store_watch.report(watch)
  if finish_work then finish_work() end
  store:close()
  return ended
end

return M
