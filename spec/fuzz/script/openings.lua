---What hostile scripts did to bide once, each with its sizes at random: the first seeds begin with one of
---them each, and the others come by them now and then.

---@alias fuzz.Opening fun(fuzz: table)
local openings = {}

local function response(fuzz)
  local ok, answer = pcall(fuzz.http.get, fuzz.url .. "/json", { timeout = 2 })
  if not ok then return nil end
  fuzz.pool:add(answer)
  return answer
end

---Copies of copies of a response.
function openings.copies(fuzz)
  local answer = response(fuzz)
  if not answer then return end
  for _ = 1, fuzz.random:of { 1, 20, 300, 30000 } do answer = answer:copy() end
  fuzz.pool:add(answer, answer:json(), (answer:document()))
end

---A function of a search frees what the search reads.
function openings.searched(fuzz)
  local bide, random = fuzz.bide, fuzz.random
  local function big(letter)
    local list = {}
    for i = 1, random:of { 3, 300 } do list[i] = { name = letter:rep(random:of { 4, 40 }) .. i } end
    return list
  end
  local input, kept = { a = bide.json.document { list = big "x" } }, {}
  local name = fuzz.name()
  bide.jmespath.register(name, { "any" }, function()
    input.a, input.b = nil, 1
    collectgarbage()
    for i = 1, 20 do kept[i] = bide.json.document { list = big "S" } end
    return fuzz.random:once_in(2) and kept[1] or true
  end)
  local expression = bide.jmespath(("[%s(`1`), a.list[*].name, a]"):format(name))
  local found = expression:search(input)
  fuzz.pool:add(found, expression, (expression:query(bide.json.document(input))))
  if type(found) == "table" and type(found[2]) == "table" then assert(found[2][1]:find "^x", "what was freed is read") end
end

local depths = { 3, 500, 998, 5000, 100000 }

