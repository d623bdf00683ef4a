---Every waiter of an installed botocore decides here as it does there: over random answers that reach its acceptors, one
---process of Python prints botocore's decisions. BIDE_PYTHON names another Python, and BIDE_BOTOCORE_DATA a folder with
---other files of the same form.

local bide = require "bide"
local core = require "bide.core"
local read = require "spec.support.read"
local reader = require "bide.model.assembly.reader"
local operation = require "bide.probe.asking.operation"
local Workspace = require "spec.support.workspace"

local json = core.json
local null = json.null

local PYTHON = os.getenv "BIDE_PYTHON" or "/usr/bin/python3"
local SCRIPT = "spec/support/aws/botocore_decisions.py"
local SEED = tonumber(os.getenv "BIDE_SEED") or os.time()
local OUTPUTS = 40

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  return pipe:close() and lines or {}
end

-- ---- answers ----------------------------------------------------------------------------------------

---What a waiter examines: the members that its paths name, and the texts that they are compared with.
local function examined(acceptors)
  local wanted = { names = {}, texts = { "another" }, codes = { "Unmodelled" }, statuses = { 200, 404, 500 } }
  for _, acceptor in ipairs(acceptors) do
    local path, expected = acceptor.argument or "", acceptor.expected
    for name in path:gmatch "[%a_][%w_]*" do wanted.names[name] = true end
    for text in path:gmatch "['\"]([^'\"]+)['\"]" do table.insert(wanted.texts, text) end
    if acceptor.matcher == "status" then table.insert(wanted.statuses, expected) end
    if acceptor.matcher == "error" and type(expected) == "string" then table.insert(wanted.codes, expected) end
    if path ~= "" and type(expected) == "string" then table.insert(wanted.texts, expected) end
  end
  return wanted
end

local function one_of(list) return list[math.random(#list)] end

---A value of another type than most shapes have; no number is one that Python takes for a boolean.
local function odd_value(wanted)
  return one_of { null, json.array {}, 7, 2.5, true, false, "", one_of(wanted.texts), json.array { null }, { Odd = 7 } }
end

local sample

local makers = {
  structure = function(opened, shape, wanted, depth)
    local value = {}
    for _, member in ipairs(shape.members) do
      if wanted.names[member.name] and math.random(8) > 1 then
        value[member.name] = sample(opened, opened:shape(member.target), wanted, depth + 1)
      end
    end
    return next(value) and value or json.decode "{}"
  end,
  list = function(opened, shape, wanted, depth)
    local value, element, length = json.array {}, opened:shape(shape.members[1].target), one_of { 0, 1, 1, 2, 3 }
    for position = 1, length do value[position] = sample(opened, element, wanted, depth + 1) end
    return value
  end,
  map = function(opened, shape, wanted, depth)
    local value = shape.members[#shape.members]
    return { one = sample(opened, opened:shape(value.target), wanted, depth + 1) }
  end,
  boolean = function() return math.random(2) == 1 end,
  integer = function() return math.random(0, 3) end,
  string = function(_, _, wanted) return one_of(wanted.texts) end,
}
makers.union, makers.long, makers.double, makers.float = makers.structure, makers.integer, makers.integer, makers.integer

---@return any value of a shape; now and then of another type
function sample(opened, shape, wanted, depth)
  local make = shape and makers[shape.type]
  if depth > 0 and math.random(25) == 1 or not make or depth > 8 then return odd_value(wanted) end
  return make(opened, shape, wanted, depth)
end

---@return table[] cases
local function cases_of(opened, output, acceptors)
  local wanted, cases = examined(acceptors), {}
  for _ = 1, OUTPUTS do
    cases[#cases + 1] = { output = sample(opened, output, wanted, 0), status = one_of(wanted.statuses) }
  end
  for _, code in ipairs(wanted.codes) do
    for _, status in ipairs(wanted.statuses) do cases[#cases + 1] = { error = code, status = status } end
  end
  return cases
end

-- ---- decisions --------------------------------------------------------------------------------------

local limits = { min_delay = 1000, max_delay = 1000, max_wait = 1000000 }
local input = json.document {}

---Decides as a wait does, after the answer has come.
local function decide(waiter, case)
  local function call()
    if case.error then error { type = case.error, status = case.status } end
    return operation.answer(json.document(case.output), nil, case.status)
  end
  local seen = operation.call(call, input, waiter.error_names)
  local state = core.wait.kind(waiter.compiled, limits):start(1, 0)
  state:begin()
  seen.input, seen.error_type, seen.status = input, seen.failure and seen.failure.type, seen.status or case.status
  local verdict, acceptor = state:observe(0, seen)
  return ("%s %s"):format(verdict, acceptor or "-")
end

---A boolean that pathAll expects is meant of the whole here, and of each element there, where nothing has such elements.
local function is_known_difference(acceptors)
  for _, acceptor in ipairs(acceptors) do
    if acceptor.matcher == "pathAll" and type(acceptor.expected) == "boolean" then return true end
  end
end

describe("botocore's waiters", function()
  local folder = lines_of(("PYTHONDONTWRITEBYTECODE=1 %s %s 2>/dev/null"):format(PYTHON, SCRIPT))[1]
  local workspace = Workspace.of_each()

  ---Adds the lines for a waiter by which botocore decides, and the decisions of bide.
  ---@param said string file and waiter
  local function add_waiter(lines, decisions, said, given, opened, waiter)
    lines[#lines + 1] = json.encode(given.acceptors)
    for _, case in ipairs(cases_of(opened, opened:operation(given.operation).output, given.acceptors)) do
      lines[#lines + 1] = json.encode(case)
      decisions[#decisions + 1] = { said = said, case = lines[#lines], ours = decide(waiter, case) }
    end
  end

  ---@return integer acceptors in the file
  local function add_file(file, lines, decisions)
    local text = read(file)
    local waiters = json.decode(text).waiters
    if next(waiters) == nil then return 0 end -- some files have none
    local opened, recipe, count = reader.of_botocore(file, text, reader.service_beside(file)), assert(bide.load(file)), 0
    for _, name in ipairs(recipe.names) do
      local given = waiters[name]
      if not is_known_difference(given.acceptors) then
        add_waiter(lines, decisions, file .. ", " .. name, given, opened, recipe.waiters[name])
        count = count + #given.acceptors
      end
    end
    return count
  end

  it("decide as botocore does", function()
    if not folder then return pending("botocore is missing: install the package python3-botocore") end
    math.randomseed(SEED)
    local lines, decisions, acceptors, reached = {}, {}, 0, {}
    for _, file in ipairs(lines_of(("find %s -name waiters-2.json | sort"):format(os.getenv "BIDE_BOTOCORE_DATA" or folder))) do
      acceptors = acceptors + add_file(file, lines, decisions)
    end
    workspace:write("cases.jsonl", table.concat(lines, "\n") .. "\n")
    local theirs = lines_of(("PYTHONDONTWRITEBYTECODE=1 %s %s %s/cases.jsonl"):format(PYTHON, SCRIPT, workspace.path))
    assert.equal(#decisions, #theirs)
    for position, decision in ipairs(decisions) do
      local said = ("%s, BIDE_SEED=%d: %s"):format(decision.said, SEED, decision.case)
      assert.equal(theirs[position], decision.ours, said)
      if decision.ours:find "%d" then reached[decision.said .. decision.ours] = true end
    end
    local count = 0
    for _ in pairs(reached) do count = count + 1 end
    assert.is_true(count > acceptors * 0.8, ("%d of %d acceptors were reached"):format(count, acceptors))
  end)
end)
