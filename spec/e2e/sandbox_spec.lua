---`--sandbox`: whatever a script tries, it does not get out. Each attempt succeeds without
---the sandbox, so that it could fail.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---name, Lua that returns true where it got out.
local escapes = {
  { "io", "return io ~= nil and io.open('secret.txt') ~= nil" },
  { "io through _G", "return _G['i' .. 'o'] ~= nil" },
  { "os.execute", "return os.execute ~= nil and os.execute('true')" },
  { "os.getenv", "return os.getenv('HOME') ~= nil" },
  { "os.remove", "return os.remove('victim.txt') == true" },
  { "os.rename", "return os.rename('secret.txt', 'secret.txt') == true" },
  { "os.tmpname", "return os.remove(os.tmpname())" },
  { "os.setlocale", "return os.setlocale('C') == 'C'" },
  { "debug", "return debug.getregistry() ~= nil" },
  { "debug by require", "return require('debug').getinfo(1) ~= nil" },
  { "io by require", "return require('io').open('secret.txt') ~= nil" },
  { "package", "return package.loaded.io ~= nil" },
  { "package.loadlib", "return package.loadlib('libc.so.6', '*') == true" },
  { "package by require", "return require('package').loaded.luv ~= nil" },
  { "luv", "return require('luv').os_getpid() > 0" },
  { "cjson", "return require('cjson').encode({}) ~= nil" },
  { "bide.core", "return require('bide.core').process ~= nil" },
  { "bide.core.process", "return require('bide.core').process.execute ~= nil" },
  { "bide.sandbox.run", "return require('bide.sandbox.run') ~= nil" },
  { "bide.transfer", "return require('bide.transfer').exchange ~= nil" },
  { "bide.wait.run", "return require('bide.wait.run').of_kind ~= nil" },
  { "bide.exec", "return require('bide.exec')({ 'true' }).code == 0" },
  { "bide.exec as a member", "return require('bide').exec({ 'true' }).code == 0" },
  { "bide.probe.exec.running", "return require('bide.probe.exec.running') ~= nil" },
  { "bide.file", "return require('bide').file('secret.txt', { content = true }).content ~= nil" },
  { "bide.once", "return pcall(require, 'bide.once') and require('bide').once ~= nil" },
  { "bide.kubernetes", "return require('bide.kubernetes') ~= nil" },
  { "bide.connections", "return require('bide.connections') ~= nil" },
  { "bide.processes", "return require('bide.processes') ~= nil" },
  { "bide.sqlite", "return require('bide.sqlite') ~= nil" },
  { "bide.unix", "return require('bide.unix') ~= nil" },
  { "loadfile", "return loadfile('outside/module.lua') ~= nil" },
  { "dofile", "return dofile('outside/module.lua') == 'outside'" },
  { "bytecode", "return load(string.dump(function() return 1 end))() == 1" },
  { "bytecode with a mode", "return load(string.dump(function() return 1 end), 'x', 'b')() == 1" },
  { "bytecode in pieces", [[local pieces = { string.dump(function() return 1 end) }
    return load(function() return table.remove(pieces) end)() == 1]] },
  { "string.dump of a string", "return ('').dump(function() end) ~= nil" },
  { "the globals of load", "return load('return io')() ~= nil" },
  { "the globals of load, asked for", "return load('return _ENV.io', 'x', 't')() ~= nil" },
  { "the metatable of strings", "getmetatable('').__index.upper = function() return 'x' end return ('a'):upper() == 'x'" },
  { "the metatable of strings, seen", "return type(getmetatable('')) == 'table'" },
  { "a class, through its object", [[local bide = require 'bide'
    local poller = bide.poller(function() return true end)
    return type(poller.__index) == 'table' or type(getmetatable(poller)) == 'table']] },
  { "the class of waiters", [[local waiter = require 'bide'.waiter { call = function() end,
      acceptors = { { state = 'success', matcher = { success = true } } } }
    local prepared = waiter:prepare({}, { maxWait = 1 })
    return type(waiter.__index) == 'table' or type(getmetatable(prepared)) == 'table']] },
  { "the metatable of a document", "return type(getmetatable(require('bide').json.document({}))) == 'table'" },
  { "the metatable of null", "return getmetatable(require('bide').jmespath('a')) ~= false" },
  { "a finalizer", "setmetatable({}, { __gc = function() end }) return true" },
  { "the coroutine of a task", "return coroutine.status(coroutine.running()) == 'running'" },
  { "the random numbers of others", "math.randomseed(5) local a = math.random(1 << 50) math.randomseed(5) "
    .. "return a == math.random(1 << 50)" },
  { "the garbage collector", "return collectgarbage('stop') == 0 and not collectgarbage('isrunning')", },
  { "a module by a path", "return require('outside/module') == 'outside'" },
  { "a module above", "return require('../elsewhere') == 'outside'" },
  { "a module above by dots", "return require('...elsewhere') == 'outside'" },
  { "a module by a link", "return require('link') == 'outside'" },
  { "a module in a linked folder", "return require('folder.module') == 'outside'" },
  { "a recipe elsewhere", "return require('bide').load(WHERE .. '/recipe.lua') ~= nil" },
  { "a file for --with elsewhere", "return require('bide').load('own.lua', { with = { WHERE .. '/with.lua' } }) ~= nil" },
  { "a unix socket over HTTP", [[local ok, failure = pcall(require('bide.http').get, 'http://x/', { unix_socket = '/no/such' })
    return failure.type == 'ConnectionFailed']] },
  { "a file over HTTP", [[local ok, failure = pcall(require('bide.http').get, 'https://127.0.0.1:1/', { ca = 'secret.txt' })
    return type(failure) == 'table']] },
  { "a file that a metatable names", [[local ok, failure = pcall(require('bide.http').get, 'http://x/',
      setmetatable({ timeout = 1 }, { __index = { unix_socket = '/no/such' } }))
    return tostring(failure.message):find('/no/such', 1, true)]] },
}

