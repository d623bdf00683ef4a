---Hands over what is broken: values with hostile metamethods, objects that were closed, cancelled or freed, tables that are
---deep or hold themselves, and texts that are no UTF-8.

---@type table<string, fuzz.Opening>
local broken = {}

-- ---- metamethods ------------------------------------------------------------------------------

local metamethods = {
  "__index", "__newindex", "__len", "__call", "__tostring", "__close", "__eq", "__lt", "__le", "__pairs", "__name",
  "__gc", "__metatable",
}

---A table all of whose metamethods do something else.
local function hostile(fuzz)
  local metatable = {}
  for _, name in ipairs(metamethods) do
    if name ~= "__gc" or fuzz.has_finalizers then metatable[name] = fuzz.pool:made_function() end
  end
  if fuzz.random:once_in(2) then metatable.__name = fuzz.pool:any() end
  if fuzz.random:once_in(2) then metatable.__metatable = fuzz.pool:any() end
  local made = { fuzz.pool:any() }
  made.a = made
  return setmetatable(made, metatable)
end

---Every public function gets such a table, as its argument and as a member of its options.
function broken.metamethods_everywhere(fuzz)
  local random = fuzz.random
  local first, step = random:number(7), 7
  for i = first, #fuzz.functions, step do
    local f = fuzz.functions[i].f
    local value = hostile(fuzz)
    for _, given in ipairs { { value }, { value, value }, { fuzz.pool:text(), value }, { { [fuzz.pool:text()] = value } } } do
      fuzz.pool:add(select(2, pcall(fuzz.bide.timeout, 0.01, f, table.unpack(given))))
    end
  end
end

---A variable that is closed when its deadline has come, by a function that waits, raises, loops or starts tasks.
function broken.closers(fuzz)
  local bide, random, pool = fuzz.bide, fuzz.random, fuzz.pool
  local close = random:of {
    function() bide.sleep(0.01) end, function() error "closed" end, function() while true do end end,
    function() bide.spawn(bide.sleep, 0.001) end, function() pool:drop() end, pool:made_function(),
    function() pcall(fuzz.http.get, fuzz.url .. "/slow", { timeout = 0.05 }) end,
  }
  local function held()
    local value <close> = setmetatable({}, { __close = close })
    bide.sleep(random:of { 0, 0.001, 1 })
    return value
  end
  pool:add(pcall(bide.timeout, 0.005, held))
  local task = bide.spawn(bide.timeout, 0.01, held)
  if random:once_in(2) then task:cancel() end
  pool:add(task, pcall(bide.timeout, 0.05, task.join, task))
end

-- ---- objects ----------------------------------------------------------------------------------

local ends = { "close", "cancel", "stop", "leave", "finish", "silence", "shutdown" }

local function end_it(object)
  for _, name in ipairs(ends) do
    local ok, method = pcall(function() return object[name] end)
    if ok and type(method) == "function" then pcall(method, object) end
  end
end

