---The body of an answer as JSON: what was announced as such, and what reading it has to say.

local tries = require "bide.wait.tries"

local M = {}

local announcing = { ["application/json"] = true, ["text/json"] = true }

---Whether the answer's content type says that its body is JSON.
---@param response bide.http.Response
---@return boolean
function M.is_announced_as_json(response)
  local media_type = response:media_type()
  if not media_type then return false end
  return announcing[media_type] or media_type:find("^application/x%-amz%-json%-") ~= nil
    or media_type:find("+json", -5, true) ~= nil
end

---Lets the methods that read the body say in the attempt's note what was read as something else.
---@param methods table<string, function>
function M.extend(methods)
  local read_document, read_json = methods.document, methods.json

  function methods.document(response)
    local document, failure, note = read_document(response)
    if note then tries.note(note) end
    return document, failure
  end

  function methods.json(response)
    local value, _, note = read_json(response)
    if note then tries.note(note) end
    return value
  end
end

return M
