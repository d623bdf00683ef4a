---ssh-keyscan prints the greeting of a server as a comment, on standard output in some versions. A server that wrote a key
---into its greeting seemed to have that key.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local WANTED = "AAAAC3NzaC1lZDI1NTE5AAAAIM1UKGx+6uzfsyTYpuwD4lOR/TCKEaEq7LkJ6vvJPPkw"
local OTHER = "AAAAC3NzaC1lZDI1NTE5AAAAICP/6w9MdtsfaPdmg4AdM3R1ZxKwUsa7NyiPeJzZSZUr"

describe("the greeting of an SSH server", function()
  local workspace = Workspace.of_block()

  local server = Server.of_block(nil, { connected = function(peer) peer:write "SSH-2.0-x\r\n" end, raw = function() end })

  ---Runs the recipe with an ssh-keyscan that prints some lines.
  local function run(...)
    workspace:write("ssh-keyscan", "#!/bin/sh\ncat <<'END'\n" .. table.concat({ ... }, "\n") .. "\nEND\n")
    assert(os.execute("chmod +x " .. workspace.path .. "/ssh-keyscan"))
    return workspace:shell(('PATH="$PWD:$PATH" "$BIDE" run ssh 127.0.0.1:%d "host_key=ssh-ed25519 %s" --max-wait 50s --quiet')
      :format(server.port, WANTED))
  end

  it("has no keys", function()
    for _, comment in ipairs { "# h:22 SSH-2.0-x " .. WANTED, "#" .. WANTED, "# " .. WANTED .. "\n# x" } do
      run(comment, "h ssh-ed25519 " .. OTHER, comment):says(1, "HostKeyMismatch")
    end
  end)

  it("does not hide the keys beside it", function()
    assert.equal(0, run("# h:22 SSH-2.0-x", "h ssh-ed25519 " .. WANTED).code)
    assert.equal(0, run("h ssh-rsa AAAAB", "h ssh-ed25519 " .. WANTED .. " #1").code)
  end)
end)
