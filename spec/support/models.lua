---What specs of models share: models of texts, and shapes as they are compared.

local core = require "bide.core"
local data = require "spec.support.data"
local model = require "bide.model"

local M = {}

---@param text string of a file
---@param name? string of the file; a .smithy otherwise
function M.of_text(text, name)
  return model.of_texts { { file = name or "model.smithy", text = text } }
end

---@param names string[] of files of the data
function M.of_data(names)
  local texts = {}
  for position, name in ipairs(names) do texts[position] = { file = name, text = data.read(name) } end
  return model.of_texts(texts)
end

---Everything that a shape is, for comparison; nil if there is none.
function M.picture(opened, id)
  local shape = opened:shape(id)
  if not shape then return nil end
  local members = {}
  for _, member in ipairs(shape.members) do members[member.name] = { target = member.target, traits = member.traits } end
  return { type = shape.type, traits = shape.traits, members = members, said = shape.said }
end

---All shapes of a model, but for mixins.
function M.pictures(opened)
  local pictures = {}
  for _, id in ipairs(opened.ids) do
    if not opened:shape(id).traits["smithy.api#mixin"] then pictures[id] = M.picture(opened, id) end
  end
  return pictures
end

---The problems of a model, one in a line.
function M.problems(opened)
  return model.describe_all(opened.problems)
end

---The events of a check as "SEVERITY shape id", sorted; bide's own are left out.
---@param events bide.check.Event[]
---@return string
function M.events(events)
  local lines = {}
  for _, event in ipairs(events) do
    if not event.id:find "^bide%." then lines[#lines + 1] = ("%s %s %s"):format(event.severity, event.shape, event.id) end
  end
  table.sort(lines)
  return table.concat(lines, "\n")
end

M.null = core.json.null

return M
