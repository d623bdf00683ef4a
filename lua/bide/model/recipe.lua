---A model as a recipe: its operations with their waiters, and with inputs that their shapes declare.

local inputs = require "bide.model.inputs"
local model = require "bide.model"

local M = {}

local WAITABLE = "smithy.waiters#waitable"

---@param opened bide.Model
---@return table<string, table> operations by name, as a Lua recipe returns them
---@return table<string, bide.ModelShape> shapes of the operations, by their waiters
local function operations_of(opened)
  local operations, shapes = {}, {}
  for _, id in ipairs(opened.operation_ids) do
    local waiters = opened:shape(id).traits[WAITABLE]
    local operation = type(waiters) == "table" and opened:operation(id)
    if operation then
      local declared, token, secrets = inputs.of(opened, operation.input)
      operations[operation.name] = { waitable = waiters, input = declared, idempotencyToken = token, secret = secrets }
      for name in pairs(waiters) do shapes[name] = opened:shape(id) end
    end
  end
  return operations, shapes
end

---Reads the operations of a model that have waiters.
---@param file string
---@param text string
---@param is_botocore? boolean whether it is a waiters-2.json
---@return table<string, table>? operations by name
---@return string? mistake
---@return fun(text: string, name: string): integer? line_of where a waiter is
function M.read(file, text, is_botocore)
  local opened = is_botocore and model.of_botocore(file, text, model.service_beside(file))
    or model.of_texts { { file = file, text = text } }
  if #opened.problems > 0 then return nil, model.describe_all(opened.problems) end
  local operations, shapes = operations_of(opened)
  return operations, nil, function(_, name)
    local shape = shapes[name]
    return shape and (shape.source.place(("\nshapes\n%s\ntraits\n%s\n%s"):format(shape.id, WAITABLE, name)))
  end
end

return M
