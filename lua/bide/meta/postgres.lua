---@meta bide.core.postgres

---@class bide.core.postgres
local postgres = {}

---Reads a row, as PostgreSQL sends it, and those that are whole behind it, up to some dozens. Each becomes a table by the names
---of its columns, without those that are NULL.
---@param bytes string
---@param first integer where the message of the first row is in them, without its header
---@param last integer
---@param limit integer the most bytes of a message behind it
---@param rows table<string, any>[] gets them
---@param names string[]
---@param kinds string a letter for each column: "s" for its bytes as they are; "h", "i", "l", "u" and "d" for a number of 16,
---32 or 64 bits, one without a sign of 32, and a double; "H", "I" and "L" for an array of such numbers, as its decoder reads
---it; any other for what its decoder reads
---@param decoders (bide.postgres.Decode|false)[] which also read numbers of another size
---@param refuse fun(text: string) which they call
---@return integer? next where the next message is
---@return string? mistake
function postgres.rows(bytes, first, last, limit, rows, names, kinds, decoders, refuse) end

---Writes elements of an array, each with its length before it.
---@param kind "i"|"l"|"s" integers of 32 or 64 bits, or strings
---@param list table
---@param first integer
---@param last integer
---@param member? string of the tables in the list, whose values are the elements
---@param head? string what comes before them
---@return string? bytes
---@return integer? position of the first value that is not an element
function postgres.elements(kind, list, first, last, member, head) end

return postgres
