---Finds the partition of a region: AWS's own list of partitions names regions, and has a regular expression for those that
---are newer than the list.

local tables = require "bide.text.tables"

local M = {}

---The partition of a region that no partition knows.
local DEFAULT = "aws"

---Classes that regular expressions and Lua's patterns write in different ways.
local escapes = { w = "[%w_]", d = "%d", s = "%s" }

---Returns the patterns of Lua that together match what a regular expression of the list matches: characters, classes
---with their quantifiers, and groups of alternatives, "^(us|eu)\\-\\w+\\-\\d+$".
---@param expression string
---@return string[] patterns
local function patterns_of(expression)
  if expression:find "[%[%]{}]" or expression:find "%)[*+?]" then
    error("partitions: expected a regular expression without classes and repeated groups, found " .. expression, 0)
  end
  local before, group, after = expression:match "^(.-)(%b())(.*)$"
  if not group then
    return { (expression:gsub("([%-%%])", "%%%1"):gsub("\\(%%?.)", function(escaped)
      return escapes[escaped] or #escaped == 2 and escaped or "%" .. escaped
    end)) }
  end
  local patterns = {}
  for alternative in group:sub(2, -2):gmatch "[^|]+" do
    tables.append(patterns, patterns_of(before .. alternative .. after))
  end
  return patterns
end

---@class bide.aws.PartitionIndex
---@field by_region table<string, table> what is known of the partition of each region on the list
---@field by_pattern { [1]: string, [2]: table }[] the same for the patterns of regions
---@field default table?

local function add(index, partition)
  local outputs = tables.merged({ name = partition.id }, partition.outputs)
  for region, changes in pairs(partition.regions or {}) do
    index.by_region[region] = tables.merged(outputs, changes)
  end
  for _, pattern in ipairs(patterns_of(partition.regionRegex)) do
    index.by_pattern[#index.by_pattern + 1] = { pattern, outputs }
  end
  if partition.id == DEFAULT then index.default = outputs end
end

local index_of = setmetatable({}, { __mode = "k" })

---@return bide.aws.PartitionIndex
local function index(partitions)
  local found = index_of[partitions]
  if not found then
    if type(partitions.partitions) ~= "table" then error("partitions: expected the document partitions.json", 0) end
    found = { by_region = {}, by_pattern = {} }
    for _, partition in ipairs(partitions.partitions) do add(found, partition) end
    index_of[partitions] = found
  end
  return found
end

---Returns what is known of a region's partition: name, dnsSuffix, dualStackDnsSuffix, supportsFIPS and the like.
---@param partitions table the document partitions.json
---@param region string?
---@return table? outputs
function M.find(partitions, region)
  if type(region) ~= "string" then return nil end
  local known = index(partitions)
  if known.by_region[region] then return known.by_region[region] end
  for _, row in ipairs(known.by_pattern) do
    if region:find(row[1]) then return row[2] end
  end
  return known.default
end

return M
