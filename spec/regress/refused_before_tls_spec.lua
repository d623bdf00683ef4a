---Nothing noticed whether bide.tls closes the socket that one address of a name refused, when the next address answers:
---without that it stays until it is collected.

local tls = require "bide.tls"
local Directory = require "spec.support.directory"
local certificates = require "spec.support.certificates"
local leftovers = require "spec.support.leftovers"
local port = require "spec.support.port"
local service = require "spec.support.service"

describe("bide.tls of localhost, which is 127.0.0.1 and ::1,", function()
  local directory = Directory.of_block()
  local server

  setup(function() certificates(directory) end)

  before_each(function() collectgarbage "stop" end)
  after_each(function()
    collectgarbage "restart"
    if server then server:stop() end
    server = nil
  end)

  ---Starts openssl's server on one address.
  local function serve(address)
    local number = port.free()
    server = service.start({ "openssl", "s_server", "-www", "-accept", address .. ":" .. number, "-cert", "server.pem",
      "-key", "server.key" }, { cwd = directory.path })
    server.process:wait_for_output "ACCEPT"
    return number
  end

  ---Connects and closes. Returns how many handles and descriptors are open that were not before.
  local function left_by(number)
    local before = leftovers.count()
    local connection = tls.connect("localhost:" .. number, { ca = directory.path .. "/ca.pem" })
    connection.close()
    local after = leftovers.count()
    return { handles = after.handles - before.handles, descriptors = after.descriptors - before.descriptors }
  end

  for _, address in ipairs { "127.0.0.1", "[::1]" } do
    it("leaves no socket where only one address answers: " .. address, function()
      if address == "[::1]" and not port.has_loopback6() then return pending "there is no ::1 here" end
      local number = serve(address)
      left_by(number) -- reads the certificates
      assert.same({ handles = 0, descriptors = 0 }, left_by(number))
    end)
  end
end)
