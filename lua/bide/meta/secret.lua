---@meta bide.core.secret

---@class bide.core.secret
local secret = {}

---Classifies the name of a member. "any": all its values but booleans and null are secret; "text": only its texts are.
---@param name string
---@return "any"|"text"|nil
function secret.kind(name) end

---A mask: the secrets of one wait, by which its texts and documents are redacted.
---@class bide.SecretMask
local Mask = {}

---Makes a mask with the secret names of a recipe, and the name of the idempotency token, which is never secret.
---@param names? string[]
---@param open_name? string
---@return bide.SecretMask
function secret.mask(names, open_name) end

---Adds a secret value, which is redacted wherever it appears; a value of less than 8 bytes is not.
---@param value string
---@return integer count of values that the mask has now
function Mask:add(value) end

---Marks a value as an idempotency token, which is not secret.
---@param value string
function Mask:open(value) end

---Adds the texts of a document's secret members.
---@param document userdata
---@param of_input? boolean whether it is an input, in which `headers` are those of requests
---@return integer count of values that the mask has now
function Mask:collect(document, of_input) end

---@return string[]
function Mask:values() end

---Returns a text with "[redacted]" in place of its secrets.
---@param text string
---@return string
function Mask:text(text) end

return secret
