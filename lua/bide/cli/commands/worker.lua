---bide worker: makes the attempts of a store's waits, until a signal ends it.

local await = require "bide.task.await"
local client = require "bide.cli.store.client"
local core = require "bide.core"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.ending.exit_code"
local file_failure = require "bide.text.file_failure"
local files = require "bide.record.journal.files"
local luv = require "luv"
local metrics = require "bide.record.worker.metrics"
local metrics_server = require "bide.cli.store.metrics_server"
local network = require "bide.cli.words.network"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local secrets = require "bide.cli.store.secrets"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local store_worker = require "bide.cli.store.worker"
local stores = require "bide.record.store.open"
local trust = require "bide.cli.store.trust"
local untrusted = require "bide.cli.words.untrusted"
local verbs = require "bide.record.store.verbs"
local web_address = require "bide.text.web_address"

local M = { summary = "make the attempts of a store's waits" }

---Reads `Q` or `Q=WEIGHT`.
local function read_queue(text)
  local name, weight = text:match "^([^=]*)=?(.*)$"
  local mistake = verbs.mistake_of_name(name)
  local number = weight == "" and not text:find "=" and 1 or weight:find "^%d+$" and math.tointeger(tonumber(weight))
  if not mistake and not (number and number >= 1 and number <= 1000) then
    mistake = option.expected("Q or Q=WEIGHT, with a weight from 1 to 1000", text)
  end
  if mistake then return nil, mistake end
  return { name = name, weight = number }
end

function M.new_parser()
  local command = parser.new("worker", "Make the attempts of a store's waits, until SIGTERM or SIGINT; other workers make those "
    .. "of the same store.", "bide worker --store waits.db")
  command:usage "Usage: bide worker --store URL [options]"
  store_options.add_store(command)
  command:option("--queue", "Serve this queue; with several, each gets turns by its WEIGHT. Default: default.")
    :argname("Q[=WEIGHT]"):count("*"):reads(read_queue)
  shared.add_count(command, "--jobs", ("Hold at most N waits at a time. Default: %d."):format(store_worker.JOBS))
  shared.add_duration(command, "--drain", "At a signal, let running attempts end for DURATION. Default: cut them.",
    duration.parse_or_zero)
  command:option("--metrics", "Serve /metrics, as OpenMetrics, and /healthz at HOST:PORT. Port 0 is a free one.")
    :argname("HOST:PORT"):reads(metrics_server.read)
  trust.add_options(command)
  secrets.add_option(command)
  network.add_options(command)
  untrusted.add_options(command)
  shared.add_quiet(command)
  return command
end

---Prepares a worker without a sandbox.
---@param options table of the command line
local function for_trusted(options)
  for _, name in ipairs { "sandbox", "memory", "instructions", "script_time" } do
    if options[name] then parser.fail(("--%s: this worker runs recipes without a sandbox"):format((name:gsub("_", "-")))) end
  end
  network.apply(options, false)
  untrusted.apply({ load_timeout = options.load_timeout }, { recipes = { "the recipes of the store" } })
end

---Prepares a worker of a database, whose recipes are of others, before it connects; ends the process if it cannot hold what
---it promises.
---@param options table of the command line
---@param hosts bide.postgres.session.Host[]
---@return { kind: "sandboxed"|"trusted", takes: (fun(found: bide.record.Definition.Found): string?), secrets: bide.cli.Secrets }
local function for_database(options, hosts)
  local way = { kind = "trusted", takes = trust.read(options), secrets = secrets.read(options) }
  if options.trusted then
    for_trusted(options)
    return way
  end
  for _, host in ipairs(hosts) do
    if host.path then
      parser.fail(("--store: a sandboxed worker reaches no socket of this machine, as %s is: name the host, as in "
        .. "postgres://ROLE@127.0.0.1/DATABASE"):format(shown.line(host.name)))
    end
  end
  options.sandbox = options.sandbox or { strict = false }
  network.apply(options, true)
  untrusted.apply(options, { recipes = {} })
  way.kind = "sandboxed"
  return way
end

