---Makes a test file of a recording: its case expects what really came.

local cases = require "bide.cli.test.case"
local answers = require "bide.record.answers"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local written = require "bide.cli.test.written"

local M = {}

local page = [[
return {
  recipe = %s,
  {
    name = %s, waiter = %s,
    input = %s,
    max_wait = %s,
    recording = %s,
    expect = %s,
  },
}
]]

---Returns the recipe of a recording, as a test file in the current folder names it.
local function recipe_of(of)
  if not of.recipe then parser.fail "the recording names no recipe: its waiter was made by a script" end
  local name = of.recipe:match "^(.*)%.lua$"
  local is_own = require("luv").fs_stat(of.recipe) ~= nil
  return not is_own and name and require("bide.recipe.file.path").find_by_name(name) and name or "./" .. of.recipe
end

---Warns if the case takes another way than the recorded wait did: a recording has no conditions and delays of a command line.
local function warn_of_options(file, recorded, attempts)
  if recorded == attempts then return end
  shown.warn(("%s has %d attempts, and the case %d: write what the command line of the recorded wait said, such as --until or "
    .. "--interval, into the options of the case, and let --update renew what is expected"):format(file, recorded, attempts))
end

---Prints a test file.
---@param file string a recording
---@return integer code
function M.print(file)
  local list, mistake = answers.read(file)
  if not list then parser.fail(mistake) end
  local of = list[1].wait
  if not of then parser.fail(("%s: expected a recording of bide run --record, found answers without \"wait\""):format(file)) end
  local case = {
    name = ("%s of %s"):format(of.waiter, file), waiter = of.waiter, input = of.input, max_wait = of.maxWait, recording = file,
    expect = { state = "success", attempts = 1 },
  }
  local recipe = recipe_of(of)
  local run = cases.run(case, { path = file, folder = ".", text = "", recipe = recipe, cases = { case } })
  if not run.actual then parser.fail(run.faults[1]) end
  local actual = run.actual
  local expected = {
    state = actual.state, reason = actual.reason, acceptor = actual.acceptor, delays = actual.delays, attempts = actual.attempts,
    message = actual.message,
  }
  local names = { "state", "reason", "acceptor", "attempts", "delays", "message" }
  shown.print_document(page:format(written.value(recipe), written.value(case.name), written.value(case.waiter),
    written.value(of.input), written.value(of.maxWait), written.value(file), written.value(expected, names)))
  warn_of_options(file, #list, actual.attempts)
  return exit_code.SUCCESS
end

return M
