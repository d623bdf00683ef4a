---An answer of another type than the recipes `redis` and `redis_sentinel` expect, as a proxy gives it, ended the wait as a
---bug of the recipe (exit code 5). And a wrong password, which redis calls a failure, was an error without an acceptor.

local Workspace = require "spec.support.workspace"
local conversation = require "spec.support.conversation"

describe("the recipes of Redis", function()
  local workspace = Workspace.of_block()

  local function run(answer, ...)
    local server = conversation.serve { answer, answer, "" }
    local words = { "run", ... }
    for _, word in ipairs { "127.0.0.1:" .. server.port, "--max-wait", "50s", "--quiet" } do words[#words + 1] = word end
    local done = workspace:bide(words)
    server:close()
    return done
  end

  for _, answer in ipairs { "$-1\r\n", ":5\r\n", "*1\r\n+x\r\n" } do
    it(("refuse %q as the state of a replica"):format(answer), function()
      local server = conversation.serve { "+PONG\r\n", answer }
      local done = workspace:bide { "redis", "ReplicaLinked", "127.0.0.1:" .. server.port, "--max-wait", "50s", "--quiet" }
      server:close()
      done:says(3, "InvalidAnswer: this is not an answer to INFO")
    end)
  end

  ---The members count by their whole lines, and a replica that does not name its master leaves those above it unasked.
  for _, text in ipairs { "xrole:master\r\n", "role:slave\r\nmaster_link_status:up\r\n",
    "role:slave\r\nxmaster_link_status:up\r\nmaster_host:127.0.0.1\r\nmaster_port:1\r\n",
    "role:slave\r\nmaster_link_status:up\r\nmaster_host:127.0.0.1\r\nmaster_port:x\r\n" } do
    it(("refuse a key as gone by %q"):format(text), function()
      local server = conversation.serve { "+PONG\r\n", (":0\r\n$%d\r\n%s\r\n"):format(#text, text) }
      local done = workspace:bide { "run", "redis", "KeyGone", "127.0.0.1:" .. server.port, "jobs", "--max-attempts", "1",
        "--max-wait", "50s", "--quiet" }
      server:close()
      done:says(3, "InvalidAnswer: this is not an answer to INFO")
    end)
  end

  local function master(ip, port)
    local form = "*8\r\n$4\r\nname\r\n$8\r\nmymaster\r\n$2\r\nip\r\n%s$4\r\nport\r\n%s$5\r\nflags\r\n$6\r\nmaster\r\n"
    return form:format(ip, port)
  end

  for name, answer in pairs {
    ["a number for the host"] = master(":5\r\n", "$1\r\n1\r\n"),
    ["a port beyond all"] = master("$9\r\n127.0.0.1\r\n", "$5\r\n99999\r\n"),
    ["a list for the port"] = master("$9\r\n127.0.0.1\r\n", "*0\r\n"),
  } do
    it("refuse a master with " .. name, function()
      run(answer, "redis_sentinel"):says(3, "InvalidAnswer: the sentinel did not name the master's address")
    end)
  end

  it("refuse a master that was not asked for", function()
    for _, name in ipairs { "$5\r\ncache\r\n", "$8\r\nMyMaster\r\n", "$-1\r\n", ":5\r\n" } do
      local answer = master("$9\r\n127.0.0.1\r\n", "$1\r\n1\r\n"):gsub("%$8\r\nmymaster\r\n", (name:gsub("%%", "%%%%")))
      run(answer, "redis_sentinel"):says(3, "InvalidAnswer: the sentinel was asked for another master than it named")
    end
  end)

  for _, answer in ipairs { "-WRONGPASS no\r\n", "-NOAUTH Authentication required.\r\n" } do
    it(("fail with %q"):format(answer), function()
      run(answer, "redis", "password=wrong"):ends(1)
    end)
  end
end)
