---Several waits beside a model of them: random lists whose waits end in a known order, with --any, --some, --fail-fast,
---`--keep-going`, `--exit-code` and signals. The exit code, COMMAND, the JSON and the JUnit report must agree with the model,
---which is written from the words of the page, and shares no code with bide. BIDE_CASES says how many cases there are,
---BIDE_SEED which.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local uv = require "luv"

local SEED = math.tointeger(tonumber(os.getenv "BIDE_SEED" or "") or 1)
local CASES = math.min(math.tointeger(tonumber(os.getenv "BIDE_CASES" or "") or 80), 5000)

---Each wait ends in its turn, which the one before it gives on.
local recipe = [[
local bide, uv = require "bide", require "luv"
local turn = 1
return { End = {
  input = { how = { type = "string" }, turn = { type = "integer" } },
  call = function(input)
    if input.how == "late" then bide.sleep(60) end
    while turn < input.turn do bide.sleep(0.001) end
    turn = input.turn + 1
    if input.how == "odd" then error { type = "Odd", message = "odd" } end
    if input.how == "raise" then error "a bug" end
    if input.how == "signal" then
      uv.kill(uv.os_getpid(), "sigterm")
      bide.sleep(60)
    end
    return { how = input.how }
  end,
  waitable = { Ended = { acceptors = {
    { state = "success", matcher = { expect = { path = "how", text = "up" } } },
    { state = "failure", matcher = { expect = { path = "how", text = "bad" } } },
    { state = "failure", name = "Named", matcher = { expect = { path = "how", text = "named" } } },
  } } },
} }
]]

---How a wait ends, with the exit code of that. A wait that is used up has made its one attempt; one that is late ends by the
---deadline, after all others; one ends the whole by a signal.
local code_of = { up = 0, bad = 1, named = 1, odd = 3, used = 4, raise = 5, late = 124 }
local ways = { "up", "up", "up", "up", "bad", "named", "odd", "used", "raise", "signal" }

-- ---- the model ---------------------------------------------------------------------------------

---The causes, the worst first.
local place_of = { [5] = 1, [3] = 2, [1] = 3, [4] = 4, [124] = 5 }

---@return integer code
---@return boolean is_success whether COMMAND runs
---@return integer count of the waits that have ended of their own
local function expected(case)
  local succeeded, excused, left, first, worst, place = 0, 0, #case.waits, nil, 0, 6
  for count, how in ipairs(case.waits) do
    if how == "signal" then return 143, false, count - 1 end
    left = left - 1
    local code = how == "named" and case.code or code_of[how]
    if how == "up" then
      succeeded = succeeded + 1
      if succeeded >= case.needed then return 0, true, count end
    elseif code == 0 then
      excused = excused + 1
    else
      first = first or code
      local own = place_of[code_of[how]]
      if own < place or own == place and code > worst then worst, place = code, own end
      if succeeded + excused + left < case.needed and not case.continues then
        return case.takes_worst and worst or first, false, count
      end
    end
  end
  if first then return case.takes_worst and worst or first, false, #case.waits end
  return succeeded + excused >= case.needed and 0 or 1, false, #case.waits
end

-- ---- cases -------------------------------------------------------------------------------------

