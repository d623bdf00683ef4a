---Where the system's resolver told an address twice, bide.dns did so too.

local bide = require "bide"
local uv = require "luv"
local leftovers = require "spec.support.leftovers"

describe("an address that the resolver tells twice", function()
  local getaddrinfo = uv.getaddrinfo

  before_each(function()
    uv.getaddrinfo = function(name, service, hints, callback)
      return getaddrinfo(name, service, hints, function(failure, found)
        callback(failure, found and { found[#found], found[#found] })
      end)
    end
  end)
  after_each(function()
    uv.getaddrinfo = getaddrinfo
    assert.is_nil(leftovers.find())
  end)

  it("is answered once", function()
    assert.same({ "127.0.0.1" }, bide.dns("127.0.0.1").answers)
  end)
end)
