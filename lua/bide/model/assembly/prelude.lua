---The prelude of Smithy: the shapes and traits of the namespace smithy.api, which every model has.

local set = require("bide.text.option").set

local M = {}

---The simple shapes of the prelude, with their types.
M.types = {
  Unit = "structure", PrimitiveBoolean = "boolean", PrimitiveByte = "byte", PrimitiveShort = "short",
  PrimitiveInteger = "integer", PrimitiveLong = "long", PrimitiveFloat = "float", PrimitiveDouble = "double",
}
for name in ("Blob Boolean Byte Document Double Float Integer Long Short String Timestamp"):gmatch "%a+" do
  M.types[name] = name:lower()
end
M.types.BigInteger, M.types.BigDecimal = "bigInteger", "bigDecimal"

local traits = [[
  addedDefault auth authDefinition box clientOptional cors default deprecated documentation endpoint enum enumValue error
  eventHeader eventPayload examples externalDocumentation hostLabel http httpApiKeyAuth httpBasicAuth httpBearerAuth
  httpChecksumRequired httpDigestAuth httpError httpHeader httpLabel httpPayload httpPrefixHeaders httpQuery
  httpQueryParams httpResponseCode idempotencyToken idempotent idRef input internal jsonName length mediaType mixin
  nestedProperties noReplace notProperty optionalAuth output paginated pattern private property protocolDefinition range
  readonly recommended references requestCompression required requiresLength resourceIdentifier retryable sensitive since
  sparse streaming suppress tags timestampFormat title trait traitValidators uniqueItems unitType unstable xmlAttribute
  xmlFlattened xmlName xmlNamespace]]

---@type table<string, true>?
local is_trait

---Reports whether the prelude has a shape or a trait of this name.
---@param name string without its namespace
---@return boolean
function M.has(name)
  is_trait = is_trait or set(traits)
  return M.types[name] ~= nil or is_trait[name] or false
end

---Returns the type of a shape of the prelude; nil for its traits and for everything else.
---@param id string
---@return string?
function M.type_of(id)
  return M.types[id:match "^smithy%.api#(%a+)$"]
end

local lists = {}
for name in ("auth enum examples references suppress tags"):gmatch "%a+" do lists[name] = "list" end

---Returns the type of a trait of the prelude whose value is a list; nil for every other one.
---@param id string
---@return "list"?
function M.type_of_trait(id)
  return lists[id:match "^smithy%.api#(%a+)$"]
end

return M
