---The form of a JSON file with waiters, by its content. No waiter is called "waiters" or "version", so that a file with
---these members is botocore's, whether or not they are right.

local core = require "bide.core"

local form_of = assert(core.jmespath.compile [[
  (type(smithy) != 'null' && type(metadata.botocore) == 'object' && 'packed') || (type(smithy) != 'null' && 'model')
    || ([type(metadata), type(operations), type(shapes)] == `["object", "object", "object"]` && 'service')
    || ((type(waiters) != 'null' || type(version) == 'number') && 'botocore') || type(@)]])

---@param document bide.Document
---@return "model"|"packed"|"botocore"|"service"|string form the type of the document if it has none of these forms
return function(document)
  return assert(form_of:query(document)):value()
end
