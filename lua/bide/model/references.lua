---Checks that every shape of a model that something refers to is there.

local core = require "bide.core"
local nearest = core.names.nearest
local prelude = require "bide.model.prelude"

local M = {}

local targets_of = assert(core.jmespath.compile [[
  shapes.*.[members.*.target, [member.target, key.target, value.target, input.target, output.target], errors[].target,
    operations[].target, resources[].target, collectionOperations[].target, mixins[].target][][] || `[]`]])

---@param model bide.Model
local function is_known(model, id)
  return model.origin[id] or id:find "^smithy%.api#" and prelude.has(id:sub(#"smithy.api#" + 1))
end

local function targets_within(model, source, visit)
  for _, id in ipairs(model.ids) do
    local shape = model.origin[id] == source and model:shape(id)
    for _, member in ipairs(shape and shape.members or {}) do visit(id, "\nmembers\n" .. member.name, member.target) end
    for name, value in pairs(shape and shape.said or {}) do
      if type(value) == "table" and value.target then visit(id, "\n" .. name, value.target) end
      for position, one in ipairs(type(value) == "table" and value or {}) do
        if type(one) == "table" and one.target then visit(id, ("\n%s\n%d"):format(name, position), one.target) end
      end
    end
  end
end

---Reports each place that refers to a shape that is missing.
local function report_missing(model, source, missing)
  targets_within(model, source, function(id, path, target)
    if not missing[target] then return end
    local near = nearest(target, model.ids)
    model:report(source, "\nshapes\n" .. id .. path, { shape = id,
      message = ("there is no shape %s%s"):format(target, near and (", did you mean %s?"):format(near) or "") })
  end)
end

---@param model bide.Model
function M.check(model)
  for _, source in ipairs(model.sources) do
    local missing, seen = {}, {}
    for _, id in ipairs(assert(targets_of:query(source.document)):value()) do
      if not seen[id] then
        seen[id] = true
        missing[id] = type(id) == "string" and not is_known(model, id) or nil
      end
    end
    if next(missing) then report_missing(model, source, missing) end
  end
end

return M
