---Conditions beside a model of them: random --until, --fail and inputs over random answers, by `bide replay http`. The model
---below is written from the words of the pages, and shares no code with bide. BIDE_CASES says how many cases there are,
---BIDE_SEED which.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local SEED = math.tointeger(tonumber(os.getenv "BIDE_SEED" or "") or 1)
local CASES = math.min(math.tointeger(tonumber(os.getenv "BIDE_CASES" or "") or 250), 20000)

-- ---- the model ---------------------------------------------------------------------------------

---Values by their JSON: the text with which EXPRESSION=TEXT finds them, and whether they are a yes.
local values = {
  ["true"] = { text = "true", success = true, failure = true }, ["false"] = { text = "false" }, ["null"] = {},
  ["0"] = { text = "0" }, ["7"] = { text = "7", failure = true }, ['""'] = { text = "" },
  ['"ok"'] = { text = "ok", failure = true }, ['"No"'] = { text = "No" }, ['"off"'] = { text = "off" }, ["[]"] = {},
  ["{}"] = {}, ["[0]"] = { success = true, failure = true }, ['{"x":0}'] = { success = true, failure = true },
}

local names, jsons = { "a", "b", "c" }, {}
for json in pairs(values) do jsons[#jsons + 1] = json end
table.sort(jsons)

---JMESPath's own truth, of an operand of `!`, && and ||.
local function is_true(json)
  return json ~= nil and json ~= "false" and json ~= "null" and json ~= '""' and json ~= "[]" and json ~= "{}"
end

---Kinds of conditions on members of an answer. Each gives its expression, and whether it is met: by the members, those that
---some answer had, and the rule; `had` is nil where a member need not have been there.
local kinds = {
  member = { text = function(one) return one.name end,
    holds = function(one, members, _, rule)
      local json = members[one.name]
      return json ~= nil and values[json][rule] or false
    end },
  equals = { text = function(one) return ("%s=%s"):format(one.name, one.value) end,
    holds = function(one, members)
      local json = members[one.name]
      return json ~= nil and values[json].text == one.value
    end },
  literal = { text = function(one) return ("%s == '%s'"):format(one.name, one.value) end,
    holds = function(one, members) return members[one.name] == ('"%s"'):format(one.value) end },
  absent = { text = function(one) return ("%s == `null`"):format(one.name) end,
    holds = function(one, members) return (members[one.name] or "null") == "null" end },
  negated = { text = function(one) return "!" .. one.name end,
    holds = function(one, members, had) return (not had or had[one.name] == true) and not is_true(members[one.name]) end },
  differs = { text = function(one) return ("%s != '%s'"):format(one.name, one.value) end,
    holds = function(one, members, had)
      return (not had or had[one.name] == true) and members[one.name] ~= ('"%s"'):format(one.value)
    end },
  counted = { text = function(one) return ("length([%s][?@ == '%s']) == `0`"):format(one.name, one.value) end,
    holds = function(one, members, had)
      return (not had or had[one.name] == true) and members[one.name] ~= ('"%s"'):format(one.value)
    end },
  either = { text = function(one) return ("%s == 'ok' || !%s"):format(one.name, one.other) end,
    holds = function(one, members, had)
      return members[one.name] == '"ok"' or (not had or had[one.other] == true) and not is_true(members[one.other])
    end },
}

local kind_names = {}
for name in pairs(kinds) do kind_names[#kind_names + 1] = name end
table.sort(kind_names)

local function holds(one, members, had, rule)
  return kinds[one.kind].holds(one, members, had, rule)
end

---@return "success"|"failure"|"retry"
local function decide(case, answer, had)
  local asks = #case.untils + #case.fails > 0
  if answer.error then return answer.error == "NotFound" and "retry" or "failure" end
  local input = case.input
  if answer.members then
    for name in pairs(answer.members) do had[name] = true end
    for _, one in ipairs(case.fails) do
      if holds(one, answer.members, nil, "failure") then return "failure" end
    end
    local json = input.path and answer.members[input.path]
    for _, text in ipairs(input.path and input.failed or {}) do
      local value = json and values[json] or {}
      if value.text == text or text == "true" and value.failure then return "failure" end
    end
  elseif asks or input.path then
    return "retry"
  end
  if input.path then
    local value = values[answer.members[input.path] or "null"]
    if input.expect and value.text ~= input.expect or not input.expect and not value.success then return "retry" end
  end
  for _, one in ipairs(case.untils) do
    if not holds(one, answer.members, not case.allows_missing and had or nil, "success") then return "retry" end
  end
  return "success"
end

---@return string state
---@return integer attempts
local function expected(case)
  local had = {}
  for attempt, answer in ipairs(case.answers) do
    local state = decide(case, answer, had)
    if state ~= "retry" then return state, attempt end
  end
  return "failure", #case.answers
end

-- ---- cases -------------------------------------------------------------------------------------

local function pick(list) return list[math.random(#list)] end

local texts = { "ok", "No", "true", "7", "0" }

local function condition()
  return { kind = pick(kind_names), name = pick(names), other = pick(names), value = pick(texts) }
end

local function conditions(most)
  local list = {}
  for position = 1, math.random(0, most) do list[position] = condition() end
  return list
end

local others = { "5", '"ok"', "null", "true", "[1,2]", "[]" }

local function answer()
  local chance = math.random(20)
  if chance == 1 then return { error = pick { "NotFound", "Odd" } } end
  if chance == 2 then return { output = pick(others) } end
  if chance == 3 then return { output = "{}", unread = true } end
  local members = {}
  for _, name in ipairs(names) do
    if math.random(3) > 1 then members[name] = pick(jsons) end
  end
  return { members = members }
end

local function line_of(one)
  if one.error then
    return ('{"error":{"type":"%s"%s}}'):format(one.error, one.error == "NotFound" and ',"status":404' or "")
  end
  if one.output then return ('{"output":%s%s}'):format(one.output, one.unread and ',"unread":"no JSON"' or "") end
  local parts = {}
  for _, name in ipairs(names) do
    parts[#parts + 1] = one.members[name] and ('"%s":%s'):format(name, one.members[name]) or nil
  end
  return ('{"output":{%s}}'):format(table.concat(parts, ","))
end

local function new_case()
  local case = { untils = conditions(3), fails = conditions(2), input = {}, answers = {}, allows_missing = math.random(4) == 1 }
  if math.random(3) == 1 then
    case.input.path = pick(names)
    if math.random(2) == 1 then case.input.expect = pick(texts) end
    if math.random(2) == 1 then case.input.failed = { pick { "true", "7", "No" } } end
    if case.input.failed and case.input.failed[1] == case.input.expect then case.input.expect = nil end
  end
  for position = 1, math.random(4) do case.answers[position] = answer() end
  return case
end

local function words_of(case)
  local words = { "replay", "http", "ServiceHealthy", "answers.jsonl", "--max-wait", "1h", "--seed", "1", "--max-attempts",
    tostring(#case.answers), "localhost" }
  local function add(...) table.move({ ... }, 1, select("#", ...), #words + 1, words) end
  for _, one in ipairs(case.untils) do add("--until", kinds[one.kind].text(one)) end
  for _, one in ipairs(case.fails) do add("--fail", kinds[one.kind].text(one)) end
  if case.allows_missing then add "--allow-missing" end
  if case.input.path then add("path=" .. case.input.path) end
  if case.input.expect then add("expect=" .. case.input.expect) end
  if case.input.failed then add("failed=" .. case.input.failed[1]) end
  return words
end

---Returns what bide decided; nil if it refused conditions that no answer can meet.
---@return table? outcome
---@return spec.Process done
local function run(workspace, words)
  local all = table.move(words, 1, #words, 1, {})
  local done = workspace:bide(table.move({ "--output", "json", "--quiet" }, 1, 3, #all + 1, all))
  return done.code ~= 2 and core.json.decode(done.stdout) or nil, done
end

describe("random conditions", function()
  local workspace = Workspace.of_block()

  it(("decide as the model does, %d cases from seed %d"):format(CASES, SEED), function()
    math.randomseed(SEED)
    local successes, failures = 0, 0
    for number = 1, CASES do
      local case = new_case()
      local lines = {}
      for position, one in ipairs(case.answers) do lines[position] = line_of(one) end
      workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
      local words = words_of(case)
      local outcome, done = run(workspace, words)
      local state, attempts = expected(case)
      if not outcome then
        assert.not_equal("success", state, done.stderr)
        assert.matches("%-%-until", done.stderr)
      elseif outcome.state ~= state or outcome.attempts ~= attempts or (done.code == 0) ~= (state == "success") then
        error(("case %d: expected %s after %d attempts, found %s after %d, exit %d: %s\n%s\n%s"):format(number, state, attempts,
          outcome.state, outcome.attempts, done.code, outcome.message, table.concat(words, " "), table.concat(lines, "\n")))
      end
      if state == "success" then successes = successes + 1 else failures = failures + 1 end
    end
    assert.is_true(successes > CASES // 20, "too few successes to mean anything")
    assert.is_true(failures > CASES // 20, "too few failures to mean anything")
  end)
end)
