---The requests of a journal, which bide.once has made or is making. The key of a request is the identity of its caller and
---its token.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local luv = require "luv"

local json = core.json

local M = {}

---@class bide.Request
---@field identity string
---@field token string
---@field parameters string JSON

---Returns the path of the first member, by name, in which two values differ; nil if they are equal.
---@param a any
---@param b any
---@param path? string
---@return string?
local function difference(a, b, path)
  path = path or ""
  if type(a) ~= "table" or type(b) ~= "table" then return a ~= b and path or nil end
  if json.is_array(a) ~= json.is_array(b) and (next(a) or next(b)) then return path end
  local names = {}
  for name in pairs(a) do names[#names + 1] = name end
  for name in pairs(b) do
    if a[name] == nil then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local below = math.type(name) and ("%s[%d]"):format(path, name) or path == "" and name or path .. "." .. name
    local found = difference(a[name], b[name], below)
    if found then return found end
  end
end
M.difference = difference

local function find(query, request)
  return query("SELECT * FROM request WHERE identity = ? AND token = ?", request.identity, request.token)[1]
end

---Returns the age of a record: nil while it is retained, "late" while its tombstone is kept, then "forgotten".
---@return "late"|"forgotten"|nil
local function age_of(row, now)
  if not row.ended or not row.retain then return nil end
  if now <= row.ended + row.retain and row.result ~= "" then return nil end
  return row.late and now > row.ended + row.retain + row.late and "forgotten" or "late"
end

local function delete(query, request)
  query("DELETE FROM request WHERE identity = ? AND token = ?", request.identity, request.token)
end

---Decodes the JSON of a column. Ends the transaction if it is not JSON.
local function decoded(journal, name, text)
  local value, mistake = json.decode(text)
  if mistake then journal.refuse("it is broken: request.%s: expected JSON", name) end
  return value
end

---@alias bide.Claim "mine"|"theirs"|"made"|"mismatch"|"late"

---Claims a request. "mine": the caller has to make it. "theirs": another running process is making it. "made": with its
---result. "mismatch": with the path of the parameter that differs. "late": it was made, its result is no longer retained,
---but its tombstone still is.
---@param journal bide.Journal
---@param request bide.Request
---@param anew boolean whether a late request is made anew
---@return bide.Claim? claim
---@return string? detail the mistake if there is no claim
function M.claim(journal, request, anew)
  local now, detail = core.loop.wall(), nil
  local claim, mistake = journal:transact(function(query)
    local row = find(query, request)
    local age = row and age_of(checked.row(journal, "request", row), now)
    if age == "late" and not anew then return "late" end
    if age then
      delete(query, request)
      row = nil
    end
    if not row then
      query("INSERT INTO request (identity, token, parameters, began, owner, process) VALUES (?, ?, ?, ?, ?, ?)",
        request.identity, request.token, request.parameters, now, journal.owner, luv.os_getpid())
      return "mine"
    end
    detail = difference(decoded(journal, "parameters", row.parameters), json.decode(request.parameters))
    if detail then return "mismatch" end
    detail = row.result
    if detail and decoded(journal, "result", detail) ~= nil then return "made" end
    if row.owner ~= journal.owner and journal:is_alive(row.owner) then return "theirs" end
    query("UPDATE request SET owner = ?, process = ? WHERE identity = ? AND token = ?", journal.owner, luv.os_getpid(),
      request.identity, request.token)
    return "mine"
  end, true)
  return claim, mistake or detail
end

---Records the result of a request.
---@param journal bide.Journal
---@param request bide.Request
---@param result string JSON
---@param retain integer? milliseconds
---@param late integer? milliseconds after those for which the tombstone is kept
---@return any? done
---@return string? mistake
function M.record(journal, request, result, retain, late)
  local now = core.loop.wall()
  return journal:transact(function(query)
    query("UPDATE request SET result = ?, ended = ?, retain = ?, late = ?, owner = NULL WHERE identity = ? AND token = ?",
      result, now, retain, late, request.identity, request.token)
  end, true)
end

---Removes the record, since nothing was done: the token is free again.
---@param journal bide.Journal
---@param request bide.Request
---@return any? done
---@return string? mistake
function M.free(journal, request)
  return journal:transact(function(query)
    query("DELETE FROM request WHERE identity = ? AND token = ? AND owner = ? AND result IS NULL",
      request.identity, request.token, journal.owner)
  end, true)
end

---Releases a claim. The request stays in progress, and the next caller makes it.
---@param journal bide.Journal
---@param request bide.Request
function M.release(journal, request)
  journal:post { write = function(_, query)
    query("UPDATE request SET owner = NULL WHERE identity = ? AND token = ? AND owner = ? AND result IS NULL",
      request.identity, request.token, journal.owner)
  end }
end

return M
