---Answers that were recorded from real servers.
---
---Those of an API are recorded as `bide replay` reads them, so that a recipe meets the same by replay and over
---HTTP: `{"output": …}` or `{"error": {"type", "message", "status"}}`, a line for each answer, the last for all later ones.
---
---    local recorded = require "spec.support.recorded"
---    local server = Server.start(recorded.handler("docker/healthy", function(failure) return { message = failure.message } end))

local json = require("bide.core").json

local M = {}

---@param name string of a file in spec/e2e/data, without its ending
---@return string
function M.file(name)
  return ("spec/e2e/data/%s.jsonl"):format(name)
end

---A handler for spec.support.server that gives one answer after the other.
---@param name string
---@param body_of_error fun(failure: table): table how the API words an error
---@return fun(request: table): table
function M.handler(name, body_of_error)
  local answers, count = {}, 0
  for line in io.lines(M.file(name)) do answers[#answers + 1] = json.read(line):value() end
  return function()
    count = math.min(count + 1, #answers)
    local failure = answers[count].error
    return {
      status = failure and failure.status or 200, headers = { ["Content-Type"] = "application/json" },
      body = json.encode(failure and body_of_error(failure) or answers[count].output),
    }
  end
end

---Records by their names, a line for each: `{"name": …}` with further members. Those of answers over HTTP, which
---spec.support.server can give, have `status`, `headers` and `body`.
---@param name string
---@return table<string, table>
function M.rows(name)
  local rows = {}
  for line in io.lines(M.file(name)) do
    local row = json.read(line):value()
    rows[row.name] = row
  end
  return rows
end

---The answers of a protocol of bytes, by their names: a line for each, `{"name": …, "answer": …}` with the bytes as
---hexadecimal digits.
---@param name string
---@return table<string, string>
function M.bytes(name)
  local answers = {}
  for each, row in pairs(M.rows(name)) do
    answers[each] = row.answer:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end)
  end
  return answers
end

return M