---What has ended, or belongs to what has ended, is handed to everything again.
function broken.ended(fuzz)
  local bide, random, pool = fuzz.bide, fuzz.random, fuzz.pool
  local cut = bide.spawn(bide.sleep, 9)
  local over = bide.spawn(function() return "end" end)
  pcall(over.join, over)
  cut:cancel()
  local objects = { cut, over, bide.json.document { { 1 } } }
  local function keep(object) objects[#objects + 1] = object end
  pcall(bide.timeout, 0.005, function()
    keep(bide.current and bide.current())
    keep(fuzz.http.get(fuzz.url .. "/json", { timeout = 1 }))
    bide.sleep(1)
  end)
  if fuzz.core then
    local core = fuzz.core
    local woken, alarm = core.task.waker(), core.loop.alarm(print)
    pcall(woken)
    alarm:start(core.loop.now() + 1)
    keep(woken)
    keep(alarm)
    local database = require("bide.sqlite").open ":memory:"
    keep(database)
    local definition = core.wait.definition(1, 2, { { state = "success", matcher = { success = true } } })
    local state = core.wait.kind(definition, { min_delay = 1, max_delay = 2, max_wait = 10 }, print):start(1, 0, {})
    keep(definition)
    keep(state)
    local uv = require "luv"
    local handle = random:of { uv.new_tcp, uv.new_timer, uv.new_udp }()
    keep(handle)
  end
  for _, object in ipairs(objects) do end_it(object) end
  collectgarbage()
  pool:add(table.unpack(objects))
  for _, object in ipairs(objects) do
    for _ = 1, 6 do
      local f = random:of(fuzz.functions).f
      pool:add(select(2, pcall(bide.timeout, 0.01, f, object, random:of(objects))))
    end
    for _, name in ipairs { "join", "cancel", "close", "json", "value", "query", "search", "start", "begin", "decide", "save" } do
      pcall(bide.timeout, 0.01, function() return object[name](object, random:of(objects), pool:any()) end)
    end
  end
end

-- ---- tables -----------------------------------------------------------------------------------

local depths = { 2, 90, 250, 999, 1001, 30000, 200000 }

local function deep(random)
  local made = {}
  for _ = 1, random:of(depths) do made = random:once_in(2) and { made } or { a = made } end
  return made
end

local function cyclic()
  local one, other = {}, {}
  one.a, other.b, one[1], other.other = other, one, one, other
  return one
end

---Where a table of a script is read as data.
local function readers(fuzz)
  local bide, http = fuzz.bide, fuzz.http
  local waiter = bide.waiter { name = "Reader", call = function(input) return input end, minDelay = 0.001, maxDelay = 0.002,
    acceptors = { { state = "success", matcher = { success = false } },
      { state = "failure", matcher = { output = { path = "a.a", comparator = "stringEquals", expected = "x" } } } } }
  return {
    function(value) return bide.json.encode(value) end,
    function(value) return bide.json.document(value) end,
    function(value) return bide.jmespath("a.a || [*] || *"):search(value) end,
    function(value) return bide.jmespath("a"):analyse(value) end,
    function(value) return waiter:wait(value, { maxWait = 0.01 }) end,
    function(value) return bide.waiter(value) end,
    function(value) return bide.waiter { call = print, acceptors = value } end,
    function(value) return bide.waiter { call = print, input = value, acceptors = { { matcher = value } } } end,
    function(value) return bide.timeout(0.01, error, value) end,
    function(value) return bide.spawn(error, value):join() end,
    function(value) return bide.spawn(function() return value end):join() end,
    function(value) return bide.send(bide.spawn(bide.receive_next, 1, 0.01), value) end,
    function(value) return bide.all(value) end,
    function(value) return bide.any { value, value } end,
    function(value) return bide.retry(value, error, value) end,
    function(value) return http.post(fuzz.url .. "/json", { json = value, headers = value, timeout = 0.5 }) end,
    function(value) return http.get(fuzz.url .. "/json", { query = value, form = value, timeout = 0.5 }) end,
    function(value) return bide.tcp(value) end,
    function(value) return bide.limit_rate(value) end,
    function(value) return bide.matcher(fuzz.name(), value) end,
    function(value) return bide.jmespath.register(fuzz.name(), value, print) end,
    function(value)
      local failing = bide.waiter { name = "Failing", call = function() error { type = value, message = value, a = value } end,
        minDelay = 0.001, maxDelay = 0.002, acceptors = { { state = "success", matcher = { errorType = "a" } } } }
      return failing:wait({}, { maxWait = 0.005 })
    end,
  }
end

local function read_by_all(fuzz, value)
  for _, read in ipairs(readers(fuzz)) do
    fuzz.pool:add(select(2, pcall(fuzz.bide.timeout, 0.1, read, value)))
  end
end

function broken.deep_tables(fuzz) read_by_all(fuzz, deep(fuzz.random)) end
function broken.cyclic_tables(fuzz) read_by_all(fuzz, cyclic()) end

function broken.odd_tables(fuzz)
  local random = fuzz.random
  local function function_key() end
  local value = random:of {
    { [0.5] = 1, [-1] = 2 }, { [true] = 1 }, { [function_key] = function_key }, { [1 << 40] = 1, "a" },
    { [math.mininteger] = 1, [math.maxinteger] = 2 }, { coroutine.create(function_key) }, { 0 / 0, 1 / 0, -1 / 0 },
    { a = { a = 2 ^ 63 } }, { ["a\0b"] = "\0" }, { fuzz.foreign or fuzz.bide.null },
  }
  read_by_all(fuzz, value)
end

-- ---- texts ------------------------------------------------------------------------------------

local no_utf8 = {
  "\xFF", "a\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "a\xFF\0b", "\xEF\xBB\xBF", "\x80\x80\x80",
  ("\xFF"):rep(70000), "\xF8\x88\x80\x80\x80", "a\r\nb", "\0",
}

---Texts that are no UTF-8, wherever a text is taken.
function broken.texts(fuzz)
  local bide, http, url = fuzz.bide, fuzz.http, fuzz.url
  local text = fuzz.random:of(no_utf8)
  local port = tonumber(url:match ":(%d+)$")
  for _, f in ipairs {
    function() return bide.json.decode(text), bide.json.encode(text), bide.json.document { [text] = text } end,
    function() return bide.json.decode(('{"a%s":"b%s"}'):format(text, text)) end,
    function() return bide.jmespath(("a || '%s' || \"%s\""):format(text, text)):search { [text] = text, a = text } end,
    function() return bide.jmespath.register(text, { "any" }, print) end,
    function() return bide.matcher(text, print) end,
    function() return bide.load(text) end,
    function() return bide.token(text) end,
    function() return http.get(url .. "/" .. text, { headers = { ["X-" .. text] = text }, timeout = 0.5 }) end,
    function() return http.post(url .. "/json", { body = text, query = { [text] = text }, bearer = text, timeout = 0.5 }) end,
    function() return http.get("http://" .. text .. "/", { timeout = 0.2 }) end,
    function() return bide.tcp { host = "127.0.0.1", port = port, send = text, expect = text, timeout = 0.05 } end,
    function() return bide.redis { host = "127.0.0.1", port = port, command = { text, text }, timeout = 0.05 } end,
    function() return require(text) end,
    function() return require("bide.error_class").of(text) end,
    function() return require("bide.address").parse(text) end,
    function() error { type = text, message = text } end,
    function()
      local waiter = bide.waiter { name = text, call = function() error({ type = text, message = text }, 0) end,
        minDelay = 0.001, maxDelay = 0.002, secret = { text }, acceptors = { { state = "failure", name = text,
          message = text, matcher = { errorType = text } } } }
      return waiter:wait({ [text] = text }, { maxWait = 0.02 })
    end,
    function()
      local waiter = bide.waiter { call = function(input) return { [text] = text, a = input } end, minDelay = 0.001,
        maxDelay = 0.002, acceptors = { { state = "success", matcher = { output = { path = "a", expected = text,
          comparator = "stringEquals" } } } } }
      return waiter:wait(text, { maxWait = 0.02 })
    end,
  } do
    fuzz.pool:add(select(2, pcall(bide.timeout, 0.2, f)))
  end
end

return broken
