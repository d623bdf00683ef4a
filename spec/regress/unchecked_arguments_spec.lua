---C functions took what they were given for what they expected: metamethods of bide's objects above all, which a
---script found by getmetatable.

local Server = require "spec.support.server"
local plain_lua = require "spec.support.plain_lua"

local before = [[
  local bide, core, http = require "bide", require "bide.core", require "bide.http"
  local url = ...
  local objects = {
    http.get(url), bide.json.document { 1 }, bide.json.document { ("x"):rep(3000) }, bide.jmespath "a", core.task.waker(),
    core.loop.alarm(print), core.wait.definition(1, 2, {}), require("bide.sqlite").open(":memory:"),
  }
]]

local scripts = {
  ["no object shows its metatable"] = [[
    for _, object in ipairs(objects) do
      assert(type(getmetatable(object)) == "string")
      assert(not pcall(getmetatable(object).__gc, io.stdout))
    end]],
  ["metamethods refuse what is none of theirs, found by debug even"] = [[
    local wrong = { io.stdout, "text", 1, {}, print, bide.null }
    for _, object in ipairs(objects) do
      for name, method in pairs(debug.getmetatable(object)) do
        if type(method) == "function" then
          for _, value in ipairs(wrong) do assert(not pcall(method, value), name) end
          assert(not pcall(method), name)
        end
      end
    end]],
  ["every function below bide.core, and every method, survives what it does not expect"] = [[
    local left_out = { ["core.process"] = true, ["core.service"] = true, ["core.watchdog"] = true, ["core.loop.turn"] = true,
      ["core.limits"] = true, ["core.task.pause"] = true } -- they end the process, or wait for ever
    local functions, count = {}, 0
    local function collect(name, module)
      for key, value in pairs(module) do
        local full = name .. "." .. tostring(key)
        if not left_out[full] and type(value) == "table" then collect(full, value) end
        if not left_out[full] and type(value) == "function" then functions[full] = value end
      end
    end
    collect("core", core)
    for _, name in ipairs { "digest", "secure", "xml" } do collect(name, require("bide." .. name)) end
    objects[#objects + 1] = core.secret.mask()
    objects[#objects + 1] = require("bide.sqlite").open ":memory:"
    objects[#objects]:close()
    for place, object in ipairs(objects) do
      local metatable = debug.getmetatable(object)
      if type(metatable.__index) == "table" then collect("method." .. place, metatable.__index) end
    end
    local wrong = { {}, io.stdout, print, true, 0 / 0, math.mininteger, math.maxinteger, 2^63, bide.null,
      coroutine.create(print), setmetatable({}, { __index = error, __len = function() return math.maxinteger end }),
      table.unpack(objects) }
    for name, f in pairs(functions) do
      pcall(f)
      for _, first in ipairs(wrong) do
        pcall(f, first)
        for _, second in ipairs(wrong) do
          pcall(f, first, second, second)
          count = count + 1
        end
      end
      pcall(f, table.unpack(wrong))
      pcall(coroutine.wrap(f), objects[2], {}, {})
    end
    assert(count > 10000)]],
  ["a field of a response wants a name"] = [[
    assert(debug.getmetatable(objects[1]).__index(objects[1]) == nil)]],
  ["headers are looked up in a table only"] = [[
    local look_up = getmetatable(objects[1].headers).__index
    assert(not pcall(look_up, 1, "name") and not pcall(look_up, io.stdout, "name") and not pcall(look_up))]],
  ["a method of a wait's state takes nothing else for one, whatever follows"] = [[
    local state = core.wait.kind(core.wait.definition(1, 2, {}), { min_delay = 1, max_delay = 2, max_wait = 9 }):start(1, 0)
    for name, method in pairs(debug.getmetatable(state).__index) do
      for _, value in ipairs { {}, io.stdout, "text", bide.null } do
        assert(not pcall(method, value, value, value), name)
      end
    end]],
  ["what must not wait is a function"] = [[
    assert(not pcall(core.task.without_waiting, "who"))]],
  ["the attempt to begin with counts from 1"] = [[
    local state = core.wait.kind(objects[7], { min_delay = 1, max_delay = 2, max_wait = 9 }):start(1, 0)
    local document = objects[2]
    for _, first in ipairs { 0, -1, math.mininteger } do
      assert(not pcall(state.observe, state, 0, { input = document, output = document }, first))
    end]],
  ["types of a function are at most eight"] = [[
    local types = setmetatable({}, { __len = function() return -1 end })
    assert(not pcall(core.jmespath.register, "one", types, print))]],
  ["no limit is so long that it overflows"] = [[
    for _, time in ipairs { math.mininteger, -1, math.maxinteger // 2, math.maxinteger } do
      assert(not pcall(core.limits.set, 0, time, 0, ""))
    end]],
  ["a service may ask for any delay"] = [[
    local definition = core.wait.definition(1, 2, { { state = "retry", matcher = { success = true } } })
    for _, cap in ipairs { 5, math.maxinteger } do
      for _, spread in ipairs { 0, 5, math.maxinteger } do
        for _, asked in ipairs { math.mininteger, -1, 1 << 62, math.maxinteger } do
          local kind = core.wait.kind(definition, { min_delay = 1, max_delay = 2, max_wait = 10, retry_after_cap = cap,
            last_spread = spread })
          for _, now in ipairs { 0, 5, 9, 10, 11 } do
            local state = kind:start(1, 0)
            state:begin()
            state:observe(now, { input = objects[2], output = objects[2], retry_after = asked })
          end
        end
      end
    end]],
  ["a text that C reads ends at no NUL byte"] = [[
    local sqlite, transfer = require "bide.sqlite", require "bide.transfer"
    local database = sqlite.open ":memory:"
    assert(not pcall(sqlite.open, ":memory:\0") and not pcall(database.query, database, "select 1\0"))
    assert(not pcall(database.script, database, "\0") and not pcall(sqlite.locks, "\0"))
    assert(not pcall(require("bide.xml").check, "/a\0") and not pcall(core.process.create_file, "\0"))
    assert(not pcall(transfer.resolve, url, "/\0") and not pcall(core.process.execute, { "true", "\0" }))]],
  ["a number that C keeps as an int is not cut"] = [[
    for _, number in ipairs { -1, 2^31, 2^32 + 1 } do
      assert(not pcall(core.recording.append, math.tointeger(number), ""), number)
      assert(not pcall(core.process.leave, math.tointeger(number)), number)
    end
    assert(not pcall(core.process.leave, 256)) -- the system takes it for 0
    local state = core.wait.kind(core.wait.definition(1, 2, {}), { min_delay = 1, max_delay = 2, max_wait = 9 }):start(1, 0)
    state:begin()
    assert(not pcall(state.conclude, state, 0, "retry", 2^32 + 1) and not pcall(state.conclude, state, 0, "retry", -1))]],
  ["times may be anything"] = [[
    local limits = { min_delay = 1, max_delay = 2, max_wait = math.maxinteger }
    local definition = core.wait.definition(1, 2, { { state = "retry", matcher = { success = true } } })
    for _, from in ipairs { math.mininteger, -1, 0, math.maxinteger } do
      for _, now in ipairs { math.mininteger, -1, 0, math.maxinteger } do
        local state = core.wait.kind(definition, limits):start(1, from)
        state:begin()
        state:observe(now, { input = objects[2], output = objects[2] })
        state:accept(now, {}, 1)
        state:last(now)
        state:ring_at(now)
        state:lateness()
        state:silence()
        local alarm <close> = core.loop.alarm(print)
        alarm:start(now)
        bide.sleep(0)
      end
    end
    assert(not pcall(core.wait.ceiling, -1, 5, 3) and not pcall(core.wait.delay, 1, -1, 5))
    assert(not pcall(core.wait.delay, 5, 1, math.mininteger))]],
}

describe("a C function checks its arguments:", function()
  local server = Server.of_each(function() return { body = "{}" } end)

  for name, script in pairs(scripts) do
    it(name, function()
      local done = plain_lua(before .. script, server.url)
      assert.same({ "", 0, 0 }, { done.stderr, done.code, done.signal })
    end)
  end
end)
