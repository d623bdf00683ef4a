---Sends over a connection and expects, as the options say: what bide.tcp and bide.unix have in common.

---@param peer bide.Peer
---@param connection bide.peer.Connection
---@param prepared { send: string?, expect: string? }
---@return string? received where something was expected
return function(peer, connection, prepared)
  if prepared.send then
    local sent = connection:send(prepared.send, peer.until_when)
    if sent ~= "sent" then peer:fail_of_system(sent) end
  end
  if not prepared.expect then return nil end
  local how = connection:expect(prepared.expect, peer.until_when)
  if how == "found" then return connection.received end
  if how == nil then peer:fail_of_answer("RequestTimeout", connection.received, prepared.expect) end
  if how == "closed" or how == "too much" then
    peer:fail_of_answer("UnexpectedAnswer", connection.received, prepared.expect)
  end
  peer:fail_of_system(how)
end
