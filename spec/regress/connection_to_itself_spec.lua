---A port of this machine at which nobody listens was open: where the system gave the socket the very port that it connects
---to, it connected the socket to itself. That happens once in some 14,000 attempts at a port from which connections begin,
---32768 to 60999 for most, and a wait makes many. What a probe then received was its own question.

local process = require "spec.support.process"

---Runs bide at port 40002 in a network of its own, which gives every connection one of the ports 40000 to 40003.
local SCRIPT = [[
ip link set lo up && echo "40000 40003" >/proc/sys/net/ipv4/ip_local_port_range || exit 99
exec "$0" "$@"
]]

describe("a connection to itself", function()
  local function run(...)
    local done = process.run({ "unshare", "-rn", "sh", "-c", SCRIPT, process.bide, ... }, { tool = true })
    return done.code ~= 99 and not done.stderr:find "unshare: " and done or nil
  end

  ---Runs a wait that makes enough attempts to get the port of its peer in nearly every run.
  local function attempts_at(line)
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    table.move({ "--interval", "2ms", "--max-attempts", "60", "--max-wait", "50s", "--verbose" }, 1, 7, #words + 1, words)
    return run("run", table.unpack(words))
  end

  for _, line in ipairs {
    "tcp 127.0.0.1:40002", "tcp [::1]:40002", "udp 127.0.0.1:40002 send=hello", "redis url=127.0.0.1:40002",
    "tls 127.0.0.1:40002", "http http://127.0.0.1:40002/", "http https://127.0.0.1:40002/ insecure=true",
    "postgres url=postgres://app@127.0.0.1:40002/shop?sslmode=disable",
  } do
    it("is refused, as nobody listens: " .. line, function()
      local done = attempts_at(line)
      if not done then return pending "there are no namespaces of networks here" end
      done:ends(4)
      local _, refused = done.stderr:gsub("attempt %d+, [^\n]*: error ConnectionRefused: connection refused by ", "")
      assert.equal(60, refused, done.stderr)
    end)
  end

  it("says that a port is closed", function()
    local done = run("run", "tcp", "PortClosed", "127.0.0.1:40002", "--hold", "40", "--interval", "2ms", "--max-wait", "50s")
    if not done then return pending "there are no namespaces of networks here" end
    done:ends(0)
    assert.not_matches("the port is open", done.stderr)
  end)
end)
