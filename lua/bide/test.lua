---Test cases of recipes in a spec for busted, as `bide test` runs them: on the virtual clock and without network. The loop of
---the process has the virtual clock from the first case on, for good.
---
---    local test = require "bide.test"
---    for _, case in ipairs(test.cases "jobs.wait.lua") do
---      it(case.name, function() case:check() end)
---    end

local cases = require "bide.cli.test.case"
local core = require "bide.core"
local expectation = require "bide.cli.test.expectation"
local files = require "bide.cli.test.files"
local option = require "bide.text.option"
local tables = require "bide.text.tables"
local watch = require "bide.wait.watch"

local M = {}

---A case of a test file.
---@class bide.test.Check
---@field name string
---@field case bide.test.Case
---@field file bide.test.File
local Check = {}
Check.__index = Check

---Runs the case. Raises the differences, and the attempts that were made, if it is not as expected.
function Check:check()
  core.loop.use_virtual_clock()
  watch.disable()
  local run = cases.run(self.case, self.file)
  if #run.faults == 0 then return end
  local lines = tables.joined(run.faults, run.record and expectation.path(run))
  error(("%s: %s"):format(self.name, table.concat(lines, "\n")), 2)
end

---Returns the cases of test files, and of folders with such files.
---@param ... string
---@return bide.test.Check[]
function M.cases(...)
  for position, path in ipairs { ... } do
    if type(path) ~= "string" then error(("cases: %d: %s"):format(position, option.expected("a path", path)), 2) end
  end
  local list, found, mistake = {}, files.find { ... }
  if not found then error("cases: " .. mistake, 2) end
  for _, path in ipairs(found) do
    local file
    file, mistake = files.read(path)
    if not file then error("cases: " .. mistake, 2) end
    for _, case in ipairs(file.cases) do
      list[#list + 1] = setmetatable({ name = case.name, case = case, file = file }, Check)
    end
  end
  return list
end

return M
