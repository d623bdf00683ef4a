---Checks that every shape of a model that something refers to is there.

local core = require "bide.core"
local nearest = core.names.nearest
local prelude = require "bide.model.assembly.prelude"
local sorted = require("bide.text.option").sorted_names

local M = {}

---@param model bide.Model
local function is_known(model, id)
  return model.origin[id] or model.broken[id] or id:find "^smithy%.api#" and prelude.has(id:sub(#"smithy.api#" + 1))
end

local visit_references

local function visit_parts(value, path, visit)
  for position, part in ipairs(value) do visit_references(part, path .. "\n" .. position, visit) end
  for _, name in ipairs(#value == 0 and sorted(value) or {}) do
    if name ~= "traits" then visit_references(value[name], path .. "\n" .. name, visit) end
  end
end

---Visits the targets within a part of a shape that is not broken.
---@param visit fun(path: string, target: string)
function visit_references(value, path, visit)
  if type(value) ~= "table" then return end
  if type(value.target) == "string" then return visit(path, value.target) end
  visit_parts(value, path, visit)
end

---Reports each place of a source that refers to a shape that is missing.
---@param missing table<string, true>
local function report_missing(model, source, missing)
  for _, id in ipairs(model.ids) do
    local raw = model.origin[id] == source and source.document:value("shapes", id)
    visit_references(raw, "\nshapes\n" .. id, function(path, target)
      if not missing[target] then return end
      local near = nearest(target, model.ids)
      model:report(source, path, { shape = id,
        message = ("there is no shape %s%s"):format(target, near and (", did you mean %s?"):format(near) or "") })
    end)
  end
end

---@param model bide.Model
function M.check(model)
  for _, source in ipairs(model.sources) do
    local missing = {}
    for id in pairs(source.foreign) do missing[id] = not is_known(model, id) or nil end
    if next(missing) then report_missing(model, source, missing) end
  end
end

return M
