---@meta bide.core.secret

---@class bide.core.secret
local secret = {}

---What the name of a member says: "any", all its values but booleans and null are secret; "text", its texts are.
---@param name string
---@return "any"|"text"|nil
function secret.kind(name) end

---What is secret in the texts and documents of one wait.
---@class bide.SecretMask
local Mask = {}

---A mask with names that a recipe adds, and that of the idempotency token, which is never secret.
---@param names? string[]
---@param open_name? string
---@return bide.SecretMask
function secret.mask(names, open_name) end

---Adds a value, which is then looked for in all texts; one of less than 8 bytes is not.
---@param value string
---@return integer count of values that the mask has now
function Mask:add(value) end

---Takes a value for an idempotency token, which is no secret.
---@param value string
function Mask:open(value) end

---Adds the texts of a document's secret members.
---@param document userdata
---@param of_input? boolean whether it is an input, in which `headers` are those of requests
---@return integer count of values that the mask has now
function Mask:collect(document, of_input) end

---@return string[]
function Mask:values() end

---The text with "[redacted]" in place of its secrets.
---@param text string
---@return string
function Mask:text(text) end

return secret
