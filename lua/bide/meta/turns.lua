---@meta bide.core.turns
---The turns that a worker claims from a store, and what it has decided of them, many at a time.

---@class bide.core.turns
local turns = {}

---Reads the documents of a turn that a store gave, once its numbers were checked.
---@param turn bide.record.Turn
---@param known? table of its own, in which it keeps the last output: the same text gives the same document
---@return userdata? input
---@return string? mistake
---@return userdata? output
---@return userdata? failure
---@return boolean? may_name_secrets whether the input may have secrets by name
function turns.read(turn, known) end

---Sets the bytes of the documents of each turn.
---@param list bide.record.Turn[]
---@return integer bytes of all
function turns.weigh(list) end

---Takes out of results, or of outcomes, what may be written now: of each turn in hand the first, in their order, as long as
---their bytes are no more than the most; one goes in any case.
---@param list table[]
---@param before table[] what has to be written before, of the same turns
---@param hand table<integer, bide.worker.Turn>
---@param most integer
---@return table[] firsts
---@return table[] rest
---@return table[] stale those of turns that are not in hand any more
function turns.firsts(list, before, hand, most) end

---Sums up what is held: of each turn its id times 2^20, and its attempts, modulo 2^63. A turn whose row has no number of
---attempts counts, and is not in the sum, as in that of the store.
---@param hand table<integer, table> turns by id
---@param member string which has the attempts
---@return integer count
---@return integer sum
function turns.sum(hand, member) end

---Reports whether one of some results has a member.
---@param list table[]
---@param member string
---@return boolean
function turns.have(list, member) end

---Notes which results, or outcomes, were written. Turns that have nothing more to write, and do nothing more, leave the hand.
---@param sent table[]
---@param ids integer[] of the turns of those that were written
---@param hand table<integer, bide.worker.Turn>
---@return integer left how many turns have left the hand
---@return integer bytes of their documents
---@return table[] leaving those of others that have to be dropped, in their order: they were not written, or have ended
function turns.written(sent, ids, hand) end

return turns
