---Modules that bundled recipes require had no row in the registry: in the sandbox, recipes that only use the network could
---not be loaded, and others were refused without the reason. A module that sends requests of its own read files there.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

describe("a bundled recipe in the sandbox", function()
  local workspace = Workspace.of_block()

  for file in uv.fs_scandir_next, assert(uv.fs_scandir "scripts") do
    local name = file:match "^(.*)%.lua$"
    if name then
      it("is loaded, or says why not: " .. name, function()
        local done = workspace:bide { "list", "--sandbox", name }
        if done.code ~= 0 then assert.matches(" is not for sandboxed scripts: ", done.stderr, 1, true) end
      end)
    end
  end

  for _, words in ipairs { { "elasticsearch", "localhost:1" }, { "mysql", "localhost:1" }, { "mongodb", "localhost:1" } } do
    it("uses the network: " .. words[1], function()
      workspace:bide({ "run", "--sandbox", words[1], words[2], "--max-wait", "50ms", "--quiet" }):ends(124)
    end)
  end

  for _, member in ipairs { "ca", "certificate", "key", "unix" } do
    it("names no file by elasticsearch: " .. member, function()
      workspace:write("search.lua", ([[
        local ok, mistake = pcall(require("bide.elasticsearch").health, { url = "localhost:1", %s = "/etc/hostname" })
        print(ok, mistake)
      ]]):format(member))
      local done = workspace:bide { "exec", "--sandbox", "search.lua" }
      assert.matches(member .. ": not for sandboxed scripts, since it names a file", done.stdout .. done.stderr, 1, true)
    end)
  end

  it("names no socket as the proxy of elasticsearch", function()
    workspace:write("proxy.lua", [[
      print(pcall(require("bide.elasticsearch").health, { url = "localhost:1", proxy = "socks5h://localhost/run/x" }))
    ]])
    local done = workspace:bide { "exec", "--sandbox", "proxy.lua" }
    assert.matches("proxy: not for sandboxed scripts", done.stdout .. done.stderr, 1, true)
  end)
end)
