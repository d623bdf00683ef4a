---Makes a request at most once: records its result under its token, and returns the recorded result to every caller that
---makes the same request later or at the same time.

local again = require "bide.task.again"
local core = require "bide.core"
local duration = require "bide.text.duration"
local error_class = require "bide.error_class"
local ledgers = require "bide.record.ledger"
local operation = require "bide.probe.asking.operation"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local tables = require "bide.text.tables"

---Its function in `bide`.
---@class bide
---@field once fun(token: string, parameters: any, f: fun(parameters: any, token: string): any, options: bide.OnceOptions?): any

local json, task = core.json, core.task

---The milliseconds between two checks whether another process has made the request.
local PAUSE = 20

local kinds = {
  journal = option.kinds.text, identity = option.kinds.identifier, retain = option.kinds.seconds,
  late = option.one_of { "refuse", "run" }, lateInterval = option.kinds.delay,
  releases = { "a list of types of operation errors", function(value)
    if type(value) ~= "table" then return false end
    for _, name in pairs(value) do
      if type(name) ~= "string" or name == "" then return false end
    end
    return next(value) == nil or #value > 0
  end },
  refresh = option.kinds.callable,
}

---The types of errors after which nothing was done, so that other parameters may follow under the same token.
local RELEASES = { "ValidationError", "ValidationException" }

---@class bide.OnceOptions
---@field journal string? the file; by default that of --journal, or BIDE_JOURNAL, and in a worker its store
---@field identity string? the name of the caller; by default the user, and in a database the role that submitted the run
---@field retain number? seconds for which the record is kept after the request; for ever by default
---@field lateInterval number? seconds after that for which the record's tombstone is kept; by default as long as
---retain
---@field late "refuse"|"run"|nil the result of a call within that interval: an operation error, or a new request
---@field releases string[]? types of operation errors of f that free the token, beside ValidationError and
---ValidationException
---@field refresh? fun(result: any, token: string): any returns the result of a repeated request in place of the record,
---which is not changed

---Returns the path of the first text, or name of a member, that is not UTF-8; nil if all are. JSON has no other texts, so
---two of them could not be distinguished.
---@param value any that JSON can represent
---@param path string
---@return string?
local function binary_path(value, path)
  if type(value) == "string" then return not utf8.len(value) and path or nil end
  if type(value) ~= "table" then return nil end
  for name, member in next, value do
    local found = type(name) == "string" and not utf8.len(name) and path
      or binary_path(member, math.type(name) and ("%s[%d]"):format(path, name) or ("%s.%s"):format(path, name))
    if found then return found end
  end
end

local function check(token, parameters, f, options)
  local mistake = option.mistake(token, option.kinds.identifier)
  if mistake then return "token: " .. mistake end
  if type(f) ~= "function" then return option.expected("a function, which makes the request", f) end
  mistake = option.check(options, kinds)
  if mistake then return mistake end
  if options.lateInterval and not options.retain then return "lateInterval: expected retain beside it" end
  local text, failure = json.encode(parameters)
  if not text then return "parameters: " .. tostring(failure) end
  local path = binary_path(parameters, "parameters")
  if path then return path .. ": expected UTF-8, found other bytes; encode them, such as by bide.base64" end
  return nil, text
end

---Raises an operation error. Its types are not those of services, so callers can distinguish it from those of f.
local function refuse(kind, message, members)
  members = members or {}
  members.type, members.message = kind, message
  error(members, 0)
end

---Raises the error of a journal. It says nothing of the service, so that no acceptor sees it.
local function refuse_journal(message)
  error(script_error.about_bide { type = "JournalFailed", message = message }, 0)
end

local refusals = {
  mismatch = function(request, path)
    refuse("IdempotentParameterMismatch", ("the token %s was used with other parameters: %s differs")
      :format(request.token, path == "" and "the whole" or path), { parameter = path })
  end,
  late = function(request)
    refuse("IdempotentTokenExpired", ("the request with the token %s was made, and its result is retained no longer")
      :format(request.token))
  end,
}

