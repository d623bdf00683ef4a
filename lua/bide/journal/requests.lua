---The requests of a journal: what bide.once has made, or is making. A request is known by who
---makes it and by its token.

local core = require "bide.core"
local luv = require "luv"
local schema = require "bide.journal.schema"

local json = core.json

local M = {}

---@class bide.Request
---@field identity string
---@field token string
---@field parameters string JSON

---The path of the first member, by name, in which two values differ; nil where they are equal.
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

---What time has made of a record: nil while it is retained; "late", it is known that there was one; "forgotten".
---@return "late"|"forgotten"|nil
local function age_of(row, now)
  if not row.ended or not row.retain then return nil end
  if now <= row.ended + row.retain and row.result ~= "" then return nil end
  return row.late and now > row.ended + row.retain + row.late and "forgotten" or "late"
end

local function delete(query, request)
  query("DELETE FROM request WHERE identity = ? AND token = ?", request.identity, request.token)
end

---Decodes the JSON of a column; ends the transaction where it is none.
local function decoded(journal, name, text)
  local value, mistake = json.decode(text)
  if mistake then journal.refuse("it is broken: request.%s: expected JSON", name) end
  return value
end

---@alias bide.Claim "mine"|"theirs"|"made"|"mismatch"|"late"

---Claims a request: "mine", it is the caller's to make; "theirs", another process that lives is making it;
---"made", with its result; "mismatch", with the path of the parameter that differs; "late", it was
---made, and is retained no longer, though not so long ago that it would be forgotten.
---@param journal bide.Journal
---@param request bide.Request
---@param anew boolean whether a late request is made anew
---@return bide.Claim? claim
---@return string? detail the mistake where there is no claim
function M.claim(journal, request, anew)
  local now, detail = core.loop.wall(), nil
  local claim, mistake = journal:transact(function(query)
    local row = find(query, request)
    local age = row and age_of(schema.check(journal, "request", row), now)
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

---Records what a request has given.
---@param journal bide.Journal
---@param request bide.Request
---@param result string JSON
---@param retain integer? milliseconds
---@param late integer? milliseconds after those for which it is known that there was a record
---@return any? done
---@return string? mistake
function M.record(journal, request, result, retain, late)
  local now = core.loop.wall()
  return journal:transact(function(query)
    query("UPDATE request SET result = ?, ended = ?, retain = ?, late = ?, owner = NULL WHERE identity = ? AND token = ?",
      result, now, retain, late, request.identity, request.token)
  end, true)
end

---Frees the token: nothing was done, and it is as if nobody had asked.
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

---Lets go of a claim: the request stays in progress, and is the next one's to make.
---@param journal bide.Journal
---@param request bide.Request
function M.release(journal, request)
  journal:post { write = function(_, query)
    query("UPDATE request SET owner = NULL WHERE identity = ? AND token = ? AND owner = ? AND result IS NULL",
      request.identity, request.token, journal.owner)
  end }
end

return M
