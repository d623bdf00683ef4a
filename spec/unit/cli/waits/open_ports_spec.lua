---Which ports of this machine a wait asks, and which of them are open.

local core = require "bide.core"
local open_ports = require "bide.cli.waits.open_ports"

local network = core.network

---An input of a recipe, its declaration of the address, and what is found where every port is open.
local rows = {
  { { url = "localhost:8080/health" }, true, { "localhost:8080" } },
  { { url = "http://localhost:3000" }, true, { "localhost:3000" } },
  { { url = "8080" }, true, { "localhost:8080" } },
  { { url = "http://127.0.0.1" }, true, { "127.0.0.1:80" } },
  { { url = "HTTPS://me:secret@localhost/x@y:1" }, true, { "localhost:443" } },
  { { url = "http://[::1]:81/?u=http://localhost:9" }, true, { "::1:81" } },
  { { url = "http://0.0.0.0:81" }, true, { "0.0.0.0:81" } },
  { { url = "http://db:80" }, true, {} },
  { { url = "http://192.168.0.1:80" }, true, {} },
  { { url = "http://localhost:80", proxy = "http://localhost:81" }, true, {} },
  { { url = "http://localhost:80", proxy = "" }, true, { "localhost:80" } },
  { { url = "/version", unix = "/run/x.sock" }, true, {} },
  { { url = "redis://me:a@b@localhost/3" }, 6379, { "localhost:6379" } },
  { { url = "localhost", port = 7000 }, 6379, { "localhost:7000" } },
  { { url = "localhost:7001" }, 6379, { "localhost:7001" } },
  { { url = "localhost:7001,db:7002,127.0.0.1" }, 9092, { "localhost:7001", "127.0.0.1:9092" } },
  { { url = "unix:///run/redis.sock" }, 6379, {} },
  { { url = "localhost" }, 0, {} },
  { { url = "http://" }, true, {} },
  { { url = 80 }, true, {} },
  { { url = "localhost:80" }, false, {} },
  { {}, true, {} },
}

describe("the open ports of a wait", function()
  local listens

  before_each(function()
    listens = network.listens
    network.listens = function() return true end
  end)
  after_each(function() network.listens = listens end)

  local function of(input, origin)
    return open_ports.of { input = core.json.document(input), waiter = { inputs = { url = { origin = origin }, port = {} } } }
  end

  for _, row in ipairs(rows) do
    local input, origin, wanted = table.unpack(row, 1, 3)
    it(("at %s are %s"):format(core.json.encode(input), #wanted == 0 and "no ports" or table.concat(wanted, ", ")), function()
      assert.same(wanted, of(input, origin))
    end)
  end

  it("are none where nothing listens, or the system does not say", function()
    network.listens = function() return false end
    assert.same({}, of({ url = "localhost:80" }, true))
    network.listens = function() return nil end
    assert.same({}, of({ url = "localhost:80" }, true))
  end)

  it("are none without a declaration", function()
    assert.same({}, open_ports.of { input = core.json.document { url = "localhost:80" }, waiter = {} })
    assert.same({}, open_ports.of { input = core.json.document "localhost:80", waiter = {} })
  end)
end)
