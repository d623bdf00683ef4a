---A script of plain lua5.4 whose last act was a probe crashed at its end: luv freed a handle that was still closing.

local process = require "spec.support.process"
local uv = require "luv"

local scripts = {
  ["bide.tcp"] = 'pcall(bide.tcp, { host = "localhost", port = 1 })',
  ["bide.udp"] = 'pcall(bide.udp, { host = "localhost", port = 1, send = "x", timeout = 0.1 })',
  ["bide.unix"] = 'pcall(bide.unix, { path = "no.sock" })',
  ["bide.exec"] = 'bide.exec({ "true" })',
  ["bide.dns"] = 'pcall(bide.dns, "x.example", { server = "127.0.0.1", port = 1, timeout = 0.1 })',
}

describe("plain lua5.4 ends well after", function()
  for name, line in pairs(scripts) do
    it(name, function()
      local root = uv.cwd()
      local done = process.run({ process.lua, "-e", 'local bide = require "bide" ' .. line .. ' print "done"' }, {
        env = {
          LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root),
          LUA_CPATH = package.cpath,
        },
      })
      assert.same({ "done\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
    end)
  end
end)
