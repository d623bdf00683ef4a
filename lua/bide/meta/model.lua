---@meta bide.core.model

---@class bide.core.model
local model = {}

---The findings of one walk over the shapes of a JSON AST.
---@class bide.ModelOutline
---@field ids string[] of the shapes with the right structure, in their order
---@field types string[] of those shapes, one by one
---@field broken string[] the ids of the other shapes
---@field mixed string[] the ids of shapes with mixins
---@field marked string[] the ids of shapes with the trait
---@field foreign table<string, true> ids that shapes refer to, of shapes that the document does not have

---@param document bide.Document
---@param trait string the id of a trait
---@return bide.ModelOutline? outline nil if the member "shapes" is not an object
function model.outline(document, trait) end

return model
