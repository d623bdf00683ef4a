---Adds to AWS's waiters what bide has beside their data, as tables in the folder of its own data. reasons.tsv has the member
---that says why a wait has failed. found.tsv has the list without which AWS's acceptors succeed as well, so that bide warns of
---it, and the texts in which an answer says what it lacks; asked.tsv has inputs with names or ids, and the list that has an
---element for each of them that the service knows. failures.tsv has acceptors for states from which no success can
---come. These are tried after those of the data, so that they take no success away. A member that the data do not have is
---null, and decides nothing.

local chunk = require "bide.recipe.file.chunk"
local data = require "bide.model.aws.data"
local folder = require "bide.model.aws.folder"
local tables = require "bide.text.tables"

local M = {}

---Returns the rows of a service, each without its name.
---@param file string
---@param service string
---@return string[][]
function M.rows(file, service)
  local list, text, at = {}, "\n" .. (chunk.read(data.own_path .. "/" .. file) or ""), 1
  local mark = folder.is_name(service) and ("\n%s\t"):format(service) or nil
  while mark do
    local _, before = text:find(mark, at, true)
    if not before then break end
    at = text:find("\n", before + 1, true) or #text + 1
    local row = {}
    for column in text:sub(before + 1, at - 1):gmatch "[^\t]+" do row[#row + 1] = column end
    list[#list + 1] = row
  end
  return list
end

---Returns the acceptors for failure of each waiter of a service.
---@param service string
---@return table<string, bide.AcceptorStructure[]>
local function acceptors_of(service)
  local by_waiter = {}
  for _, row in ipairs(M.rows("failures.tsv", service)) do
    local given = { state = "failure", matcher = row[2], argument = row[3], expected = row[4] }
    by_waiter[row[1]] = by_waiter[row[1]] or {}
    table.insert(by_waiter[row[1]], require("bide.model.botocore.waiters").acceptor(given))
  end
  return by_waiter
end

---Adds acceptors to the waiters of an operation; those of the model stay as they are.
---@param given table<string, bide.WaiterStructure>
---@param added table<string, bide.AcceptorStructure[]>
---@return table<string, bide.WaiterStructure>
local function with_acceptors(given, added)
  local waiters = {}
  for name, waiter in pairs(given) do
    waiters[name] = waiter
    if added[name] then
      waiters[name] = tables.merged(waiter, { acceptors = tables.joined(waiter.acceptors, added[name]) })
    end
  end
  return waiters
end

---Adds to the operations of a service what bide knows of their waiters.
---@param service string "ecs"
---@param operations table<string, table> gets the acceptors
---@return table<string, bide.KnownOfWaiter> known by the name of the waiter
function M.complete(service, operations)
  local acceptors, known = acceptors_of(service), {}
  for _, operation in pairs(next(acceptors) and operations or {}) do
    operation.waitable = with_acceptors(operation.waitable, acceptors)
  end
  for name, list in pairs(acceptors) do known[name] = { added = #list } end
  local function facts_of(name)
    known[name] = known[name] or {}
    return known[name]
  end
  for _, row in ipairs(M.rows("reasons.tsv", service)) do facts_of(row[1]).reason = row[2] end
  for _, row in ipairs(M.rows("found.tsv", service)) do
    local facts = facts_of(row[1])
    facts.found, facts.lacks = row[2], row[3]
  end
  for _, row in ipairs(M.rows("asked.tsv", service)) do
    local facts = facts_of(row[1])
    facts.asked = facts.asked or {}
    table.insert(facts.asked, { input = row[2], found = row[3] })
  end
  return known
end

return M
