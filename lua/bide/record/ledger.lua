---The place of the requests of bide.once: a journal, or in an attempt of a worker its store.

local journals = require "bide.record.journal"
local luv = require "luv"
local requests = require "bide.record.journal.requests"

local M = {}

---A place for requests. The claims, and what becomes of them, are those of bide.record.journal.requests.
---@class bide.Ledger
---@field name string
---@field identity string of a caller that gives none
---@field claim fun(request: bide.Request, anew: boolean): bide.Claim?, string?
---@field record fun(request: bide.Request, result: string, retain: integer?, late: integer?): any, string?
---@field free fun(request: bide.Request)
---@field release fun(request: bide.Request) may not wait

---@type (fun(): bide.Ledger?)?
local find_own

---Sets how the ledger of the running task is found.
---@param find fun(): bide.Ledger? returns nil for a task that has none of its own
function M.set(find)
  find_own = find
end

---@param journal bide.Journal
---@return bide.Ledger
local function of_journal(journal)
  return {
    name = journal.file, identity = ("user %d"):format(luv.getuid()),
    claim = function(request, anew) return requests.claim(journal, request, anew) end,
    record = function(request, ...) return requests.record(journal, request, ...) end,
    free = function(request) requests.free(journal, request) end,
    release = function(request) requests.release(journal, request) end,
  }
end

---Returns the ledger of the running task, or the journal in a file.
---@param file? string which was asked for
---@return bide.Ledger?
---@return string? mistake
function M.find(file)
  local own = not file and find_own and find_own()
  if own then return own end
  local journal, mistake = journals.shared(file)
  return journal and of_journal(journal), mistake
end

return M
