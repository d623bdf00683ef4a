---C held on to what it had borrowed from Lua, or from a document, while Lua code ran: metamethods, functions and
---finalizers of scripts, which could take it away.

local Server = require "spec.support.server"
local plain_lua = require "spec.support.plain_lua"

local scripts = {
  ["the texts of options that are numbers"] = [[
    local transfer = require "bide.transfer"
    local url = ...
    local function send(name, value) return transfer.exchange { method = "GET", url = url, [name] = value } end
    assert(not pcall(send, "user", 12) and not pcall(send, "headers", { "A", 12 }))]],
  ["names that a metamethod makes"] = [[
    local core = require "bide.core"
    local made = setmetatable({}, { __len = function() return 3 end, __index = function(_, i)
      collectgarbage()
      return ("name"):rep(20) .. i
    end })
    assert(core.names.nearest(("name"):rep(20) .. "4", made) == nil)
    assert(not pcall(core.names.nearest, "a", { 1 }))]],
  ["a database that is closed within its transaction"] = [[
    local database = require("bide.sqlite").open ":memory:"
    for _, raises in ipairs { false, true } do
      local database = require("bide.sqlite").open ":memory:"
      assert(not pcall(database.transact, database, function()
        database:close()
        if raises then error "closed" end
      end))
      assert(not pcall(database.query, database, "select 1"))
    end]],
  ["the rows of a database that a finalizer closes"] = [[
    local sqlite = require "bide.sqlite"
    collectgarbage("incremental", 1, 1000, 1)
    for i = 1, 60 do
      local database, armed = sqlite.open ":memory:", 2 * i
      database:script "create table t (a, b, c)"
      for j = 1, 20 do database:query("insert into t values (?, ?, ?)", ("x"):rep(900) .. j, ("y"):rep(900) .. j, j) end
      local function arm()
        setmetatable({}, { __gc = function()
          armed = armed - 1
          if armed == 0 then database:close() elseif armed > 0 then arm() end
        end })
      end
      arm()
      pcall(database.query, database, "select a, b, c from t")
      armed = 0
    end]],
  ["what a finalizer closes while a number becomes a text"] = [[
    local secure, sqlite, xml = require "bide.secure", require "bide.sqlite", require "bide.xml"
    local function parsed()
      local document = xml.document(false)
      return document:feed "<a/>" and document:finish() and document
    end
    local function session() return secure.session("localhost", "anything") end
    local function database() return sqlite.open ":memory:" end
    local object, armed = nil, true
    local function arm()
      setmetatable({}, { __gc = function()
        if object then object:close() end
        if armed then arm() end
      end })
    end
    collectgarbage("incremental", 1, 1000, 1)
    arm()
    for _, call in ipairs {
      { xml.document, "feed" }, { parsed, "find" }, { session, "feed" }, { session, "write" },
      { database, "query" }, { database, "script" },
    } do
      local open, name = table.unpack(call)
      for number = 1, 1000 do
        object = open()
        local method = object[name]
        for text = 1, number % 17 do local _ = text .. "" end
        pcall(method, object, number + 0.5)
      end
    end
    armed = false]],
  ["the nodes of a search that a finalizer ends"] = [[
    local xml = require "bide.xml"
    collectgarbage("incremental", 1, 1000, 1)
    for i = 1, 200 do
      local document, armed = xml.document(false), 2 * i
      document:feed("<a>" .. ("<b>" .. ("x"):rep(900) .. "</b>"):rep(50) .. "</a>")
      document:finish()
      local function arm()
        setmetatable({}, { __gc = function()
          armed = armed - 1
          if armed == 0 and i % 2 == 0 then document:close() elseif armed == 0 then document:find "//c" end
          if armed > 0 then arm() end
        end })
      end
      arm()
      pcall(document.find, document, "//b")
      armed = 0
    end]],
  ["the body of a response that a finalizer asks for"] = [[
    local http = require "bide.http"
    collectgarbage("incremental", 1, 1000, 1)
    for i = 1, 100 do
      local response, armed = http.get(...), true
      local function arm()
        setmetatable({}, { __gc = function()
          local _ = response.body
          if armed then arm() end
        end })
      end
      arm()
      assert(#response:json() == 20000)
      armed = false
    end]],
  ["the history of a wait that a finalizer adds to"] = [[
    local core = require "bide.core"
    collectgarbage("incremental", 1, 1000, 1)
    local state = core.wait.kind(core.wait.definition(1, 2, {}), { min_delay = 1, max_delay = 2, max_wait = 9 }):start(1, 0)
    local number, armed = 0, true
    local function remember()
      number = number + 1
      pcall(state.remember, state, number, 1000, 2000, "retry", nil, nil, nil, "n" .. number)
    end
    local function arm()
      setmetatable({}, { __gc = function()
        remember()
        if armed then arm() end
      end })
    end
    remember()
    arm()
    for _ = 1, 100 do
      for _, entry in ipairs((state:history())) do assert(entry.at == 1 and entry.state == "retry") end
      if number < 60 then remember() end
    end
    armed = false]],
  ["a table whose members a finalizer adds"] = [[
    local bide = require "bide"
    collectgarbage("incremental", 1, 1000, 1)
    for _ = 1, 300 do
      local members, armed = {}, true
      for i = 1, 30 do members["m" .. i] = bide.json.document { i } end
      local function arm()
        setmetatable({}, { __gc = function()
          for i = 1, 30 do members["m" .. i] = nil end
          for i = 1, 60 do members["n" .. i] = 1 end
          if armed then arm() end
        end })
      end
      arm()
      pcall(bide.json.encode, members)
      armed = false
    end]],
  ["the text of a limit that another one could not replace"] = [[
    local core = require "bide.core"
    local said
    assert(core.limits.set(0, 0, 64 << 20, ("%d MB of %s"):format(64, ("memory "):rep(20))))
    assert(not core.limits.set(0, 0, 1, "nothing"))
    collectgarbage()
    core.task.start(function()
      local taken = {}
      for i = 1, 1e7 do taken[i] = ("x"):rep(1000) .. i end
    end, function(_, how, failure) said = how .. ": " .. failure end, nil, nil, "script")
    while core.task.count() > 0 do core.loop.turn() end
    assert(said:find("raised: memory limit exceeded: scripts, and what they hold, may take 64 MB of memory", 1, true), said)]],
  ["a shape whose members a finalizer replaces"] = [[
    local expression = require("bide").jmespath "a"
    collectgarbage("incremental", 1, 1000, 1)
    local members, runs = {}, 0
    local function arm()
      setmetatable({}, { __gc = function()
        runs = runs + 1
        for i = 1, 40 do members["m" .. i] = nil end
        for i = 1, 40 do members["n" .. runs .. "_" .. i] = { array = "number" } end
        arm()
      end })
    end
    arm()
    for _ = 1, 400 do
      for name in pairs(members) do members[name] = nil end
      for i = 1, 40 do members["m" .. i] = { array = { map = { array = "string" } } } end
      pcall(expression.analyse, expression, { object = members })
    end
    assert(runs > 10)
    os.exit(0, false)]],
}

describe("C borrows nothing while Lua runs:", function()
  local server = Server.of_each(function() return { body = "[" .. ("1,"):rep(19999) .. "1]" } end)

  for name, script in pairs(scripts) do
    it(name, function()
      local done = plain_lua(script, server.url)
      assert.same({ "", 0, 0 }, { done.stderr, done.code, done.signal })
    end)
  end

  it("an expression that was collected before its owner", function()
    local done = plain_lua [[
      local bide = require "bide"
      OWNER = setmetatable({}, { __gc = function(self)
        local ok, mistake = pcall(function() return self.expression:search(1) end)
        print(ok, mistake:match "was collected")
      end })
      OWNER.expression = bide.jmespath "a"]]
    assert.same({ "false\twas collected\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)
end)
