---An answer of gRPC with two statuses counted by the first one, and one that was no gRPC by its type counted as well.

local Server = require "spec.support.server"
local process = require "spec.support.process"

local HEADERS, DATA, RESET, SETTINGS = 1, 0, 3, 4
local END_OF_STREAM, END_OF_HEADERS = 1, 4

local function frame(kind, flags, stream, payload)
  return string.pack(">I3BBI4", #payload, kind, flags, stream) .. payload
end

---A header field as HPACK has it without an index.
local function field(name, value)
  return "\0" .. string.pack("s1s1", name, value)
end

local SERVING = "\0\0\0\0\2\8\1"
local STATUS_200 = "\x88"

---Returns the frames of an answer.
---@param kind string its content type
---@param ... string values of grpc-status
local function answer(kind, ...)
  local trailers = {}
  for position, value in ipairs { ... } do trailers[position] = field("grpc-status", value) end
  return frame(HEADERS, END_OF_HEADERS, 1, STATUS_200 .. field("content-type", kind)) .. frame(DATA, 0, 1, SERVING)
    .. frame(HEADERS, END_OF_HEADERS | END_OF_STREAM, 1, table.concat(trailers))
end

describe("an answer of gRPC", function()
  local frames

  local server = Server.of_block(nil, { raw = function(peer, bytes)
    if bytes:find("PRI * HTTP/2.0", 1, true) then
      peer:write(frame(SETTINGS, 0, 0, "") .. frame(SETTINGS, 1, 0, "") .. frames)
    end
  end })

  local function ask(given)
    frames = given
    return process.run { process.bide, "grpc", server.url:match "//(.*)$", "--max-wait", "50s", "--max-attempts", "1", "--quiet" }
  end

  it("counts with one status, or the same one twice", function()
    for _, row in ipairs { answer("application/grpc", "0"), answer("application/grpc+proto", "0"),
      answer("Application/GRPC", "0", "0") } do
      ask(row):ends(0)
    end
  end)

  it("does not count with two, in either order", function()
    for _, row in ipairs { answer("application/grpc", "0", "13"), answer("application/grpc", "13", "0"),
      answer("application/grpc", "0", "x"), answer "application/grpc" } do
      ask(row):says(3, "error InvalidAnswer: this is not gRPC: ")
    end
  end)

  it("does not count if it is of another type", function()
    ask(answer("text/html", "0")):says(3, "this is not gRPC: the answer is text/html")
  end)

  it("does not count if it is reset before its end", function()
    local head = frame(HEADERS, END_OF_HEADERS, 1, STATUS_200 .. field("content-type", "application/grpc"))
    for code = 0, 2 do
      ask(head .. frame(DATA, 0, 1, SERVING) .. frame(RESET, 0, 1, string.pack(">I4", code))):ends(4)
    end
  end)
end)
