---A watch that never reached its store had no deadline, and waited without a word for ever. It says that the store is away, and
---ends with 70 after a minute; its last lines said of the run that it continues, which nobody knew.

local Directory = require "spec.support.directory"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"

---Watches a run of a store that is away, on the virtual clock. Prints the exit code, and the seconds.
local script = [[
require "bide"
local core = require "bide.core"
local store_watch = require "bide.cli.store.watch"
core.loop.use_virtual_clock()
local store = { url = "s", follow = function() return nil, { kind = "away", message = "the store is away" } end }
core.task.start(function()
  local began = core.loop.update()
  local ended = store_watch.report(store_watch.new({ quiet = true }, store, 7))
  print(ended.state, ended.code, (core.loop.update() - began) // 1000)
  os.exit(0)
end, function(...) print(...) os.exit(1) end)
while core.loop.turn() do end
]]

describe("a watch of a store that does not answer", function()
  local workspace = Workspace.of_each()
  local directory = Directory.of_each()

  it("says so, and ends with 70 after a minute", function()
    local done = process.run({ process.lua, directory:write("watch.lua", script) },
      { env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }, longest = 20 })
    assert.same({ 0, "failure\t70\t60\n" }, { done.code, done.stdout }, done.stderr)
    assert.equal("bide: warning: the store is away; watching again once it can be reached\nbide: the store is away\n",
      done.stderr)
  end)

  it("does not say that the run continues", function()
    local url = ("postgres://ada@127.0.0.1:%d/postgres"):format(port.free())
    local done = workspace:bide({ "watch", "7", "--for", "100ms", "--store", url }):ends(75)
    assert.equal(([[
bide: warning: the store cannot be reached: connection refused by %s; watching again once it can be reached
bide: watch it again:  bide watch 7 --store %s
cancel it:  bide jobs cancel 7 --store %s
]]):format(url:match "@([^/]+)", url, url), done.stderr)
  end)
end)
