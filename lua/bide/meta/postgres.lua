---@meta bide.core.postgres

---@class bide.core.postgres
local postgres = {}

---Reads a row, as PostgreSQL sends it, into a table by the names of its columns, without those that are NULL.
---@param bytes string
---@param first integer where the message is in them
---@param last integer
---@param names string[]
---@param kinds string a letter for each column: "s" for its bytes as they are; "h", "i", "l", "u" and "d" for a number of 16,
---32 or 64 bits, one without a sign of 32, and a double; any other for what its decoder reads
---@param decoders (bide.postgres.Decode|false)[] which also read numbers of another size
---@param refuse fun(text: string) which they call
---@return table<string, any>? row
---@return string? mistake
function postgres.row(bytes, first, last, names, kinds, decoders, refuse) end

return postgres