---Prepares a worker of a file, whose recipes are those of its user.
---@param options table of the command line
local function for_file(options)
  if options.trusted or #options.trust + #options.distrust > 0 then
    parser.fail "--trusted, --trust and --distrust: a worker of a file runs the recipes of its own user"
  end
  if options.secrets then
    parser.fail "--secrets: a worker of a file runs as you do, and its recipes read what you can: see --store postgres://…"
  end
  for_trusted(options)
  return { kind = "trusted" }
end

---Stops at the first signal, and ends the process at the second one.
---@param stop fun()
local function obey_signals(stop)
  local count = 0
  core.loop.watch_signals(function(number)
    count = count + 1
    core.service.leave()
    if count > 1 then process.leave(exit_code.SIGNAL + number) end
    stop()
  end)
end

---In milliseconds, between two looks for a file.
local INTERVAL = 200

---Waits until somebody has submitted waits to a file. A worker makes none: the name may be a mistake. Ends the process at a
---signal, or if the name can never be that of a file.
---@param file string
local function await_file(file)
  local found, mistake, code = luv.fs_stat(file)
  if found then return end
  mistake = code ~= "ENOENT" and file_failure.reason(mistake) or files.mistake_of_folder(file)
  if mistake then parser.fail(("the store %s: %s"):format(shown.line(file), mistake)) end
  shown.complain(("warning: the store %s: no such file; this worker begins once bide submit has made it"):format(
    shown.line(file)))
  local is_stopped, waker = false, nil
  obey_signals(function()
    is_stopped = true
    if waker then waker() end
  end)
  while not is_stopped and not luv.fs_stat(file) do
    await(core.loop.update() + INTERVAL, function(of_pause) waker = of_pause end)
  end
  if not is_stopped then return end
  process.settle()
  process.leave(exit_code.SUCCESS)
end

---Serves the numbers of a worker, if the user wants that; ends the process if it cannot.
---@param options table of the command line
---@param numbers bide.Metrics
---@return bide.cli.MetricsServer?
local function serve(options, numbers)
  local place = options.metrics
  if not place then return nil end
  local server, mistake = metrics_server.open(place, {
    ["/metrics"] = function() return { 200, numbers:text(), type = metrics.TYPE } end,
    ["/healthz"] = function()
      if numbers.is_up then return { 200, "ok\n" } end
      return { 503, "the store does not answer\n" }
    end,
  })
  if not server then parser.fail(("--metrics: %s:%d: %s"):format(place.host, place.port, mistake)) end
  if not web_address.is_loopback(place.host) then
    shown.warn(("--metrics: every machine that reaches %s can read the numbers of this worker"):format(server.url))
  end
  return server
end

---Returns the queues that a worker serves; ends the process if one of them is given twice.
---@return { name: string, weight: integer }[]
local function queues_of(options)
  local known = {}
  for _, queue in ipairs(options.queue) do
    if known[queue.name] then parser.fail(("--queue: %s is given twice"):format(queue.name)) end
    known[queue.name] = true
  end
  return #options.queue > 0 and options.queue or { { name = "default", weight = 1 } }
end

function M.main(arguments)
  shared.refuse_command(arguments)
  core.service.open()
  local options = M.new_parser():parse(arguments)
  local queues = queues_of(options)
  local numbers, file = metrics.new(queues), stores.file(client.url(options, "bide worker"))
  local server, way = serve(options, numbers), file and for_file(options)
  if file then await_file(file) end
  local store = client.open(options, "bide worker", {
    before_connecting = function(hosts) way = for_database(options, hosts) end,
  })
  local worker = store_worker.new(store, {
    queues = queues, jobs = options.jobs, drain = options.drain, kind = way.kind, takes = way.takes, secrets = way.secrets,
    metrics = server and numbers,
  })
  obey_signals(function() worker:stop() end)
  if not options.quiet then
    shown.complain(("serving %s of %s"):format(table.concat(numbers.queues, ", "), store.url))
    if server then shown.complain("metrics at " .. server.url .. "/metrics") end
  end
  worker:run()
  if worker.refusal then parser.fail(worker.refusal) end
  if server then server:close() end
  store:close()
  process.settle()
  process.leave(exit_code.SUCCESS) -- a signal is how a worker ends
  return exit_code.SUCCESS
end

return M
