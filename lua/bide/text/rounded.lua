---As many digits as the least number has that Lua rounds. Most texts have no such number, and are looked at once.
local LONG = ("%d"):rep(19)

---Finds the whole numbers in JSON that a person wrote which Lua has rounded: another number than the one that was meant would
---be sent, and compared.
---@param text string JSON
---@return string? mistake
return function(text)
  if not text:find(LONG) then return nil end
  for number in text:gsub("\\.", ""):gsub('"[^"]*"', '""'):gmatch "%-?%d[%d.eE+-]*" do
    local value = number:find "^%-?%d+$" and tonumber(number)
    if math.type(value) == "float" and ("%.0f"):format(value) ~= number then
      return ("the number %s would be rounded to %.0f; give it as a text"):format(number, value)
    end
  end
end
