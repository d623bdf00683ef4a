---The shapes that most cases of the bundled recipes have.

local M = {}

---A wait that fails by its first answer.
---@param waiter string
---@param why string the type of the error, or the words for another answer
---@param input? table
---@param answer? table one that is no error of that type alone
---@return table case
function M.fails(waiter, why, input, answer)
  return {
    name = ("%s fails: %s"):format(waiter, why), waiter = waiter, input = input,
    answers = { answer or { error = { type = why } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  }
end

---A wait that succeeds by the last of its answers, and makes another attempt after each answer before.
---@param waiter string
---@param input table?
---@param answers table[]
---@param delays number[]
---@return table case
function M.succeeds(waiter, input, answers, delays)
  return {
    name = waiter .. " tries again until it succeeds", waiter = waiter, input = input, answers = answers,
    expect = { state = "success", reason = "acceptor", delays = delays },
  }
end

---The cases of a database whose queries give rows.
---@param recipe string
---@param ready string the waiter for the database itself
---@param failures string[] the types of errors that end a wait
---@param missing string that of a table which is not there yet
---@return table file
function M.of_database(recipe, ready, failures, missing)
  local input, refused = { query = "SELECT 1 FROM jobs" }, { error = { type = "ConnectionRefused" } }
  local refused_late = { error = refused.error, duration = 300 }
  local none, one = { output = { rows = 0 } }, { output = { rows = 1 } }
  local file = { recipe = recipe, M.succeeds(ready, nil, { refused, refused_late, { output = {} } }, { 0.05, 2.86 }) }
  for _, waiter in ipairs { ready, "RowFound", "RowGone" } do
    for _, why in ipairs(failures) do table.insert(file, M.fails(waiter, why, waiter ~= ready and input or nil)) end
  end
  local found = { { error = { type = missing } }, none, refused_late, one }
  table.insert(file, M.succeeds("RowFound", input, found, { 0.05, 0.05, 2.86 }))
  table.insert(file, M.succeeds("RowGone", input, { one, refused_late, none }, { 0.05, 2.86 }))
  return file
end

return M
