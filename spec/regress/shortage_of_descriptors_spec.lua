---Where no file descriptor was left, requests failed with an operation error that blamed the service, so that a waiter for
---something to be gone succeeded; and very few of them ended bide by a signal.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local process = require "spec.support.process"
local resolver = require "spec.support.counting_resolver"
local uv = require "luv"

local bide = assert(uv.fs_realpath(process.bide))

local recipe = [[
local bide, http = require "bide", require "bide.http"

local asks = {
  of_http = { http = true, name = true }, -- a connection that is kept would be used again
  http = function(input) return http.get(input.url) end,
  name = function(input) return http.get((input.url:gsub("127.0.0.1", "a-name"))) end,
  tcp = function(input) return bide.tcp { host = "127.0.0.1", port = input.port } end,
  resolve = function() return { answers = bide.dns("a-name").answers } end,
  udp = function(input) return bide.udp { host = "127.0.0.1", port = input.port, send = "x", timeout = 0.2 } end,
  unix = function() return bide.unix { path = "socket" } end,
  exec = function() return { code = bide.exec({ "true" }).code } end,
  file = function() return { size = #bide.file("recipe.lua", { content = true }).content } end,
  processes = function()
    if #require("bide.processes").find { pid = 1 } == 0 then error { type = "NotFound" } end
    return {}
  end,
}

---Takes all descriptors that are left, and gives them back after some seconds.
local function exhaust(seconds)
  local held = {}
  repeat
    local file = io.open "/dev/null"
    held[#held + 1] = file
  until not file
  if not seconds then return held end
  bide.spawn(function()
    bide.sleep(seconds)
    for _, file in ipairs(held) do file:close() end
  end)
end

local function call(input)
  http.version() -- loads libcurl
  if not asks.of_http[input.ask] then pcall(asks[input.ask], input) end -- loads what it needs
  bide.sleep(0.1) -- a thread closes the file
  local held = exhaust(input.seconds)
  local output = asks[input.ask](input)
  return held and { held = #held } or output
end

return { Op = { call = call, waitable = {
  Answered = { acceptors = {
    { state = "success", matcher = { success = true } }, { state = "failure", matcher = { success = false } },
  } },
  Gone = { acceptors = { { state = "success", matcher = { success = false } } } },
} } }
]]

local get = [[
return { Get = { call = function(input) return require("bide.http").get(input.url) end, waitable = {
  There = { minDelay = 0.01, maxDelay = 0.05, acceptors = { { state = "success", matcher = { success = true } } } },
  Gone = { minDelay = 0.01, maxDelay = 0.05, acceptors = { { state = "success", matcher = { success = false } } } },
} } }
]]

describe("a shortage of descriptors", function()
  if process.is_sanitized then return end -- whose library opens some of its own
  local workspace = Workspace.of_each()
  local environment

  local server = Server.of_each(function(request)
    return request.path == "/silent" and { silent = true } or { body = "{}", delay = 0.05 }
  end)

  before_each(function()
    environment = resolver.make(workspace)
    workspace:write("recipe.lua", recipe)
    workspace:write("get.lua", get)
  end)

  ---Runs bide under a limit of descriptors.
  local function limited(limit, words)
    return process.run({ "/bin/sh", "-c", ('ulimit -n %d; exec "%s" %s'):format(limit, bide, words) },
      { cwd = workspace.path, env = environment })
  end

  local function write_inputs(count, path)
    workspace:write("inputs.jsonl", ('{"url": "%s%s"}\n'):format(server.url, path):rep(count))
  end

  it("lets 200 waits succeed, one after the other", function()
    write_inputs(200, "/")
    limited(16, "run get.lua There --each inputs.jsonl --max-wait 50s --quiet"):prints(0, "200 of 200 waits succeeded")
  end)

  it("is waited out in the order of the attempts", function()
    workspace:write("order.lua", ([[
      local bide = require "bide"
      bide.tcp { host = "127.0.0.1", port = %d } -- loads what it needs; libuv keeps a descriptor of its own
      local held, order, tasks = {}, {}, {}
      repeat
        local file = io.open "/dev/null"
        held[#held + 1] = file
      until not file
      for number = 1, 8 do
        tasks[number] = bide.spawn(function()
          bide.tcp { host = "127.0.0.1", port = %d }
          order[#order + 1] = number
        end)
      end
      bide.sleep(0.1)
      held[1]:close()
      for _, task in ipairs(tasks) do task:join() end
      print(table.concat(order, " "))
    ]]):format(server.port, server.port))
    assert.equal("1 2 3 4 5 6 7 8\n", limited(64, "exec order.lua").stdout)
  end)

  it("is no answer of the service", function()
    write_inputs(20, "/silent")
    local done = limited(16, "run get.lua Gone --each inputs.jsonl --max-wait 1s --quiet --output json")
    assert.equal(124, done.code, done.stdout)
    local _, named = done.stdout:gsub("bide itself had no file descriptor left: EMFILE, too many open files, "
      .. "the limit is 16 %(ulimit %-n%)", "")
    assert.is_true(named >= 10, done.stdout)
  end)

  local is_of_resolver = { name = true, resolve = true } -- the name is that of a library before the program
  local asks = { "http", "name", "tcp", "resolve", "udp", "unix", "exec", "file", "processes" }

  for _, ask in ipairs(asks) do
    it("is waited out: " .. ask, function()
      if process.is_static and is_of_resolver[ask] then return pending(process.NO_PRELOAD) end
      workspace:shell "rm -f socket"
      local listener = ask == "unix" and Server.start(nil, { unix_socket = workspace.path .. "/socket", raw = function() end })
      local done = limited(40, ("run recipe.lua Answered ask=%s url=%s port:=%d seconds:=0.2 --max-wait 20s "
        .. "--output json --quiet"):format(ask, server.url, server.port))
      if listener then listener:close() end
      local outcome = core.json.decode(done.stdout)
      local is_asked = ask ~= "udp" -- of a port where nobody listens, which is an answer as well
      assert.equal(is_asked and 0 or 1, done.code, done.stdout .. done.stderr)
      assert.matches("waited, since bide had no file descriptor left: EMFILE", outcome.history[1].note)
    end)

    it("ends a wait only by its deadline: " .. ask, function()
      local done = limited(40, ("run recipe.lua Gone ask=%s url=%s port:=%d --max-wait 700ms --output json --quiet")
        :format(ask, server.url, server.port))
      assert.equal(124, done.code, done.stdout .. done.stderr)
      assert.matches("bide itself had no file descriptor left: EMFILE, .*40 %(ulimit %-n%)$",
        core.json.decode(done.stdout).message)
    end)
  end

  it("closes connections that are only kept", function()
    local others = {}
    for number = 1, 6 do others[number] = Server.start(function() return { body = "{}" } end) end
    local urls = {}
    for number, other in ipairs(others) do urls[number] = ("%q"):format(other.url) end
    workspace:write("kept.lua", ([[
      local bide, http = require "bide", require "bide.http"
      for _, url in ipairs { %s } do http.get(url) end
      local held = {}
      repeat
        local file = io.open "/dev/null"
        held[#held + 1] = file
      until not file
      print(bide.tcp({ host = "127.0.0.1", port = %d }).address)
    ]]):format(table.concat(urls, ", "), server.port))
    local done = limited(64, "exec kept.lua")
    for _, other in ipairs(others) do other:close() end
    assert.equal(("127.0.0.1:%d\n"):format(server.port), done.stdout, done.stderr)
  end)

  it("ends the start of bide by a message", function()
    local codes = {}
    for limit = 5, 20 do
      local done = limited(limit, "run get.lua There url=" .. server.url .. " --max-wait 300ms --quiet")
      codes[done.code] = true
      assert.equal(0, done.signal)
      if done.code == 70 then assert.matches("^bide: [^\n]*file descriptors[^\n]*EMFILE[^\n]*\n$", done.stderr) end
    end
    codes[124] = nil -- enough to start, and none for a request
    assert.same({ [70] = true, [0] = true }, codes)
  end)
end)

describe("the soft limit of descriptors", function()
  local workspace = Workspace.of_each()

  it("is raised to the hard one, for bide alone", function()
    workspace:write("script.lua", [[
      local core = require "bide.core"
      print(core.process.descriptor_limit(), (require("bide").exec({ "sh", "-c", "ulimit -Sn" }).stdout:gsub("\n", "")))
    ]])
    local done = workspace:shell 'ulimit -Sn 300; ulimit -Hn 500; exec "$BIDE" exec script.lua'
    assert.equal("500\t300\n", done.stdout, done.stderr)
  end)

  for _, option in ipairs { "", "--sandbox" } do
    it("is the old one for COMMAND: " .. option, function()
      workspace:write("recipe.lua", [[return { Op = { call = function() return {} end,
        waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
      local done = workspace:shell(([[ulimit -Sn 300
        exec "$BIDE" run recipe.lua %s --max-wait 50s --quiet -- sh -c 'ulimit -Sn']]):format(option))
      assert.equal("300\n", done.stdout, done.stderr)
    end)
  end
end)
