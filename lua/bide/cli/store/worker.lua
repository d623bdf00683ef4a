---Begins a worker of a store in this process.

local definitions = require "bide.cli.store.definition"
local luv = require "luv"
local paces = require "bide.record.worker.pace"
local policy = require "bide.probe.http.policy"
local process = require "bide.cli.ending.process"
local rates = require "bide.probe.http.rate"
local requests = require "bide.record.worker.requests"
local secrets = require "bide.cli.store.secrets"
local version = require "bide.version"
local watch = require "bide.wait.watch"
local workers = require "bide.record.worker"

local M = {}

---The turns that a worker holds at a time, unless --jobs says otherwise.
M.JOBS = 100

---The rate of requests to one remote host, of all workers together, unless recipes say otherwise.
local RATE = "100/s"

---@class bide.cli.Working
---@field queues { name: string, weight: integer }[]
---@field jobs? integer
---@field drain? integer
---@field metrics? bide.Metrics
---@field kind? "sandboxed"|"trusted" the latter if it is nil
---@field takes? fun(found: bide.record.Definition.Found): string? returns why the worker does not run a bundle; needed where
---the store sends them
---@field secrets? bide.cli.Secrets none if it is nil

---Makes a worker, which has not begun.
---@param store bide.Store
---@param options bide.cli.Working
---@return bide.Worker
function M.new(store, options)
  local takes = store.sends_files and assert(options.takes) or nil
  process.restrain_recipes()
  watch.disable() -- a watch would have to last from one attempt to the next
  policy.limit_fleet(assert(rates.parse(RATE)))
  local worker = workers.new(store, {
    name = ("%s-%d"):format(luv.os_gethostname():gsub("[^%w%._-]", "-"):sub(1, 40), math.tointeger(luv.os_getpid())),
    queues = options.queues, jobs = options.jobs or M.JOBS, version = version,
    kind = options.kind or "trusted", drain = options.drain, metrics = options.metrics,
    secrets = options.secrets or secrets.read {},
    read = function(found) return definitions.read(found, takes) end,
  })
  local pace = paces.new(worker)
  worker.helpers = { pace, requests.new(worker) }
  rates.share(function(rate, host) return pace:bucket(rate, host) end)
  policy.guard(pace)
  return worker
end

return M
