---How a row of the bench is measured: its sides take turns, five times, and the medians count. A row is one JSON object a
---line, with the load and the steal of the machine beside it; above 2 % of steal during a row, the row is void.

local core = require "bide.core"
local turns = require "spec.support.turns"
local uv = require "luv"

local M = {}

local MOST_STEAL <const> = 2

---The turns of each side.
local TURNS = math.tointeger(tonumber(os.getenv "BIDE_ROUNDS")) or 5

---The clock of /proc, in ticks a second.
local TICKS <const> = 100

local function read(path)
  local file <close> = io.open(path)
  return file and file:read "a"
end

---Returns the time that the hypervisor gave to others, and all time, in ticks.
local function steal()
  local values, sum = {}, 0
  for value in read("/proc/stat"):match("cpu ([^\n]*)"):gmatch "%d+" do values[#values + 1] = tonumber(value) end
  for position = 1, 8 do sum = sum + values[position] end
  return values[8], sum
end

---Returns the processor time of the threads of a process, to the nanosecond; 0 if the kernel does not keep it.
---@param pid integer
---@return number seconds
local function time_of_threads(pid)
  local sum, folder = 0, ("/proc/%d/task"):format(pid)
  local threads = uv.fs_scandir(folder)
  if not threads then return 0 end
  for name in uv.fs_scandir_next, threads do
    sum = sum + (tonumber((read(("%s/%s/schedstat"):format(folder, name)) or ""):match "^%d+") or 0)
  end
  return sum / 1e9
end

---Returns the processor time of a process in seconds, that of its ended children included; nil if it is gone. Its own time
---is a sum of ticks only as far as it was that of threads which have ended.
---@param pid integer
---@return number?
---@return integer? parent
function M.time_of(pid)
  local text = read(("/proc/%d/stat"):format(pid))
  if not text then return nil end
  local values = {}
  for value in text:match("^.*%) %a (.*)"):gmatch "%S+" do values[#values + 1] = tonumber(value) end
  return math.max(time_of_threads(pid), (values[11] + values[12]) / TICKS) + (values[13] + values[14]) / TICKS, values[1]
end

---Returns the processes of which another one is the parent.
---@param pid integer
---@return integer[]
function M.children_of(pid)
  local list = {}
  for name in uv.fs_scandir_next, uv.fs_scandir "/proc" do
    local child = math.tointeger(tonumber(name))
    local time, parent = nil, nil
    if child then time, parent = M.time_of(child) end
    if time and parent == pid then list[#list + 1] = child end
  end
  return list
end

---Returns the processor time of a process and its children, in seconds.
---@param pid integer
---@return number
function M.time_of_family(pid)
  local sum = M.time_of(pid) or 0
  for _, child in ipairs(M.children_of(pid)) do sum = sum + (M.time_of(child) or 0) end
  return sum
end

---Returns the most memory that a process and its children had, in megabytes; what they share counts for each of them.
---@param pid integer
---@return number
function M.memory_of_family(pid)
  local sum = 0
  for _, one in ipairs(table.move(M.children_of(pid), 1, 1000, 2, { pid })) do
    sum = sum + tonumber((read(("/proc/%d/status"):format(one)) or ""):match "VmHWM:%s+(%d+)" or 0)
  end
  return sum / 1024
end

---Returns the value below which a share of them is.
---@param values number[] which this sorts
---@param share number
---@return number
function M.quantile(values, share)
  table.sort(values)
  return values[math.max(math.ceil(#values * share), 1)]
end

---@param values number[]
function M.median(values)
  return M.quantile(values, 0.5)
end

---@return number seconds
function M.now()
  return uv.hrtime() / 1e9
end

---Runs each side in turns. Returns of each side the median of every member that it returned.
---@param sides table<string, fun(): table<string, number>>
---@return table<string, table<string, number>>
function M.in_turns(sides)
  local names, found = {}, {}
  for name in pairs(sides) do
    names[#names + 1], found[name] = name, {}
  end
  table.sort(names)
  for _ = 1, TURNS do
    for _, name in ipairs(names) do
      for member, value in pairs(sides[name]()) do
        found[name][member] = found[name][member] or {}
        table.insert(found[name][member], value)
      end
    end
  end
  for _, members in pairs(found) do
    for member, values in pairs(members) do members[member] = M.median(values) end
  end
  return found
end

local function rounded(value)
  if type(value) == "table" then
    local copy = {}
    for name, member in pairs(value) do copy[name] = rounded(member) end
    return copy
  end
  if math.type(value) ~= "float" or math.abs(value) > 1e15 then return value end
  return math.abs(value) >= 100 and math.floor(value + 0.5) or math.floor(value * 1000 + 0.5) / 1000
end

---Runs f, which returns the lines of a row, and prints them.
---@param row string
---@param f fun(): table[]
function M.run(row, f)
  local stolen, all = steal()
  local began = M.now()
  local lines = f()
  local stolen_after, all_after = steal()
  local percent = 100 * (stolen_after - stolen) / math.max(all_after - all, 1)
  for _, line in ipairs(lines) do
    line.row, line.steal, line.load, line.took = row, percent, uv.loadavg(), M.now() - began
    line.void = percent > MOST_STEAL or nil
    print(core.json.encode(rounded(line)))
  end
  io.stdout:flush()
end

---A line that compares a value with its reference: their ratio has a goal.
---@param name string
---@param value number
---@param reference number
---@param goal { least: number?, most: number? }
---@param more? table
---@return table
function M.ratio(name, value, reference, goal, more)
  local ratio = value / reference
  local line = {
    bench = name, bide = value, reference = reference, ratio = ratio, least = goal.least, most = goal.most,
  }
  if goal.least or goal.most then
    line.reached = (not goal.least or ratio >= goal.least) and (not goal.most or ratio <= goal.most)
  end
  for member, one in pairs(more or {}) do line[member] = one end
  return line
end

---A line of a value that has a goal itself.
---@param name string
---@param value number
---@param most number
---@param more? table
---@return table
function M.bound(name, value, most, more)
  local line = { bench = name, bide = value, most = most, reached = value <= most }
  for member, one in pairs(more or {}) do line[member] = one end
  return line
end

---Lets the loop turn.
---@param seconds number
function M.pass(seconds)
  turns.pass(seconds * 1000)
end

return M
