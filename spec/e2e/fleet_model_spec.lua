---Several waits beside a model of them: random lists whose waits end in a known order, with --any, --some, --fail-fast,
---`--keep-going` and `--exit-code`. The model is written from the words of the page, and shares no code with bide. BIDE_CASES
---says how many cases there are, BIDE_SEED which.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local uv = require "luv"

local SEED = math.tointeger(tonumber(os.getenv "BIDE_SEED" or "") or 1)
local CASES = math.min(math.tointeger(tonumber(os.getenv "BIDE_CASES" or "") or 25), 2000)

---The milliseconds between the ends of two waits, far more than a loaded machine makes them late.
local PAUSE = 120

local recipe = [[
local bide = require "bide"
return { End = {
  input = { how = { type = "string" }, after = { type = "number" } },
  call = function(input)
    bide.sleep(input.after)
    if input.how == "odd" then error { type = "Odd", message = "odd" } end
    return { how = input.how }
  end,
  waitable = { Ended = { acceptors = {
    { state = "success", matcher = { expect = { path = "how", text = "up" } } },
    { state = "failure", matcher = { expect = { path = "how", text = "bad" } } },
    { state = "failure", name = "Named", matcher = { expect = { path = "how", text = "named" } } },
  } } },
} }
]]

---How a wait ends, with the exit code of that. A wait that is used up has made its one attempt.
local code_of = { up = 0, bad = 1, named = 1, odd = 3, used = 4, late = 124 }
local ways = { "up", "up", "up", "bad", "named", "odd", "used", "late" }

-- ---- the model ---------------------------------------------------------------------------------

---The causes, the worst first.
local place_of = { [3] = 1, [1] = 2, [4] = 3, [124] = 4 }

---@return integer code
---@return boolean is_success whether COMMAND runs
local function expected(case)
  local succeeded, excused, left, first, worst, place = 0, 0, #case.waits, nil, 0, 5
  for _, how in ipairs(case.waits) do
    left = left - 1
    local code = how == "named" and case.code or code_of[how]
    if how == "up" then
      succeeded = succeeded + 1
      if succeeded >= case.needed then return 0, true end
    elseif code == 0 then
      excused = excused + 1
    else
      first = first or code
      local own = place_of[code_of[how]]
      if own < place or own == place and code > worst then worst, place = code, own end
      if succeeded + excused + left < case.needed and not case.continues then return first, false end
    end
  end
  if first then return case.continues and worst or first, false end
  return succeeded + excused >= case.needed and 0 or 1, false
end

-- ---- cases -------------------------------------------------------------------------------------

---@return table case the ends of the waits, in the order in which they come
local function new_case()
  local case = { waits = {}, is_late = false }
  for position = 1, math.random(2, 4) do
    local how = ways[math.random(#ways)]
    if how == "late" and case.is_late then how = "odd" end -- two waits have one deadline, and no order
    case.is_late = case.is_late or how == "late"
    case.waits[position] = how
  end
  for position, how in ipairs(case.waits) do -- the deadline comes last
    if how == "late" then table.insert(case.waits, table.remove(case.waits, position)) break end
  end
  local count = #case.waits
  case.needed = math.random(2) == 1 and count or math.random(count)
  case.by_each = math.random(3) == 1
  local says = math.random(3)
  case.says = ({ "--keep-going", "--fail-fast" })[says]
  case.continues = says == 1 or says == 3 and case.by_each
  case.code = ({ 0, 9 })[math.random(3)] or 1
  return case
end

---Returns the entries of the list, in another order than that of their ends.
local function entries_of(case)
  local entries = {}
  for position, how in ipairs(case.waits) do
    local after = how == "late" and 60 or position * PAUSE / 1000
    local entry = { recipe = "./ended.lua", input = { how = how, after = after }, maxAttempts = how == "used" and 1 or nil }
    if case.code ~= 1 then entry.exitCode = { Named = case.code } end
    table.insert(entries, math.random(position), core.json.encode(entry))
  end
  return entries
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
  local rest = { "--max-wait", ("%dms"):format((count + 2) * PAUSE), "--quiet", "--", "touch", "ran" }
  return table.move(rest, 1, #rest, #words + 1, words)
end

describe("random lists of waits", function()
  local workspace

  setup(function()
    workspace = Workspace.make()
    workspace:write("ended.lua", recipe)
  end)
  teardown(function() workspace:remove() end)

  it(("end as the model does, %d cases from seed %d"):format(CASES, SEED), function()
    math.randomseed(SEED)
    local successes = 0
    for number = 1, CASES do
      local case = new_case()
      local entries = entries_of(case)
      workspace:write("waits.json", "[" .. table.concat(entries, ",") .. "]")
      workspace:write("waits.jsonl", table.concat(entries, "\n") .. "\n")
      os.remove(workspace.path .. "/ran")
      local words = words_of(case)
      local done = workspace:bide(words)
      local code, is_success = expected(case)
      local ran = uv.fs_stat(workspace.path .. "/ran") ~= nil
      if done.code ~= code or ran ~= is_success then
        error(("case %d: expected exit %d and COMMAND %s, found %d and %s: %s\n%s with Named=%d\n%s"):format(number, code,
          is_success, done.code, ran, table.concat(words, " "), table.concat(case.waits, ", "), case.code, done.stderr))
      end
      successes = successes + (is_success and 1 or 0)
    end
    assert.is_true(successes > CASES // 10 and successes < CASES, "too much of one kind to mean anything")
  end)
end)
