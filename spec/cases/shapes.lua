---The two shapes that most cases of the bundled recipes have.

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

return M
