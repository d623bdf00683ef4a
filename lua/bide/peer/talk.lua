---Talks over a connection as the options say: what bide.tcp and bide.unix have in common.

local Dialogue = require "bide.peer.dialogue"

---@class bide.peer.Talk
---@field send? string sent as soon as the connection is there
---@field expect? string text to wait for in what the peer sends
---@field talk? fun(dialogue: bide.peer.Dialogue): any in place of both

---@param peer bide.Peer
---@param connection bide.peer.Connection
---@param options bide.peer.Talk
---@param address string
---@return { address: string, received: string?, answer: any }
return function(peer, connection, options, address)
  local dialogue = Dialogue.new(peer, connection)
  if options.talk then return { address = address, answer = options.talk(dialogue:for_script()) } end
  if options.send then dialogue:send(options.send) end
  return { address = address, received = options.expect and dialogue:read_until(options.expect) }
end