---Those have no counterpart without the sandbox: the paths of modules are Lua's own there.
local only_within = { ["a module by a path"] = true, ["a module above"] = true, ["a module above by dots"] = true,
  ["a finalizer"] = true, ["the coroutine of a task"] = true, ["the garbage collector"] = true,
  ["package by require"] = true, ["the metatable of null"] = true, ["a class, through its object"] = true,
  ["the class of waiters"] = true, ["the metatable of a document"] = true }

local recipe = [[return { Op = { call = function() return {} end, waitable = { Done = { acceptors = {
  { state = "success", matcher = { success = true } } } } } } }]]

describe("--sandbox", function()
  local workspace = Workspace.of_block()
  local elsewhere = Workspace.of_block()

  setup(function()
    workspace:write("secret.txt", "secret")
    workspace:write("own.lua", "return { Op = { waitable = { Done = { acceptors = { { state = 'success', matcher = "
      .. "{ success = true } } } } } } }")
    assert(uv.fs_mkdir(workspace.path .. "/outside", 448))
    elsewhere:write("module.lua", "return 'outside'")
    elsewhere:write("recipe.lua", recipe)
    elsewhere:write("with.lua", "return { Op = function() return {} end }")
    workspace:write("outside/module.lua", "return 'outside'")
    assert(uv.fs_symlink(elsewhere.path .. "/module.lua", workspace.path .. "/link.lua"))
    assert(uv.fs_symlink(elsewhere.path, workspace.path .. "/folder"))
    workspace:write("helper.lua", "leaked = 1 return { name = 'helper', io = io }")
    assert(uv.fs_mkdir(workspace.path .. "/parts", 448))
    workspace:write("parts/init.lua", "return (...)")
  end)

  before_each(function() workspace:write("victim.txt", "") end)

  local function try(code, ...)
    local text = "WHERE = %q\nlocal ok, out = pcall(function() %s\nend)\nprint(ok and out and 'escaped' or 'contained')"
    workspace:write("script.lua", text:format(elsewhere.path, code))
    local words = { "exec", "script.lua" }
    if ... then table.insert(words, 2, ...) end
    return workspace:bide(words)
  end

  ---Whether this build loads no library at all, sandboxed or not.
  local function loads_none()
    return try("return select(3, package.loadlib('/', '*')) == 'absent'").stdout == "escaped\n"
  end

  for _, case in ipairs(escapes) do
    it("keeps in what tries " .. case[1], function()
      assert.equal("contained\n", try(case[2], "--sandbox").stdout)
      if only_within[case[1]] or case[1] == "package.loadlib" and loads_none() then return end
      assert.equal("escaped\n", try(case[2]).stdout)
    end)
  end

  it("gives what recipes need", function()
    local done = try([[
      local bide = require "bide"
      assert(require "helper".name == "helper" and require "helper" == require "helper" and require "helper".io == nil)
      assert(leaked == 1 and require "parts" == "parts")
      assert(require "string" == string and string.format("%5.1f", 2) == "  2.0" and ("a,b"):gsub(",", ";") == "a;b")
      assert(os.time() > 0 and os.date("%Y") and os.clock() and math.floor(1.5) == 1 and utf8.len "ä" == 1)
      local object = setmetatable({}, { __index = { a = 1 }, __len = function() return 5 end })
      assert(object.a == 1 and #object == 5 and getmetatable(object).__index.a == 1)
      assert(load("return ...")(7) == 7 and load("return x", "x", "t", { x = 8 })() == 8)
      assert(bide.json.decode(bide.json.encode { a = { 1, 2 } }).a[2] == 2)
      assert(bide.jmespath("a[0]"):search({ a = { 3 } }) == 3)
      bide.jmespath.register("three", {}, function() return 3 end)
      assert(bide.jmespath("three()"):search({}) == 3)
      bide.sleep(0.001)
      local co = coroutine.wrap(function() bide.sleep(0.001) coroutine.yield(1) return 2 end)
      assert(co() == 1 and co() == 2)
      assert(bide.spawn(function() return 4 end):join() == 4)
      assert(bide.poller(function() return 5 end):poll() == 5)
      local waiter = bide.waiter { call = function() return { a = 1 } end, acceptors = {
        { state = "success", matcher = { lua = function(context) return context.output.a == 1 end } } } }
      assert(assert(bide.all { waiter:prepare({}, { maxWait = 1 }) }).state == "success")
      assert(not pcall(bide.tcp, { host = "127.0.0.1", port = 1 }))
      local ok, failure = pcall(require "bide.http".get, "http://127.0.0.1:1/")
      assert(not ok and failure.type == "ConnectionRefused")
      assert(bide.load("own.lua").Done and bide.load("tcp").PortOpen)
      return true]], "--sandbox")
    assert.equal("escaped\n", done.stdout, done.stderr)
  end)

  it("is for recipes and --with, of every command", function()
    workspace:write("recipe.lua", 'assert(not io and not os.execute and require "helper" and arg == nil) ' .. recipe)
    workspace:write("with.lua", "assert(not io) return {}")
    workspace:write("answers.jsonl", '{"output": 1}\n')
    for _, words in ipairs {
      { "run", "recipe.lua", "--max-wait", "5s" }, { "plan", "recipe.lua", "--max-wait", "5s" }, { "list", "recipe.lua" },
      { "replay", "recipe.lua", "Done", "answers.jsonl", "--max-wait", "5s" }, { "query", "@", "answers.jsonl" },
    } do
      table.move({ "--sandbox", "--with", "with.lua" }, 1, 3, #words + 1, words)
      workspace:bide(words):ends(0)
      words[#words - 2] = "--quiet"
      assert.not_equal(0, workspace:bide(words).code)
    end
  end)

  it("does not let one file change what another sees", function()
    workspace:write("bad.lua", "string.format = error table.concat = error _G.tostring = error math.floor = nil "
      .. "require('bide').sleep = error require('bide').json.encode = error return {}")
    workspace:write("recipe.lua", recipe)
    local outcome, done = workspace:outcome { "run", "recipe.lua", "--sandbox", "--with", "bad.lua", "--max-wait", "50s" }
    assert.equal(0, done.code, done.stderr)
    assert.equal("success", outcome.state)
  end)

  it("asks nobody anything before the first attempt", function()
    for _, code in ipairs { "require('bide.http').get('http://127.0.0.1:1/')", "require('bide').sleep(0)",
      "require('bide').spawn(print)" } do
      workspace:write("recipe.lua", code .. recipe)
      workspace:bide({ "list", "recipe.lua", "--sandbox" }):says(2, "recipe.lua:1: a sandboxed file that is being loaded may not")
    end
  end)

  it("lets what a recipe prints neither pass for the outcome nor command a terminal", function()
    workspace:write("recipe.lua", "print('{}', '\\27[2J') " .. recipe)
    local outcome, done = workspace:outcome { "run", "recipe.lua", "--sandbox", "--max-wait", "50s" }
    assert.equal("Done", outcome.waiter)
    assert.equal("{}\t\\x1B[2J\n", done.stderr)
  end)

  it("runs the recipes that come with bide where they need no more", function()
    local address, url = { "host=127.0.0.1", "port=1" }, { "url=http://127.0.0.1:1" }
    for name, input in pairs { tcp = address, redis = address, postgres = address, http = url, etcd = url, rabbitmq = url,
      nginx = url, prometheus = url } do
      workspace:bide({ "run", name, "--sandbox", "--max-wait", "5s", "--max-attempts", "1", table.unpack(input) }):ends(4)
    end
    workspace:bide({ "list", "command", "--sandbox" }):says(2, "bide.exec is not for sandboxed scripts: it runs programs")
  end)

  ---What bide would run while no script does, where nothing ends it: recipes, and scripts of exec.
  local traps = {
    { "operations with __pairs", "return setmetatable(recipe, { __pairs = forever, __index = forever })" },
    { "acceptors with __index", "for _, acceptor in ipairs(acceptors) do setmetatable(acceptor, { __index = forever }) end "
      .. "setmetatable(acceptors, { __index = forever, __len = forever }) return recipe" },
    { "names with __tostring", "recipe[setmetatable({}, { __tostring = forever })] = 1 return recipe" },
    { "tables without end", "recipe.Op.waitable.Done = recipe return recipe" },
    { "a changed script error", [[recipe.Op.call = function()
        local bide = require "bide"
        local ok, failure = pcall(function() bide.spawn(function() local x = nil + 1 end):join() end)
        failure.message = setmetatable({ gsub = forever }, { __tostring = forever, __index = forever })
        error(failure)
      end return recipe]] },
    { "a changed task", [[recipe.Op.call = function()
        local task = require "bide".spawn(forever)
        task.joiners = { forever } task.name = setmetatable({}, { __tostring = forever })
        require "bide".current().joiners = { forever }
        task:cancel()
        return { joiners = task.joiners and 1 }
      end return recipe]] },
    { "a changed waiter", [[recipe.Op.call = function()
        local waiter = require "bide".waiter(setmetatable({ call = function() return {} end, acceptors = acceptors }, nil))
        waiter.acceptors = setmetatable({}, { __index = forever })
        waiter.name = setmetatable({}, { __tostring = forever })
        local prepared = waiter:prepare({}, { maxWait = 1 })
        prepared.limits = setmetatable({}, { __index = forever })
        assert(require "bide".all { prepared })
        return { start = prepared.start and 1 }
      end return recipe]] },
  }

  for _, case in ipairs(traps) do
    it("springs no trap of " .. case[1], function()
      workspace:write("recipe.lua", [[
        local function forever() while true do end end
        local acceptors = {
          { state = "failure", matcher = { errorType = "X" } }, { state = "success", matcher = { success = true } },
        }
        local recipe = { Op = { call = function() return {} end, waitable = { Done = { acceptors = acceptors } } } }
      ]] .. case[2])
      local done = workspace:bide({ "run", "recipe.lua", "--sandbox", "--max-wait", "50s" })
      assert.equal(0, done.signal, done.stderr)
      assert.is_true(done.code == 0 or done.code == 2 or done.code == 5, done.stderr)
      assert.is_true(done.elapsed < 40)
    end)
  end

  local endless = {
    'string.rep("", 1 << 60)', '("").rep("", 1 << 60, "")', "table.move({}, 1, 1 << 60, 2)",
    "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
    "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
    "table.move({}, math.mininteger, math.maxinteger, 1)",
  }

  for _, code in ipairs(endless) do
    it("has no call without end: " .. code, function()
      workspace:write("script.lua", "pcall(function() return " .. code .. " end) print 'back'")
      local done = workspace:bide({ "exec", "--sandbox", "script.lua" })
      assert.equal("back\n", done.stdout)
    end)
  end
end)
