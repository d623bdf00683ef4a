---The coverage of acceptors: which of them decided in some case, and which error types no acceptor has seen.

local M = {}

---@class bide.test.Coverage
---@field waiters table<string, { recipe: string, name: string, count: integer, decided: table<integer, true>, words: string[] }>
---@field unseen table<string, table<string, true>> by waiter, the error types that came and that no acceptor matched
local Coverage = {}
Coverage.__index = Coverage

---@return bide.test.Coverage
function M.new()
  return setmetatable({ waiters = {}, unseen = {}, names = {} }, Coverage)
end

---Adds the waiters of a recipe, without which those that have no case would not be missed.
local function add_recipe(self, recipe, place)
  for _, name in ipairs(recipe.names) do
    local key = ("%s %s"):format(place, name)
    if not self.waiters[key] then
      local words = require("bide.cli.words.acceptors").lines(recipe.waiters[name])
      self.waiters[key] = { recipe = place, name = name, count = #recipe.waiters[name].acceptors, decided = {}, words = words }
      table.insert(self.names, key)
    end
  end
end

---Returns what a run covers, as plain values.
---@param run bide.test.Run
---@return { waiter: string?, decided: integer[], unseen: string[] }
function M.of_run(run)
  local decided, unseen = {}, {}
  local acceptors = run.record and run.prepared.waiter.acceptors or {}
  for _, entry in ipairs(run.attempts) do
    local position = entry.acceptor and run.own[acceptors[entry.acceptor]]
    if position then decided[#decided + 1] = position end
    local failure = entry.error and not entry.acceptor and entry.error:value "type"
    if failure then unseen[#unseen + 1] = failure end
  end
  return { waiter = run.waiter and run.waiter.name, decided = decided, unseen = unseen }
end

---@param recipe bide.Recipe
---@param place string its file or name
---@param covered { waiter: string?, decided: integer[], unseen: string[] }
function Coverage:add(recipe, place, covered)
  add_recipe(self, recipe, place)
  local waiter = covered.waiter and self.waiters[("%s %s"):format(place, covered.waiter)]
  if not waiter then return end
  for _, position in ipairs(covered.decided) do waiter.decided[position] = true end
  for _, name in ipairs(covered.unseen) do
    self.unseen[waiter.name] = self.unseen[waiter.name] or {}
    self.unseen[waiter.name][name] = true
  end
end

---@return integer decided
---@return integer count of all acceptors
function Coverage:sum()
  local decided, count = 0, 0
  for _, waiter in pairs(self.waiters) do
    count = count + waiter.count
    for _ in pairs(waiter.decided) do decided = decided + 1 end
  end
  return decided, count
end

---@return number percent
function Coverage:percent()
  local decided, count = self:sum()
  return count == 0 and 100 or decided * 100 / count
end

---Returns the lines that say what no case has covered.
---@return string[]
function Coverage:lines()
  local lines = {}
  for _, key in ipairs(self.names) do
    local waiter = self.waiters[key]
    for position = 1, waiter.count do
      if not waiter.decided[position] then
        lines[#lines + 1] = ("%s: %s decided in no case"):format(waiter.name, waiter.words[position] and
          waiter.words[position]:gsub("%s+", " ") or "acceptor " .. position)
      end
    end
    for name in pairs(self.unseen[waiter.name] or {}) do
      lines[#lines + 1] = ("%s: the error %s came, and no acceptor matched it"):format(waiter.name, name)
    end
  end
  return lines
end

return M
