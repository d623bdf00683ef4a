---Sets what the bench measured beside the targets: lua5.4 compare.lua RESULTS…
---Prints one JSON object for each target and cell, and exits with 1 where one is missed. Each
---target is a ratio to a reference that was measured in the same run, so that the machine has no say.

local cjson = require "cjson"

local searches, peers, compilers, missed = {}, {}, {}, 0

local function cell_of(line)
  return line.name .. " " .. line.bytes
end

local function report(target, cell, value, limit, reached)
  if not reached then missed = missed + 1 end
  print(('{"target":"%s","cell":"%s","value":%.2f,"limit":%g,"reached":%s}'):format(target, cell, value, limit, reached))
end

local function at_least(target, cell, value, limit) report(target, cell, value, limit, value >= limit) end
local function at_most(target, cell, value, limit) report(target, cell, value, limit, value <= limit) end

local function take(line)
  if line.bench == "read" then
    at_least("reading, share of simdjson", line.document .. " " .. line.bytes, line.share_of_simdjson, 0.5)
  elseif line.bench == "search" then
    searches[#searches + 1] = line
  elseif line.bench == "peer" then
    if line.compile_ns then compilers[cell_of(line)] = line end
    local fastest = peers[cell_of(line)]
    if not fastest or line.search_ns < fastest.search_ns then peers[cell_of(line)] = line end
  end
end

for _, file in ipairs(arg) do
  for line in io.lines(file) do take(cjson.decode(line)) end
end

for _, line in ipairs(searches) do
  local cell, peer = cell_of(line), peers[cell_of(line)]
  if peer then at_least("searching, times as fast as " .. peer.engine, cell, peer.search_ns / line.search_ns, 2) end
  at_most("searching, times a hand-written loop", cell, line.times_floor, 3)
  at_most("allocations of a search", cell, line.allocations, 0)
  local compiler = compilers[cell]
  if compiler then
    at_least("compiling, times as fast as " .. compiler.engine, cell, compiler.compile_ns / line.compile_ns, 1)
  end
  if line.bytes < 6000 then
    at_most("read and search, times simdjson and a hand-written loop", cell,
      line.read_and_search_ns / line.simdjson_and_floor_ns, 2.5)
  end
end
os.exit(missed == 0 and 0 or 1)
