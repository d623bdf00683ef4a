---The stores of a command or a script: one, or several that are cells (`cell.lua`).
---
---A run goes whole to one cell, which is chosen before it is submitted: to any that answers, or, with a submit token, to the
---one that has the run of the token, and else to the same one each time, in whatever order the stores are named. If one of
---them is away then, nothing is submitted: the run may be there. What is asked of a run is asked of its cell, and what is
---asked of all fails if one of them does: what is missing must not look complete. Workers serve one store, and know nothing of
---cells.

local cell = require "bide.record.store.cell"
local core = require "bide.core"
local shown = require "bide.text.shown"
local stores = require "bide.record.store.open"
local urls_of = require "bide.record.store.url"
local verbs = require "bide.record.store.verbs"

local M = {}

---@class bide.record.Cells.Place
---@field url string
---@field name string the URL as it is shown
---@field cell integer? nil of a store alone whose URL has no number

---@class bide.record.Cells
---@field places bide.record.Cells.Place[] in the order of their numbers, which is that of the ids of their runs
---@field private opening? bide.record.Opening
---@field private open table<bide.record.Cells.Place, bide.Store>
---@field private is_closed boolean?
local Cells = {}
Cells.__index = Cells

---@param url string
---@return bide.record.Cells.Place?
---@return string? mistake
local function read(url)
  if stores.file(url) then return { url = url, name = shown.line(url) } end
  local name = shown.line(urls_of.without_password(url))
  local rest, found = urls_of.cut_cell(url)
  if not rest then return nil, ("%s: %s"):format(name, found) end
  return { url = url, name = name, cell = found --[[@as integer?]] }
end

---Returns what keeps stores from being cells.
---@param places bide.record.Cells.Place[]
---@return string? mistake
local function mistake_of(places)
  local name_of = {}
  for _, place in ipairs(places) do
    local other = name_of[place.cell]
    if stores.file(place.url) then
      return ("%s is a file, and several stores are databases: give one --store"):format(place.name)
    elseif not place.cell then
      return ("%s: of several stores, each URL has the number of its cell, as in postgres://HOST/DATABASE?cell=1; bide store set "
        .. "--store URL prints that of a database"):format(place.name)
    elseif other == place.name then
      return ("%s is given twice"):format(other)
    elseif other then
      return ("%s and %s have one number: each cell is a database of its own, and bide store set cell N --store URL gives one "
        .. "without runs another number"):format(other, place.name)
    end
    name_of[place.cell] = place.name
  end
end

---Reads the URLs of stores, and opens none of them.
---@param urls string[] at least one
---@param opening? bide.record.Opening
---@return bide.record.Cells?
---@return string? mistake
function M.new(urls, opening)
  local places = {}
  for position, url in ipairs(urls) do
    local place, unread = read(url)
    if not place then return nil, unread end
    places[position] = place
  end
  local mistake = #places > 1 and mistake_of(places)
  if mistake then return nil, mistake end
  table.sort(places, function(a, b) return a.cell < b.cell end)
  return setmetatable({ places = places, opening = opening, open = {} }, Cells)
end

---Returns the store of a place, which is opened if it is not.
---@param place bide.record.Cells.Place
---@return bide.Store?
---@return string? mistake
function Cells:at(place)
  if self.open[place] then return self.open[place] end
  local store, mistake = stores.open(place.url, self.opening)
  if not store then return nil, mistake end
  if self.is_closed or self.open[place] then -- by another task
    store:close()
    return self.open[place], verbs.closed().message
  end
  self.open[place] = store
  return store
end

---Returns the store that a run is in.
---@param run integer
---@return bide.Store?
---@return string? mistake
function Cells:of_run(run)
  local number <const>, names = cell.of_run(run), {}
  for position, place in ipairs(self.places) do
    if not place.cell or place.cell == number then return self:at(place) end
    names[position] = tostring(place.cell)
  end
  return nil, ("run %d is in cell %d, and the cell of the store is %s"):format(run, number, table.concat(names, " or "))
end

---Asks a store for something.
---@param cells bide.record.Cells
---@param place bide.record.Cells.Place
---@param filter bide.record.Filter
---@return bide.Store? store
---@return bide.record.Listed|string found or the mistake
---@return boolean? is_away
local function ask(cells, place, filter)
  local store, mistake = cells:at(place)
  if not store then return nil, assert(mistake) end
  local found, failure = store:list(filter)
  if found then return store, found end
  return nil, ("%s: %s"):format(place.name, failure.message), failure.kind == "away"
end

---Returns the store for a run with a submit token, of cells in the order in which they are asked.
---@param cells bide.record.Cells
---@param order bide.record.Cells.Place[]
---@param submit_token string
---@return bide.Store?
---@return string? mistake
local function for_token(cells, order, submit_token)
  local first
  for _, place in ipairs(order) do
    local store, found = ask(cells, place, { what = "runs", submit_token = submit_token })
    if not store then return nil, found .. "; every cell is asked whether it has the run of the submit token" end
    if #found.runs + #found.broken > 0 then return store end
    first = first or store
  end
  return first
end

---Returns the store that a run goes to.
---@param submit_token string?
---@return bide.Store?
---@return string? mistake
function Cells:for_run(submit_token)
  if #self.places == 1 then return self:at(self.places[1]) end
  local order = cell.ordered(self.places, submit_token or tostring(core.wait.random_seed()))
  if submit_token then return for_token(self, order, submit_token) end
  local store, mistake, is_away
  for _, place in ipairs(order) do
    store, mistake, is_away = ask(self, place, { what = "queues" })
    if store or not is_away then break end
    shown.warn(mistake .. "; another cell is tried")
  end
  return store, not store and mistake or nil
end

---Calls a function with each store, in the order of their numbers, until one fails.
---@param f fun(store: bide.Store, place: bide.record.Cells.Place): any, bide.record.Failure? returns nil and the failure
---@return true? done
---@return bide.record.Failure? failure
function Cells:each(f)
  for _, place in ipairs(self.places) do
    local store, mistake = self:at(place)
    local done, failure
    if store then done, failure = f(store, place) else failure = verbs.failure("refused", "%s", mistake) end
    if not done then
      if #self.places > 1 then failure.message = ("%s: %s"):format(place.name, failure.message) end
      return nil, failure
    end
  end
  return true
end

function Cells:close()
  self.is_closed = true
  for place, store in pairs(self.open) do
    self.open[place] = nil
    store:close()
  end
end

return M
