---Reports that decide nothing: spans (`--output otlp=…`) and metrics (`--metrics-file`). They are written once COMMAND has
---begun, within 2 s; what fails is one warning, and changes no exit code.

local await = require "bide.task.await"
local core = require "bide.core"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local uv = require "luv"
local web_address = require "bide.text.web_address"

local M = {}

---The milliseconds that all of them may take together.
local PATIENCE <const> = 2000

---@param command table
function M.add_option(command)
  command:begin_section "Report"
  command:option("--metrics-file", "Write metrics of the run to FILE, in Prometheus's text format, for the textfile "
    .. "collector of node_exporter. The file is replaced as a whole. A failure is a warning."):argname("FILE")
end

---@param options table of the command line
---@return string[] targets of spans: files and URLs
local function targets_of(options)
  local targets = {}
  for _, given in ipairs(options.output) do
    if given.format == "otlp" then targets[#targets + 1] = given.file end
  end
  return targets
end

---@param options table of the command line
---@return boolean
function M.is_wanted(options)
  return options.metrics_file ~= nil or #targets_of(options) > 0
end

---@param options table of the command line
---@return boolean
local function has_spans(options)
  for _, given in ipairs(options.output) do
    if given.format == "otlp" then return true end
  end
  return false
end

---Reads where the spans belong, and gives TRACEPARENT to the programs that are started from now on; ends the process if
---the options exclude each other.
---@param options table of the command line; keeps the trace
function M.begin(options)
  if options.sandbox and M.is_wanted(options) then
    parser.fail "--output otlp=FILE and --metrics-file exclude --sandbox: they are written when nothing more may be opened"
  end
  if not has_spans(options) then return end
  local otlp = require "bide.record.report.format.otlp"
  options.trace = otlp.trace(os.getenv "TRACEPARENT")
  uv.os_setenv("TRACEPARENT", otlp.traceparent(options.trace))
end

---Returns the headers of OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, escaped as in a URL.
---@return table<string, string>
local function headers()
  local list = { ["Content-Type"] = "application/json" }
  for name, value in (os.getenv "OTEL_EXPORTER_OTLP_HEADERS" or ""):gmatch "([^=,%s]+)=([^,]*)" do
    list[name] = web_address.unescape(value)
  end
  return list
end

---Sends spans to a collector. A URL without a path is that of its OTLP receiver.
---@return string? mistake
local function send(url, text)
  if url:find "^%a+://[^/]+/?$" then url = url:gsub("/$", "") .. "/v1/traces" end
  local answered, response = pcall(require("bide.http").post, url,
    { body = text, headers = headers(), timeout = PATIENCE / 1000, redirects = 0 })
  if not answered then
    return type(response) == "table" and (response.refused or response.message or response.type) or tostring(response)
  end
  if response.status < 200 or response.status > 299 then return ("the collector answered %d"):format(response.status) end
end

---Writes into a pipe, on a thread: otherwise the loop would wait until a program reads it.
---@return string? mistake
local function pour(target, text)
  local mistake, descriptor = await(nil, function(waker) uv.fs_open(target, "w", 0, waker) end)
  if mistake then return mistake end
  mistake = await(nil, function(waker) uv.fs_write(descriptor, text, -1, waker) end)
  uv.fs_close(descriptor)
  return mistake
end

---@return string? mistake
local function write(target, text)
  if target:find "^https?://" then return send(target, text) end
  local found = uv.fs_stat(target)
  if found and found.type == "fifo" then return pour(target, text) end
  local _, mistake = require "bide.record.replace_file"(target, text)
  return mistake
end

---The writing of telemetry: its current part, and the parts that failed.
---@class bide.cli.Telemetry
---@field now string "the metrics"
---@field mistakes string[]

---@param one bide.cli.Telemetry
local function note(one, mistake)
  one.mistakes[#one.mistakes + 1] = mistake and ("%s: %s"):format(one.now, mistake)
end

---Writes everything, one after another.
---@param one bide.cli.Telemetry
---@param result bide.cli.Result
local function write_all(one, options, result)
  local spans
  if options.metrics_file then
    one.now = "the metrics"
    note(one, write(options.metrics_file, require("bide.record.report.format.metrics").document(result.run())))
  end
  one.now = "the spans"
  for _, target in ipairs(targets_of(options)) do
    spans = spans or require("bide.record.report.format.otlp").document(result.run(), options.trace)
    note(one, write(target, spans))
  end
end

---Begins to write. The writing continues while COMMAND runs.
---@param options table of the command line
---@param result bide.cli.Result?
---@return fun() finish waits until all is written, or its time is over
function M.start(options, result)
  if not result or not M.is_wanted(options) then return function() end end
  local one, is_over, waker = { mistakes = {} }, false, nil
  core.task.start(function() write_all(one, options, result) end, function(_, how, failure)
    is_over = true
    if how == "cut" then note(one, "no answer within 2 s") end
    if how == "raised" then note(one, tostring(failure)) end
    if #one.mistakes > 0 then shown.warn("not written: " .. table.concat(one.mistakes, "; ")) end
    if waker then waker() end
  end, core.loop.update() + PATIENCE)
  return function()
    if is_over then return end
    waker = core.task.waker()
    core.task.pause(waker)
  end
end

return M
