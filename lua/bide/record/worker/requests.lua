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
---@field released bide.store.Request[] which are to be released
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

---@return bide.store.Request
local function of_store(wait, request, anew)
  return {
    wait = wait.turn.id, attempt = wait:made(), identity = request.identity, token = request.token,
    parameters = request.parameters, anew = anew or false,
  }
end

local function microseconds(milliseconds)
  return milliseconds and milliseconds * 1000
end

---Returns the ledger of the running attempt; nil outside of attempts.
---@return bide.Ledger?
function Requests:find()
  local attempt = task.attempt()
  local wait = attempt and task.argument(attempt)
  if not (wait and wait.turn) then return nil end
  local worker = self.worker
  return {
    name = worker.store.url, identity = worker.store.sends_files and "" or ("user %d"):format(luv.getuid()),
    claim = function(request, anew) return ask(worker, "once", of_store(wait, request, anew)) end,
    record = function(request, result, retain, late)
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