---@return table case the ends of the waits, in the order in which they come
local function new_case()
  local case = { waits = {} }
  local count = math.random(2, 4)
  for position = 1, count do case.waits[position] = ways[math.random(#ways)] end
  if math.random(12) == 1 then case.waits[count] = "late" end
  case.needed = math.random(2) == 1 and count or math.random(count)
  case.by_each = math.random(3) == 1
  local says = math.random(3)
  case.says = ({ "--keep-going", "--fail-fast" })[says]
  case.takes_worst = says == 1 or says == 3 and case.by_each
  case.continues = says == 1 or says == 3 and case.by_each and case.needed == count
  case.code = ({ 0, 9 })[math.random(3)] or 1
  case.has_command = math.random(2) == 1
  return case
end

---Returns the entries of the list, in another order than that of their ends, and the positions of these ends.
local function entries_of(case)
  local entries, ends = {}, {}
  for position, how in ipairs(case.waits) do
    local entry = { recipe = "./ended.lua", input = { how = how, turn = position }, maxAttempts = how == "used" and 1 or nil }
    if case.code ~= 1 then entry.exitCode = { Named = case.code } end
    local at = math.random(position)
    table.insert(entries, at, core.json.encode(entry))
    table.insert(ends, at, position)
  end
  return entries, ends
end

local function words_of(case)
  local words = case.by_each and { "run", "--each", "waits.jsonl" } or { "run", "waits.json" }
  local count = #case.waits
  if case.needed == 1 and count > 1 then
    words[#words + 1] = "--any"
  elseif case.needed < count then
    table.move({ "--some", tostring(case.needed) }, 1, 2, #words + 1, words)
  end
  words[#words + 1] = case.says
  local limit = case.waits[count] == "late" and "400ms" or "30s"
  local rest = { "--max-wait", limit, "--quiet", "--output", "json=o.json", "--output", "junit=o.xml" }
  table.move(rest, 1, #rest, #words + 1, words)
  return case.has_command and table.move({ "--", "touch", "ran" }, 1, 3, #words + 1, words) or words
end

---Returns what is wrong with the reports; nil if nothing is.
---@param ends integer[] by the position in the list, as which wait it ends
---@param count integer of the waits that end of their own
local function mistake_of_reports(workspace, case, ends, is_success, count)
  local report, position = core.json.decode(workspace:read "o.json"), 0
  if (report.state == "success") ~= is_success then return "the JSON says " .. report.state end
  for inner in workspace:read("o.xml"):gmatch "<testcase .->(.-)</testcase>" do
    position = position + 1
    local outcome, nth = report.outcomes[position], ends[position]
    local how = nth <= count and case.waits[nth] or "cancelled"
    if (outcome.state == "success") ~= (how == "up") then return ("wait %d, %s, is a %s"):format(nth, how, outcome.state) end
    if how == "cancelled" and outcome.reason ~= "cancelled" then return ("wait %d ended by %s"):format(nth, outcome.reason) end
    local passes = not (inner:find("<failure", 1, true) or inner:find("<error", 1, true) or inner:find("<skipped", 1, true))
    if passes ~= (how == "up") then return ("wait %d, %s, passes in JUnit: %s"):format(nth, how, passes) end
  end
  return position ~= #case.waits and ("JUnit has %d cases"):format(position) or nil
end

describe("random lists of waits", function()
  local workspace = Workspace.of_block { ["ended.lua"] = recipe }

  it(("end as the model does, %d cases from seed %d"):format(CASES, SEED), function()
    math.randomseed(SEED)
    local successes = 0
    for number = 1, CASES do
      local case = new_case()
      local entries, ends = entries_of(case)
      workspace:write("waits.json", "[" .. table.concat(entries, ",") .. "]")
      workspace:write("waits.jsonl", table.concat(entries, "\n") .. "\n")
      os.remove(workspace.path .. "/ran")
      local words = words_of(case)
      local done = workspace:bide(words)
      local code, is_success, count = expected(case)
      local ran = uv.fs_stat(workspace.path .. "/ran") ~= nil
      local mistake = mistake_of_reports(workspace, case, ends, is_success, count)
      if done.code ~= code or ran ~= (is_success and case.has_command) or mistake then
        error(("case %d: expected exit %d and success %s, found %d and COMMAND %s, %s: %s\n%s with Named=%d\n%s"):format(number,
          code, is_success, done.code, ran, mistake, table.concat(words, " "), table.concat(case.waits, ", "), case.code,
          done.stderr))
      end
      successes = successes + (is_success and 1 or 0)
    end
    assert.is_true(successes > CASES // 10 and successes < CASES, "too much of one kind to mean anything")
  end)
end)
