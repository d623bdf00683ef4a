---Waits that are killed and resumed, beside a model of them: random answers, among them the one that kills bide, with --hold,
---`--tolerate` and --max-attempts, one wait or several. The same command with --resume must end as the model does, which knows
---nothing of kills: an attempt that was cut is made again, what had ended is not asked again, and COMMAND runs once, beside a
---success. BIDE_CASES says how many cases there are, BIDE_SEED which.

local Workspace = require "spec.support.workspace"

local SEED = math.tointeger(tonumber(os.getenv "BIDE_SEED" or "") or 1)
local CASES = math.min(math.tointeger(tonumber(os.getenv "BIDE_CASES" or "") or 60), 5000)

---The answers are lines of a file; each attempt adds its own to a log, so that the next process asks for the next one.
local recipe = [[
return { Get = {
  input = { name = { type = "string" } },
  call = function(input)
    local log = assert(io.open("log_" .. input.name, "a+"))
    local made = 0
    for _ in log:lines() do made = made + 1 end
    local lines = assert(io.open("answers_" .. input.name))
    for _ = 1, made do lines:read "l" end
    local answer = lines:read "l"
    lines:close()
    log:write(answer, "\n")
    log:close()
    if answer == "kill" then os.execute "kill -9 $PPID" end
    if answer == "odd" then error { type = "Odd", message = "odd" } end
    if answer == "busy" then error { type = "ServiceUnavailable", message = "busy", status = 503 } end
    return { answer = answer }
  end,
  waitable = { Ready = { minDelay = 0.001, maxDelay = 0.001, acceptors = {
    { state = "success", matcher = { expect = { path = "answer", text = "ready" } } },
    { state = "failure", matcher = { expect = { path = "answer", text = "bad" } } },
  } } },
} }
]]

local ways = { "ready", "ready", "ready", "pending", "pending", "kill", "kill", "busy", "busy", "bad", "odd" }

-- ---- the model ---------------------------------------------------------------------------------

---@return integer code of one wait
---@return integer attempts that are not cut
---@return integer asked the requests, with those that are
local function model_of_wait(case, answers)
  local attempts, held, tolerated = 0, 0, 0
  for asked, answer in ipairs(answers) do
    if answer ~= "kill" then
      attempts = attempts + 1
      held = answer == "ready" and held + 1 or 0
      tolerated = answer == "busy" and tolerated + 1 or 0
      if held >= case.hold then return 0, attempts, asked end
      if answer == "bad" then return 1, attempts, asked end
      if answer == "odd" or tolerated > case.tolerate then return 3, attempts, asked end
      if attempts >= case.most then return 4, attempts, asked end
    end
  end
  error "the answers end before the wait"
end

---Returns the codes that the run may end with. Waits that run beside one another end in any order.
---@return table<integer, true>
---@return boolean is_success
local function expected(case)
  local codes, succeeded = {}, 0
  for _, answers in ipairs(case.answers) do
    local code = model_of_wait(case, answers)
    if code == 0 then succeeded = succeeded + 1 else codes[code] = true end
  end
  local is_success = succeeded >= (case.goal == "--any" and 1 or #case.answers)
  return is_success and { [0] = true } or codes, is_success
end

-- ---- cases -------------------------------------------------------------------------------------

local function new_answers()
  local answers, length = {}, math.random(0, 9)
  local is_good = math.random(2) == 1
  for position = 1, length do
    local answer = ways[math.random(#ways)]
    answers[position] = is_good and (answer == "bad" or answer == "odd") and "ready" or answer
  end
  for _ = 1, 12 do answers[#answers + 1] = "ready" end
  return answers
end

local function new_case()
  local case = { answers = {}, hold = math.random(3), tolerate = math.random(0, 3), most = math.random(3) == 1 and 8 or 99 }
  for position = 1, math.random(3) == 1 and math.random(2, 3) or 1 do case.answers[position] = new_answers() end
  case.goal = #case.answers > 1 and math.random(2) == 1 and "--any" or nil
  return case
end

local function words_of(case)
  local words = { "run", "--interval", "1ms" }
  local function add(...) table.move({ ... }, 1, select("#", ...), #words + 1, words) end
  if case.hold > 1 then add("--hold", tostring(case.hold)) end
  if case.tolerate > 0 then add("--tolerate", tostring(case.tolerate)) end
  if case.most < 99 then add("--max-attempts", tostring(case.most)) end
  for position in ipairs(case.answers) do
    if position > 1 then add "+" end
    add("./ready.lua", "name=" .. position)
  end
  add(case.goal)
  add("--max-wait", "1m", "--journal", "j", "--resume", "--quiet", "--output", "json=o.json", "--", "sh", "-c", "echo >>ran")
  return words
end

describe("waits that are killed and resumed", function()
  local workspace

  setup(function()
    workspace = Workspace.make_in_memory()
    workspace:write("ready.lua", recipe)
  end)
  teardown(function() workspace:remove() end)

  local function read(name)
    local file <close> = io.open(workspace.path .. "/" .. name)
    return file and file:read "a" or ""
  end

  ---Runs the command again until it ends of its own.
  local function run(case)
    workspace:shell "rm -f j j-* ran o.json log_*"
    for position, answers in ipairs(case.answers) do
      workspace:write("answers_" .. position, table.concat(answers, "\n") .. "\n")
    end
    local words = words_of(case)
    local done
    repeat done = workspace:bide(words) until done.signal ~= 9
    return done
  end

  local function mistake_of(case, done)
    local codes, is_success = expected(case)
    if not codes[done.code] then return "the exit code is " .. done.code end
    if read "ran" ~= (is_success and "\n" or "") then return ("COMMAND ran %d times"):format(#read "ran") end
    if #case.answers > 1 then return nil end
    local _, attempts, asked = model_of_wait(case, case.answers[1])
    if select(2, read("log_1"):gsub("\n", "")) ~= asked then return "the service was asked:\n" .. read "log_1" end
    local told = read("o.json"):match '"attempts": (%d+)'
    return told ~= tostring(attempts) and ("%s attempts are told, and not %d"):format(told, attempts) or nil
  end

  it(("end as the model does, %d cases from seed %d"):format(CASES, SEED), function()
    math.randomseed(SEED)
    for number = 1, CASES do
      local case = new_case()
      local done = run(case)
      local mistake = mistake_of(case, done)
      if mistake then
        local lines = {}
        for position, answers in ipairs(case.answers) do lines[position] = table.concat(answers, " ") end
        error(("case %d: %s\n%s\n%s\n%s"):format(number, mistake, table.concat(words_of(case), " "), table.concat(lines, "\n"),
          done.stderr))
      end
    end
  end)
end)