---The requests that a task of this process is making. Each is made by one task at a time.
local busy = {}

local function key_of(ledger, request)
  return ("%s\0%s\0%s"):format(ledger.name, request.identity, request.token)
end

local function releases(options, failure)
  local name = error_class.name_of(failure)
  return tables.has(RELEASES, name) or tables.has(options.releases or {}, name)
end

---Calls f with its parameters and the token, as an operation is called.
---@param text string JSON
---@return bide.Observation
local function call(f, text, token)
  return operation.call(function(value) return f(value, token) end, assert(json.read(text)))
end

---Runs f, and records its result.
---@return string result JSON
local function make(ledger, request, f, options)
  local seen = call(f, request.parameters, request.token)
  local result, failure = seen.output, seen.failure
  if failure and releases(options, failure) then ledger.free(request) end
  if not result then error(failure, 0) end
  local text = assert(result:json())
  local retain = duration.of_seconds(options.retain)
  local late = duration.of_seconds(options.lateInterval or options.retain)
  local done, mistake = ledger.record(request, text, retain, late)
  if done then return text end
  refuse_journal(("the request was made, and its result is not recorded: %s"):format(mistake))
end

---Claims the request, and makes it if that succeeds. The task may be stopped at any instruction. So the claim is
---registered for release before it is taken, and is released twice: a variable whose __close is stopped is not closed
---again, but the one below it is.
---@return string? result JSON; nil while another process makes it
---@return boolean? was_made whether it had been made before
local function try(ledger, request, key, f, options)
  local is_settled = false
  local turn = setmetatable({}, { __close = function()
    busy[key] = nil
    if not is_settled then ledger.release(request) end
  end })
  local _first <close> = turn
  local _second <close> = turn
  busy[key] = task.current() or "main"
  local claim, detail = ledger.claim(request, options.late == "run")
  is_settled = claim ~= "mine"
  if not claim then refuse_journal(detail) end
  if refusals[claim] then refusals[claim](request, detail) end
  if claim ~= "mine" then return detail, claim == "made" end
  local result = make(ledger, request, f, options)
  is_settled = true
  return result
end

---@return string result JSON
---@return boolean? was_made
local function obtain(ledger, request, f, options)
  local key = key_of(ledger, request)
  return again(function()
    if busy[key] == (task.current() or "main") then
      error(("bide.once: the request with the token %s is made within itself"):format(request.token), 0)
    end
    local result, was_made
    if not busy[key] then result, was_made = try(ledger, request, key, f, options) end
    if result then return nil, result, was_made end
    return PAUSE
  end)
end

---Makes a request at most once. The first call with a token runs f(parameters, token) and records its result. A later
---call with the same parameters returns the recorded result, or that of `refresh`, and does not run f. An error of f is
---not recorded; a validation error frees the token. Raises the errors of f, and these operation errors:
---IdempotentParameterMismatch if the parameters differ, IdempotentTokenExpired if the record is no longer retained,
---JournalFailed if the journal cannot be written: no acceptor sees that one, and the wait ends with a script error.
---@param token string
---@param parameters any
---@param f fun(parameters: any, token: string): any
---@param options? bide.OnceOptions
---@return any result
return function(token, parameters, f, options)
  options = options or {}
  local mistake, text = check(token, parameters, f, options)
  if mistake then error("bide.once: " .. mistake, 2) end
  local ledger
  ledger, mistake = ledgers.find(options.journal)
  if not ledger then refuse_journal(mistake) end
  local identity = options.identity or ledger.identity
  local result, was_made = obtain(ledger, { identity = identity, token = token, parameters = text }, f, options)
  if not (was_made and options.refresh) then return assert(json.read(result)):value() end
  local seen = call(options.refresh, result, token)
  if not seen.output then error(seen.failure, 0) end
  return seen.output:value()
end
