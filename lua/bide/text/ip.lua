---IP addresses as texts: an IPv6 address has many of them.

local M = {}

---Returns eight groups as a text; an IPv4 address that is mapped into IPv6 as that.
---@param groups integer[]
---@return string
function M.text_of(groups)
  local is_mapped = groups[6] == 0xFFFF
  for position = 1, 5 do is_mapped = is_mapped and groups[position] == 0 end
  if is_mapped then
    return ("%d.%d.%d.%d"):format(groups[7] >> 8, groups[7] & 255, groups[8] >> 8, groups[8] & 255)
  end
  local parts = {}
  for position = 1, 8 do parts[position] = ("%x"):format(groups[position]) end
  return table.concat(parts, ":")
end

---@return integer[]? octets of an IPv4 address
local function octets_of(text)
  local octets = { text:match "^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$" }
  for position, digits in ipairs(octets) do
    octets[position] = math.tointeger(tonumber(digits))
    if octets[position] > 255 then return nil end
  end
  return octets[1] and octets or nil
end

---Adds the groups of a part of an IPv6 address; an IPv4 address at its end is two.
---@return boolean done
local function add_groups(groups, part)
  if part == "" then return true end
  for piece in (part .. ":"):gmatch "([^:]*):" do
    local octets = octets_of(piece)
    if octets then
      table.insert(groups, octets[1] << 8 | octets[2])
      table.insert(groups, octets[3] << 8 | octets[4])
    elseif piece:find "^%x%x?%x?%x?$" then
      table.insert(groups, tonumber(piece, 16))
    else
      return false
    end
  end
  return true
end

---Returns the one text of all that are the same address: `10.0.0.1`, `2001:db8:0:0:0:0:0:1`.
---@param text string
---@return string? canonical nil if the text is not an address
function M.canonical(text)
  local octets = octets_of(text)
  if octets then return table.concat(octets, ".") end
  local before, after = text:match "^(.-)::(.*)$"
  local groups, rest = {}, {}
  if not add_groups(groups, before or text) or not add_groups(rest, after or "") then return nil end
  if before and #groups + #rest > 7 then return nil end
  for _ = 1, before and 8 - #groups - #rest or 0 do table.insert(groups, 0) end
  table.move(rest, 1, #rest, #groups + 1, groups)
  return #groups == 8 and M.text_of(groups) or nil
end

return M
