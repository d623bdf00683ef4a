---The requests of bide.once in the attempts of a worker, which its store keeps. While the store is away a request waits for
---it, until the attempt is cut. A claim that its attempt gives up is released by a task of the worker, since what is being
---ended may not wait.

local await = require "bide.task.await"
local core = require "bide.core"
local ledger = require "bide.record.ledger"
local luv = require "luv"

local loop, task = core.loop, core.task

local M = {}

---In milliseconds: before a verb is called again that the store did not answer.
local AGAIN = 500

---@class bide.worker.Requests
---@field worker bide.Worker
---@field released bide.record.Request[] which are to be released
local Requests = {}
Requests.__index = Requests

---Calls a verb until the store answers.
---@return any answer nil if it refuses
---@return any detail
local function ask(worker, verb, ...)
  while true do
    local answer, detail
    if worker.me then answer, detail = worker.store[verb](worker.store, worker.me, ...) end
    if answer ~= nil then return answer, detail end
    if detail and detail.kind ~= "away" and detail.kind ~= "expired" then return nil, detail.message end
    await(loop.update() + AGAIN)
  end
end

---Returns the mistake if a JSON text has a secret by name of the running attempt in it: a store keeps the requests of bide.once
---as they are.
---@param turn bide.worker.Turn
---@param text string
---@return string?
local function mistake_of(turn, text)
  if not turn.filled then return nil end
  local mask, document = core.secret.mask(), core.json.read(text)
  for _, value in ipairs(turn.filled.texts) do mask:add(value) end
  if document and document:json { redact = mask } == document:json() then return nil end
  return ("it has a secret in it, maybe %s: a store keeps none"):format(table.concat(turn.filled.names, " or "))
end

---@return bide.record.Request
local function of_store(wait, request, anew)
  return {
    wait = wait.key.id, attempt = wait:made(), identity = request.identity, token = request.token,
    parameters = request.parameters, anew = anew or false,
  }
end

local function microseconds(milliseconds)
  return milliseconds and milliseconds * 1000
end

---Returns the ledger of the running attempt; nil outside of attempts.
---@return bide.Ledger?
function Requests:find()
  local wait = task.argument_of_attempt()
  if not (wait and wait.has_turns) then return nil end
  local worker = self.worker
  return {
    name = worker.store.url, identity = worker.store.sends_files and "" or ("user %d"):format(luv.getuid()),
    claim = function(request, anew)
      for _, text in ipairs { request.identity, request.token, request.parameters } do
        local mistake = mistake_of(wait.key, text == request.parameters and text or assert(core.json.encode(text)))
        if mistake then return nil, mistake end
      end
      return ask(worker, "once", of_store(wait, request, anew))
    end,
    record = function(request, result, retain, late)
      local refusal = mistake_of(wait.key, result)
      if refusal then return nil, refusal end
      local is_written, mistake = ask(worker, "once_end", of_store(wait, request), {
        result = result, is_done = true, retain = microseconds(retain), late = microseconds(late),
      })
      return is_written, is_written == false and "another attempt has taken it over" or mistake
    end,
    free = function(request) ask(worker, "once_end", of_store(wait, request), { is_done = true }) end,
    release = function(request)
      table.insert(self.released, of_store(wait, request))
      if self.waker then self.waker() end
    end,
  }
end

---Releases what attempts have given up, until it is cancelled.
function Requests:run()
  while true do
    local request = table.remove(self.released, 1)
    if request then
      ask(self.worker, "once_end", request, { is_done = false })
    else
      await(nil, function(waker) self.waker = waker end)
      self.waker = nil
    end
  end
end

---Makes the ledger of a worker, which bide.once uses in its attempts from now on.
---@param worker bide.Worker
---@return bide.worker.Requests
function M.new(worker)
  local requests = setmetatable({ worker = worker, released = {} }, Requests)
  ledger.set(function() return requests:find() end)
  return requests
end

return M
