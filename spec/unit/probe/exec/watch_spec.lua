---A watched process: by a descriptor of the kernel, and by looking where there is none.

local core = require "bide.core"
local processes = require "bide.processes"
local turns = require "spec.support.turns"
local uv = require "luv"

local descriptor_of = core.process.open_process

describe("a watched process", function()
  local watch

  before_each(function() watch = require "bide.probe.exec.watch" end)
  after_each(function() core.process.open_process = descriptor_of end)

  ---Starts a program that never ends by itself; the zombie of one that was killed is kept by not turning libuv's loop.
  local function start()
    local handle, pid = uv.spawn("sleep", { args = { "60" } }, function() end)
    return assert(handle), pid
  end

  local function check_end()
    local handle, pid = start()
    local count, watched = 0, watch.open(pid)
    assert.falsy(watched.is_gone)
    watched:start(function() count = count + 1 end)
    uv.kill(pid, "sigkill")
    turns.await(function() return count > 0 end)
    handle:close()
    watched:close()
    watched:close()
    core.loop.settle()
    assert.equal(1, count)
  end

  it("is noticed by its descriptor", check_end)

  it("is noticed where the system has no descriptors of processes", function()
    core.process.open_process = function() return nil, "Function not implemented", 38 end
    check_end()
  end)

  it("may be gone already", function()
    local count, watched = 0, watch.open(2147483647)
    assert.is_true(watched.is_gone)
    watched:start(function() count = count + 1 end)
    turns.await(function() return count > 0 end)
    watched:close()
    assert.equal(1, count)
  end)

  it("need not end", function()
    local watched = watch.open(uv.os_getpid())
    watched:start(function() error "it has not ended" end)
    watched:close()
    core.loop.settle()
    watch.open(uv.os_getpid()):close()
  end)
end)

describe("processes.has_ended", function()
  it("counts zombies, and not what belongs to others", function()
    assert.is_false(processes.has_ended(uv.os_getpid()))
    assert.is_false(processes.has_ended(1))
    assert.is_true(processes.has_ended(2147483647))
  end)
end)