---Documents within documents.
function openings.nested_documents(fuzz)
  local json, random = fuzz.bide.json, fuzz.random
  local function nest(depth)
    local document = json.document { 1 }
    for _ = 1, depth do document = json.document { document } or document end
    return document
  end
  local depth = random:of(depths)
  local one, other = nest(depth), nest(depth)
  fuzz.pool:add(one)
  local uses = {
    function() return one:json() end, function() return one:value() end, function() return one:is_same(other) end,
    function() return fuzz.bide.jmespath("a == b"):query(json.document { a = one, b = other }) end,
    function() return fuzz.bide.jmespath("[]"):query(one) end, function() return json.encode(one) end,
  }
  local first = random:number(#uses)
  for i = 0, #uses - 1 do uses[(first + i) % #uses + 1]() end
end

---Results of results, nested by expressions.
function openings.nested_results(fuzz)
  local document = fuzz.bide.json.document { 1 }
  local wrap = fuzz.bide.jmespath("@" .. (" | [@]"):rep(fuzz.random:of { 1, 100, 10000 }))
  for _ = 1, 20 do document = wrap:query(document) or document end
  fuzz.pool:add(document, document:json(), document:value())
end

function openings.nested_shapes(fuzz)
  local shape = "string"
  local names = { "array", "map", "object" }
  for _ = 1, fuzz.random:of(depths) do
    local name = fuzz.random:of(names)
    shape = { [name] = name == "object" and { a = shape } or shape }
  end
  fuzz.bide.jmespath("a.b[*].c"):analyse(shape)
end

---A metamethod of a shape changes the table that is being read.
function openings.changing_shapes(fuzz)
  local shapes = {}
  for i = 1, 40 do shapes["m" .. i] = "string" end
  shapes.m1 = setmetatable({}, { __index = function(_, name)
    for i = 1, 3000 do shapes[i .. "x"] = "string" end
    return name == "map" and "string" or nil
  end })
  fuzz.bide.jmespath("a"):analyse { object = shapes }
end

---Searches within searches.
function openings.nested_searches(fuzz)
  local name, expression = fuzz.name(), nil
  fuzz.bide.jmespath.register(name, {}, function() return expression:search { a = 1 } end)
  local depth = fuzz.random:of { 1, 200, 450 }
  expression = fuzz.bide.jmespath(("max_by([@], &"):rep(depth) .. name .. "()" .. (")"):rep(depth))
  fuzz.pool:add(expression)
  expression:search { a = 1 }
end

---A coroutine that waits is dropped: it was resumed by a function that was taken before bide was loaded.
function openings.dropped_coroutines(fuzz)
  if not fuzz.raw_resume then return end
  local bide, random = fuzz.bide, fuzz.random
  local waits = {
    function() bide.sleep(0.005) end,
    function() fuzz.http.get(fuzz.url .. "/slow", { timeout = 0.05 }) end,
    function() fuzz.core.task.pause(fuzz.core.task.waker()) end,
    function() bide.spawn(bide.sleep, 0.005):join() end,
  }
  local task = bide.spawn(function()
    for _ = 1, random:number(3) do fuzz.raw_resume(coroutine.create(random:of(waits))) end
    collectgarbage()
    collectgarbage()
    for i = 1, 200 do local _ = { ("x"):rep(40) .. i } end
    if random:once_in(2) then bide.sleep(0.001) else coroutine.yield() end
    return "end"
  end)
  fuzz.pool:add(task, task:join())
end

---Metamethods are called with what is none of theirs.
function openings.metamethods(fuzz)
  if not debug or not fuzz.core then return end
  response(fuzz)
  local core, bide = fuzz.core, fuzz.bide
  local objects = {
    bide.json.document { 1 }, bide.json.document { ("x"):rep(3000) }, bide.jmespath "a", core.task.waker(),
    core.loop.alarm(print), fuzz.pool:held_of "userdata", fuzz.foreign, core.wait.definition(1, 2, {}),
  }
  local wrong = { fuzz.foreign, "text", 1, {}, print, bide.null, table.unpack(objects) }
  fuzz.pool:add(table.unpack(objects))
  for _, object in ipairs(objects) do
    local metatable = debug.getmetatable(object) or {}
    if tostring(rawget(metatable, "__name")):find "^uv_" then metatable = {} end -- luv does not survive its finalizers
    for _, name in ipairs { "__gc", "__close", "__tostring", "__len", "__call", "__index", "__eq", "__newindex" } do
      local method = rawget(metatable, name)
      for _ = 1, type(method) == "function" and 4 or 0 do
        local value = fuzz.random:of(wrong)
        if fuzz.calls.may_get(metatable, name, value) then pcall(method, value, fuzz.pool:any()) end
      end
      if type(method) == "function" then pcall(method) end
    end
  end
end

---A finalizer that was set before bide was loaded runs when the host is gone.
function openings.finalizers(fuzz)
  if not fuzz.has_finalizers then return end
  fuzz.at_end[#fuzz.at_end + 1] = fuzz.random:of {
    function() fuzz.bide.sleep(0.001) end, function() fuzz.http.get(fuzz.url) end,
    function() fuzz.bide.spawn(print) end, function() fuzz.bide.timeout(0.01, print) end,
  }
  fuzz.at_end[#fuzz.at_end + 1] = function() fuzz.act() end
end

---Probes, whose handles luv must see closed before the state ends.
function openings.probes(fuzz)
  if not fuzz.core then return end
  local bide, port = fuzz.bide, tonumber(fuzz.url:match ":(%d+)$")
  local probe = fuzz.random:of {
    function() return bide.tcp { host = "127.0.0.1", port = port, timeout = 1 } end,
    function() return bide.tcp { host = "127.0.0.1", port = 1, timeout = 1 } end,
    function() return bide.unix { path = "no.sock", timeout = 1 } end,
    function() return bide.udp { host = "127.0.0.1", port = 1, send = "x", timeout = 0.05 } end,
    function() return bide.redis { host = "127.0.0.1", port = port, timeout = 0.5 } end,
  }
  if fuzz.random:once_in(2) then
    fuzz.pool:add(pcall(function() return bide.spawn(probe):join() end))
  else
    local waiter = bide.waiter { name = "Open", call = probe, minDelay = 0.01, maxDelay = 0.02,
      acceptors = { { state = "success", matcher = { success = true } } } }
    fuzz.pool:add(waiter, (waiter:wait({}, { maxWait = 0.1 })))
  end
end

---A transaction closes its database; statements of one that is closed.
function openings.transactions(fuzz)
  if not fuzz.core then return end
  local sqlite = require "bide.sqlite"
  local database = sqlite.open ":memory:"
  if not database then return end
  fuzz.pool:add(database)
  local inner = fuzz.random:of {
    function() database:close() end, function() database:transact(print) end, function() error "none" end,
    function() return database:query "select 1" end, function() fuzz.act() end,
  }
  database:script "create table t (a)"
  fuzz.pool:add(pcall(database.transact, database, inner))
  fuzz.pool:add(pcall(database.query, database, "select ?, ?", fuzz.pool:any(), fuzz.pool:any()))
end

---A waiter whose matchers and functions change everything.
function openings.waits(fuzz)
  local bide, pool = fuzz.bide, fuzz.pool
  local name = fuzz.name()
  bide.jmespath.register(name, { "any" }, pool:made_function())
  local waiter = bide.waiter {
    name = "Thing", call = function() return pool:any() end, minDelay = 0.001, maxDelay = 0.002,
    acceptors = {
      { state = "success", matcher = { output = { path = name .. "(@)", expected = "a", comparator = "stringEquals" } } },
      { state = "retry", matcher = { lua = pool:made_function() } },
      { state = "success", matcher = { inputOutput = { path = "input == output", expected = "true",
        comparator = "booleanEquals" } } },
    },
  }
  pool:add(waiter, waiter:wait(pool:any(), { maxWait = 0.05, maxAttempts = 3 }))
end

---Definitions whose matchers have members of any value.
function openings.matchers(fuzz)
  if not fuzz.core then return end
  local pool = fuzz.pool
  for _, kind in ipairs(require("bide.recipe.waiter.matchers").kinds) do
    local path = { path = pool:text(), expected = pool:any(), comparator = pool:text() }
    for _, value in ipairs { path, { 404, pool:number(), pool:any() }, pool:any() } do
      pool:add(pcall(fuzz.core.wait.definition, 1, 2, { { state = "success", matcher = { [kind.name] = value } } }))
    end
  end
end

---States of waits, as bide's own Lua makes them, with what that would never give them.
function openings.states(fuzz)
  if not fuzz.core then return end
  local wait, pool = fuzz.core.wait, fuzz.pool
  local definition = wait.definition(1, 2, { { state = "success", matcher = { output = { path = "a", expected = "b",
    comparator = "stringEquals" } } } }, { hold_attempts = 2, watched = "a" })
  local limits = { min_delay = 1, max_delay = 2, max_wait = 1000 }
  local state = wait.kind(definition, limits, pool:made_function()):start(1, 0, pool:any())
  pool:add(definition, state)
  local document = fuzz.bide.json.document { a = "c" }
  pcall(state.begin, state)
  pcall(state.observe, state, pool:number(), document, document, nil, pool:number(), pool:number(),
    nil, pool:any())
  pcall(state.accept, state, pool:number(), pool:number(), pool:number())
  pcall(state.remember, state, pool:number(), pool:number(), pool:number(), "retry", pool:number(), pool:number(),
    pool:any(), pool:text())
  pool:add(pcall(state.history, state))
  pool:add(pcall(wait.restore, definition, state:save(), pool:number()))
  pcall(state.ring_at, state, pool:number())
end

---Transfers by the C function below bide.http.
function openings.transfers(fuzz)
  if not fuzz.core then return end
  local transfer, pool = require "bide.transfer", fuzz.pool
  local request = { url = fuzz.url .. "/json", headers = { "A", pool:any(), pool:any() }, body = pool:any(), timeout = 50 }
  request.method = fuzz.random:of { "GET", "POST", "", pool:text() }
  request[fuzz.random:of { "user", "idle_timeout", "body_limit", "redirect_most", "insecure", "number" }] = pool:any()
  local ok, answer, failure = pcall(transfer.exchange, request)
  pool:add(answer, failure)
  if not ok then pool:add(pcall(transfer.exchange, { method = "GET", url = fuzz.url .. "/slow", timeout = 20 })) end
end

return openings
