---Reads more bytes than a dialogue reads at a time. The caller bounds them.

local PIECE = 64 * 1024

---@param dialogue bide.peer.Dialogue
---@param count integer
---@return string
return function(dialogue, count)
  if count <= PIECE then return dialogue:read(count) end
  local pieces = {}
  while count > 0 do
    local piece = dialogue:read(math.min(count, PIECE))
    pieces[#pieces + 1], count = piece, count - #piece
  end
  return table.concat(pieces)
end
