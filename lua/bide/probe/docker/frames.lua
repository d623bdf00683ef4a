---Reads the log of a container out of the stream in which Docker sends it: the bytes of standard output and standard error
---in frames of a header and a piece, or the bytes alone if the container has a terminal.

local M = {}

local HEADER = 8
local OUTPUT, ERRORS = 1, 2
local streams = { [0] = "stdin", [OUTPUT] = "stdout", [ERRORS] = "stderr" }

---@class bide.docker.Frames
---@field private take fun(bytes: string, stream: "stdin"|"stdout"|"stderr")
---@field private rest string the beginning of a header that has not come whole
---@field private left integer bytes of the frame that are still to come
---@field private stream string of the frame
local Frames = {}
Frames.__index = Frames

---@param has_terminal boolean whether the container has one
---@param take fun(bytes: string, stream: "stdin"|"stdout"|"stderr") gets the pieces of the log as they come
---@return bide.docker.Frames
function M.new(has_terminal, take)
  return setmetatable({ take = take, rest = "", left = has_terminal and math.huge or 0, stream = "stdout" }, Frames)
end

---Reads the header of a frame.
---@return boolean is_frame
local function begin_frame(frames, bytes, at)
  local number, first, second, third, length = (">I1I1I1I1I4"):unpack(bytes, at)
  frames.stream, frames.left = streams[number], length
  return frames.stream ~= nil and first + second + third == 0
end

---Adds bytes of the stream. A piece of the log is handed on at once, whether its frame has come whole or not.
---@param bytes string
---@return boolean is_log false for any other stream
function Frames:add(bytes)
  local at = 1
  if self.rest ~= "" then bytes, self.rest = self.rest .. bytes, "" end
  while at <= #bytes do
    if self.left == 0 then
      if #bytes - at + 1 < HEADER then
        self.rest = bytes:sub(at)
        return true
      end
      if not begin_frame(self, bytes, at) then return false end
      at = at + HEADER
    else
      local last = math.min(#bytes, at + self.left - 1)
      self.take(bytes:sub(at, math.tointeger(last)), self.stream)
      self.left, at = self.left - (last - at + 1), math.tointeger(last) + 1
    end
  end
  return true
end

---Reports whether no part of a frame is still to come. The log of a terminal has no frames, so that its end is not known.
---@return boolean
function Frames:is_whole()
  return self.rest == "" and (self.left == 0 or self.left == math.huge)
end

return M
