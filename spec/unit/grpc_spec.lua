local failure_of = require "spec.support.failure_of"
local grpc = require "bide.grpc"
local message = require "bide.probe.grpc.message"

describe("the messages of gRPC's health check", function()
  it("ask about the server, or a service", function()
    assert.equal("\0\0\0\0\0", message.question "")
    assert.equal("\0\0\0\0\5\10\3a.B", message.question "a.B")
    local long = ("a"):rep(300)
    assert.equal("\0\0\0\1\47\10\172\2" .. long, message.question(long))
  end)

  local function status(protobuf) return message.status("\0" .. string.pack(">s4", protobuf)) end

  it("have a status", function()
    assert.equal("UNKNOWN", status "")
    assert.equal("SERVING", status "\8\1")
    assert.equal("NOT_SERVING", status "\8\2")
    assert.equal("SERVICE_UNKNOWN", status "\8\3")
    assert.equal("SERVING", status "\8\2\8\1")
    assert.equal("SERVING", status "\8\x81\0")
  end)

  it("may have fields that are newer", function()
    assert.equal("SERVING", status "\x10\x80\1\x19abcdefgh\x22\2xy\x2Dabcd\8\1")
  end)

  it("are refused where they are not protobuf", function()
    for _, bytes in ipairs { "\8", "\8\x80", "\x80", "\x19abc", "\x22\5xy", "\x2D", "\x0B", "\8\9", "\8" .. ("\xFF"):rep(20),
      "\x22" .. ("\xFF"):rep(9) .. "\1" } do
      assert.is_nil(status(bytes))
    end
    for _, body in ipairs { "", "\0\0\0\0", "\1\0\0\0\0", "\0\0\0\0\1", "\0\0\0\0\0x", "\0\xFF\xFF\xFF\xFF" } do
      assert.is_nil(message.status(body))
    end
  end)

  it("are refused, or read, whatever the bytes", function()
    math.randomseed(7)
    for _ = 1, 20000 do
      local bytes = {}
      for position = 1, math.random(0, 24) do bytes[position] = string.char(math.random(0, 255)) end
      local found = status(table.concat(bytes))
      assert.is_true(found == nil or found:find "^[A-Z_]+$" ~= nil)
    end
  end)
end)

describe("bide.grpc", function()
  it("refuses wrong options", function()
    local function mistake(given) return select(2, pcall(grpc, given)) end
    assert.matches("bide.grpc: host: expected", mistake {}, 1, true)
    assert.matches("bide.grpc: service: expected a string, found 3", mistake { host = "x", service = 3 }, 1, true)
    assert.matches("bide.grpc: tls.verify: expected", mistake { host = "x", tls = { verify = "authority" } }, 1, true)
    assert.matches("bide.grpc: tls.key: expected a certificate", mistake { host = "x", tls = { key = "k.pem" } }, 1, true)
  end)

  it("raises what bide.http raises", function()
    assert.equal("ConnectionRefused", failure_of(grpc, { host = "127.0.0.1", port = 1 }).type)
  end)
end)
