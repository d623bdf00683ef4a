---NameGone and SocketClosed succeeded at once for what is no name and no socket: a name with a port or a scheme, two names,
---an expected text that is no address, a file, a folder, a URL of a socket.

local Workspace = require "spec.support.workspace"

---Words, the exit code, a part of what is said.
local rows = {
  { { "dns", "NameGone", "localhost:80" }, 2, "name: expected one name of a host, without a port or a scheme" },
  { { "dns", "NameKnown", "localhost:80" }, 2, "name: expected one name" },
  { { "dns", "NameGone", "http://localhost" }, 2, "name: expected one name" },
  { { "dns", "NameGone", "localhost,localhost" }, 2, "name: expected one name" },
  { { "dns", "NameGone", " localhost" }, 2, "name: expected one name" },
  { { "dns", "NameGone", "root@localhost" }, 2, "name: expected one name" },
  { { "dns", "NameGone", "a..b" }, 2, "name: expected one name" },
  { { "dns", "NameGone", ("a"):rep(64) .. ".invalid" }, 2, "name: expected one name" },
  { { "dns", "NameGone", "localhost" }, 124, "gave up" },
  { { "dns", "NameGone", "::1" }, 124, "gave up" },
  { { "dns", "NameGone", "127.0.0.1" }, 124, "gave up" },
  { { "dns", "NameGone", "localhost", "expect=127.0.0.O" }, 2, "expect: expected an address" },
  { { "dns", "NameGone", "localhost", "expect=localhost" }, 2, "expect: expected an address" },
  { { "dns", "NameGone", "localhost", "expect=127.0.0.1" }, 124, "gave up" },
  { { "unix", "SocketClosed", "file" }, 3, "cannot connect to file: ENOTSOCK: it is a file, not a socket" },
  { { "unix", "SocketClosed", "." }, 3, "ENOTSOCK: it is a directory" },
  { { "unix", "SocketOpen", "file" }, 3, "ENOTSOCK: it is a file" },
  { { "unix", "SocketClosed", "unix:///run/app.sock" }, 2, "path: expected a path, which is no URL" },
  { { "unix", "SocketClosed", "@app" }, 2, "path: expected a path, without ~ and @" },
  { { "unix", "SocketClosed", "none" }, 0, "succeeded" },
  { { "http", "ServiceDown", "/", "unix=file" }, 2, "unix: expected a socket, found a file: file" },
  { { "http", "ServiceDown", "/", "unix=~/app.sock" }, 2, "unix: expected a path" },
  { { "http", "ServiceDown", "/", "unix=none" }, 0, "succeeded" },
}

describe("an address of nothing", function()
  local workspace = Workspace.of_block { file = "" }

  for _, row in ipairs(rows) do
    local words, code, text = table.unpack(row)
    it(("is no proof: %s: %d"):format(table.concat(words, " "), code), function()
      local longest = code == 124 and "300ms" or "10s"
      workspace:bide({ words[1], "--max-wait", longest, table.unpack(words, 2) }):writes(code, text)
    end)
  end
end)
