---`bide step`: one attempt, and a state for the next one, in a file or in a text.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local bide = require "bide"
local json = require("bide.core").json
local states = require "bide.record.step.state"
local sqlite = require "bide.sqlite"
local process = require "spec.support.process"
local turns = require "spec.support.turns"
local uv = require "luv"

---Answers attempt n with line n of the file `answers`, and writes what it was asked with into the file `asked`.
local recipe = [[
local bide = require "bide"
return { Get = {
  idempotencyToken = "token", secret = { "pin" },
  input = { name = { type = "string" }, token = { type = "string" }, pin = { type = "string", secret = true } },
  call = function(input)
    local count = 1
    for _ in (io.open "asked" or io.open "/dev/null"):lines() do count = count + 1 end
    local file = assert(io.open("asked", "a"))
    file:write(input.token, "\n")
    file:close()
    local number, answer = 0, nil
    for line in io.lines "answers" do
      number = number + 1
      if number <= count then answer = line end
    end
    if answer == "bug" then error "a bug" end
    if answer:find "^error" then error { type = answer:match "%u%a+", message = "m" } end
    if answer:find "^slow" then bide.sleep(tonumber(answer:match "[%d.]+")) end
    return bide.json.decode(answer:match "%b{}" or '{"status": "pending"}')
  end,
  waitable = { ThingDone = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
    { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } } },
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } } } } } } }
]]

local DONE, FAILED, PENDING = '{"status": "done"}', '{"status": "failed"}', '{"status": "pending"}'

describe("bide step", function()
  local workspace = Workspace.of_each { ["things.lua"] = recipe }

  local function answer(...)
    workspace:write("answers", table.concat({ ... }, "\n") .. "\n")
    os.remove(workspace.path .. "/asked")
  end

  local function tokens()
    local list, file = {}, io.open(workspace.path .. "/asked")
    for line in file and file:lines() or function() end do list[#list + 1] = line end
    return list
  end

  ---@return spec.Process done
  ---@return table? result what it printed
  local function step(words, options)
    local all = { "step", "things.lua", "--max-wait", "1m" }
    local done = workspace:bide(table.move(words, 1, #words, #all + 1, all), options)
    return done, (json.decode(done.stdout))
  end

  local in_file = { "--state", "s.state", "--begin" }

  it("makes a chain of attempts by a file", function()
    answer(PENDING, PENDING, DONE)
    local codes, inodes = {}, {}
    for number = 1, 4 do
      local done, result = step(in_file)
      codes[number] = done.code
      local stat = uv.fs_stat(workspace.path .. "/s.state")
      assert.equal(tonumber("600", 8), stat.mode & tonumber("777", 8))
      assert.not_equal(inodes[#inodes], stat.ino)
      inodes[#inodes + 1] = stat.ino
      assert.is_true(result.outcome.partial)
      assert.equal(math.min(number, 3), result.outcome.attempts)
      assert.equal(number < 3 and "retry" or "success", result.outcome.state)
      assert.equal(number < 3, result.next ~= nil)
      assert.is_nil(result.state)
      assert.equal(number < 4 and 1 or 0, #result.outcome.history)
      assert.is_true(#workspace:read "s.state" <= 2048)
    end
    assert.same({ 75, 75, 0, 0 }, codes)
    local asked = tokens()
    assert.equal(3, #asked)
    assert.equal(asked[1], asked[3])
    local files = {}
    for name in uv.fs_scandir_next, uv.fs_scandir(workspace.path) do files[name] = true end
    assert.same({ answers = true, asked = true, ["s.state"] = true, ["s.state-lock"] = true, ["things.lua"] = true }, files)
  end)

  it("makes a chain of attempts by standard input and output", function()
    answer(PENDING, PENDING, FAILED)
    local state, codes = "", {}
    for number = 1, 4 do
      local done, result = step({ "--state", "-" }, { stdin = state })
      state, codes[number] = result.state .. "\n", done.code
    end
    assert.same({ 75, 75, 1, 1 }, codes)
    assert.equal(3, #tokens())
  end)

  it("decides as bide run with the same seed", function()
    answer(PENDING)
    local words = { "--max-attempts", "5", "--seed", "4", "--token", "T" }
    local run = workspace:outcome { "run", "things.lua", "--max-wait", "1m", table.unpack(words) }
    answer(PENDING)
    local delays = {}
    for number = 1, 5 do
      local done, result = step { "--max-attempts", "5", "--seed", "4", "--token", "T", table.unpack(in_file) }
      delays[number] = result.outcome.history[1].delay
      assert.equal(number < 5 and 75 or 4, done.code)
      assert.equal(number == 5 and "maxAttempts" or nil, result.outcome.reason)
    end
    assert.equal(4, #delays)
    for position, delay in ipairs(delays) do assert.equal(run.history[position].delay, delay) end
    assert.same({ "T", "T", "T", "T", "T" }, tokens())
  end)

  it("ends with the exit codes of bide run", function()
    for line, code in pairs {
      [DONE] = 0, [FAILED] = 1, ["error Denied"] = 3, bug = 5, ["slow 5"] = 124,
    } do
      answer(line)
      os.remove(workspace.path .. "/s.state")
      local words = code == 124 and { "--max-wait", "300ms", table.unpack(in_file) } or in_file
      local done, result = step(words)
      assert.equal(code, done.code, done.stderr)
      assert.equal(code == 0 and "success" or "failure", result.outcome.state)
      assert.equal(code, step(words).code)
      assert.equal(1, #tokens())
    end
  end)

  it("begins only if it may", function()
    answer(PENDING)
    local function refused(words, mistake)
      step(words):says(2, mistake)
      assert.same({}, tokens())
    end
    refused({ "--state", "s.state" }, "--state: s.state does not exist; --begin begins the wait")
    workspace:write("s.state", "")
    refused({ "--state", "s.state" }, "--state: expected the text that a step gave")
    refused({ "--state", "none/s.state", "--begin" }, "--state: none/s.state: its folder does not exist")
    uv.fs_mkdir(workspace.path .. "/folder", tonumber("700", 8))
    refused({ "--state", "folder", "--begin" }, "--state: folder is not a file but a directory")
    refused({}, "--state is missing")
    refused({ "--state", "-", "--input", "@-" }, "standard input is read for the input already")
    assert.equal(75, step(in_file).code)
  end)

  it("refuses what has no meaning for a step", function()
    answer(PENDING)
    for _, words in ipairs {
      { "--journal", "j.db" }, { "--resume" }, { "--each", "list.jsonl" }, { "--each=list.jsonl" }, { "+", "things.lua" },
      { "--start", "sleep 9" }, { "--while", "tcp" }, { "--while-pid", "1" }, { "--jobs", "3" }, { "--any" },
      { "--output", "json" }, { "--events", "-" },
    } do
      local done = step { "--state", "s.state", "--begin", table.unpack(words) }
      done:says(2, "bide: " .. words[1]:gsub("=.*", "") .. ": bide step refuses it: ")
    end
    step({ "--state", "s.state", "--begin", "--", "echo" }):says(2, "found --, but only bide run has a COMMAND")
    assert.is_nil(uv.fs_stat(workspace.path .. "/s.state"))
  end)

  it("refuses the state of another wait, and what is no state", function()
    answer(PENDING)
    assert.equal(75, step(in_file).code)
    local function refused(mistake, ...)
      step({ "--state", "s.state", ... }):says(2, "bide: --state: " .. mistake)
    end
    refused("the input is not the one", "name=other")
    refused("the recipe, one of its modules, the waiter or a condition is not the one", "--until", "size > `3`")
    refused("the token is not the one", "--token", "mine")
    refused("--max-wait 2 m: the wait began with 1 m. Give the same", "--max-wait", "2m")
    refused("--max-attempts 3: the wait began with none", "--max-attempts", "3")
    workspace:write("things.lua", recipe .. "-- changed\n")
    refused "the recipe, one of its modules"
    workspace:write("s.state", "rubbish!\n")
    refused 'expected the text that a step gave, found "rubbish!"'
    assert.equal(1, #tokens())
  end)

  it("signs the state with a key of the environment or of a file", function()
    answer(PENDING)
    workspace:write("key", "from a file\n")
    local env = { env = { KEY = "from a file", OTHER = "other", EMPTY = " " } }
    local signed = { "--state-key", "@env:KEY", table.unpack(in_file) }
    assert.equal(75, step(signed, env).code)
    assert.equal(75, step({ "--state-key", "@file:key", "--state", "s.state" }, env).code)
    for words, mistake in pairs {
      [{}] = "it is signed, and no key is given", [{ "--state-key", "@env:OTHER" }] = "signed with another key",
      [{ "--state-key", "@env:NONE" }] = 'the environment variable "NONE" is not set',
      [{ "--state-key", "@env:EMPTY" }] = "found an empty text in @env:EMPTY",
      [{ "--state-key", "word" }] = "--state-key: expected @env:NAME or @file:PATH",
    } do
      step({ "--state", "s.state", table.unpack(words) }, env):says(2, mistake)
    end
    os.remove(workspace.path .. "/s.state")
    assert.equal(75, step(in_file).code)
    assert.matches("a key is given, and it is not signed", step(signed, env).stderr)
    assert.equal(3, #tokens())
  end)

  it("makes no attempt if it comes early, and continues if it comes late", function()
    answer(PENDING)
    local words = { "--interval", "20s", "--hold", "30s", table.unpack(in_file) }
    step(words)
    local before = workspace:read "s.state"
    local done, result = step(words)
    assert.equal(75, done.code)
    assert.equal(before, workspace:read "s.state")
    assert.is_true(result.next > 15 and result.next <= 20)
    assert.same({ 1, 1 }, { #tokens(), result.outcome.attempts })
    assert.matches("not yet, after 1 attempt in .*; next in 1?[0-9.]+ s", done.stderr)
    local state = assert(states.unpack(before))
    state.first, state.last = state.first - 19500, state.last - 19500
    workspace:write("s.state", states.pack(state))
    done, result = step(words)
    assert.equal(75, done.code)
    assert.same({ 2, 2 }, { #tokens(), result.outcome.attempts })
    assert.is_true(result.outcome.elapsed >= 20)
    state.first, state.last = state.first - 90000, state.last - 90000
    workspace:write("s.state", states.pack(state))
    done, result = step(words)
    assert.equal(124, done.code)
    assert.same({ 2, 1 }, { #tokens(), result.outcome.attempts })
  end)

  it("warns if the clock is before that of the last step", function()
    answer(PENDING)
    step(in_file)
    local state = assert(states.unpack(workspace:read "s.state"))
    state.first, state.last = state.first + 7230000, state.last + 7230000
    workspace:write("s.state", states.pack(state))
    local done, result = step(in_file)
    done:says(75, "warning: the clock is 2 h before that of the last step")
    assert.equal(2, result.outcome.attempts)
    assert.no.matches("warning", step(in_file).stderr)
  end)

  it("waits for another step of the same file, and leaves one alone that takes long", function()
    answer("slow 0.7")
    local words = { "step", "things.lua", "--max-wait", "1m", "--interval", "20s", table.unpack(in_file) }
    local first = workspace:start(words)
    bide.sleep(0.3)
    local second = workspace:start(words)
    assert.equal(75, first:wait().code)
    assert.equal(75, second:wait().code)
    assert.equal(1, #tokens())
    local short = { "step", "things.lua", "--max-wait", "1s", "--interval", "20s", "--state", "ended.state", "--begin" }
    assert.equal(124, workspace:start(short):wait().code)
    local path, locks = assert(uv.fs_realpath(workspace.path)), {}
    for position, name in ipairs { "s.state", "ended.state" } do
      locks[position] = assert(sqlite.locks(path .. "/" .. name .. "-lock"))
      assert.is_true(locks[position]:take(0))
    end
    local done = workspace:start(words)
    local ended = workspace:start(short)
    done:wait()
    assert.equal(124, ended:wait().code)
    for _, lock in ipairs(locks) do lock:close() end
    done:says(75, "another step of this wait is being made")
    assert.equal(1, json.decode(done.stdout).next)
    assert.equal(2, #tokens())
  end)

  it("makes the attempt again that a signal or a kill has ended, with the same token", function()
    answer("slow 50", DONE)
    for _, signal in ipairs { "sigterm", "sigkill" } do
      os.remove(workspace.path .. "/s.state")
      os.remove(workspace.path .. "/asked")
      local cut = workspace:start { "step", "things.lua", "--max-wait", "1m", table.unpack(in_file) }
      turns.await(function() return #tokens() == 1 end)
      cut:kill(signal)
      cut:wait():ends(signal == "sigterm" and 143 or 0)
      assert.equal(0, step(in_file).code)
      local asked = tokens()
      assert.equal(2, #asked)
      assert.equal(asked[1], asked[2])
    end
  end)

  it("counts what is absent as bide run does", function()
    local words = { "--until", "!deleting" }
    answer('{"deleting": true}', "{}")
    assert.equal(0, workspace:bide({ "run", "things.lua", "--max-wait", "50s", table.unpack(words) }).code)
    answer('{"deleting": true}', "{}")
    local all = { "--until", "!deleting", table.unpack(in_file) }
    assert.equal(75, step(all).code)
    assert.equal(0, step(all).code)
    answer "{}"
    os.remove(workspace.path .. "/s.state")
    assert.equal(75, step(all).code)
    assert.equal(75, step(all).code)
  end)

  it("counts what is absent at the path of an input as bide run does", function()
    local asked = 0
    local server = Server.start(function()
      asked = asked + 1
      return { body = asked == 1 and '{"deleting": true}' or "{}" }
    end)
    local words = { "step", "http", server.url, "path=!deleting", "--max-wait", "1m", "--interval", "50ms" }
    table.move(in_file, 1, #in_file, #words + 1, words)
    local codes = {}
    for number = 1, 2 do codes[number] = workspace:bide(words).code end
    os.remove(workspace.path .. "/s.state")
    for number = 3, 4 do codes[number] = workspace:bide(words).code end
    server:close()
    assert.same({ 75, 0, 75, 75 }, codes)
  end)

  it("keeps secrets out of the state, and keeps the last output if it is asked to", function()
    answer('{"status": "pending", "password": "hush-hush"}', "slow 9")
    local words = { "--max-wait", "900ms", "--with-output", "pin=@env:PIN", table.unpack(in_file) }
    local env = { env = { PIN = "tell-nobody" } }
    local done = step(words, env)
    assert.equal(75, done.code)
    local state = assert(states.unpack(workspace:read "s.state"))
    assert.matches("[redacted]", state.output, 1, true)
    for _, text in ipairs { done.stdout, done.stderr, states.pack(state), state.output } do
      assert.no.matches("hush%-hush", text)
      assert.no.matches("tell%-nobody", text)
    end
    local result
    done, result = step(words, { env = { PIN = "renewed" } })
    assert.equal(124, done.code)
    assert.equal("pending", result.outcome.output.status)
  end)

  it("has the new file on the disk before it takes the place of the old one", function()
    if not uv.fs_stat "/usr/bin/strace" or process.is_sanitized then
      return pending "strace is missing, or a sanitizer is in its way"
    end
    answer(PENDING)
    local done = workspace:shell('strace -f -o calls -e trace=fsync,rename,renameat,exit_group "$BIDE" step things.lua '
      .. "--max-wait 1m --state s.state --begin")
    assert.equal(75, done.code)
    local calls = {}
    for call in workspace:read "calls":gmatch "(%a[%w_]+)%([^\n]*" do calls[#calls + 1] = call:gsub("renameat", "rename") end
    local order = table.concat(calls, " "):gsub(" exit_group.*", "")
    assert.equal("fsync rename fsync fsync rename fsync", order) -- the file, then its folder; before and after the attempt
  end)

  it("fails if the state would be lost", function()
    answer(PENDING)
    local done = workspace:shell '"$BIDE" step things.lua --max-wait 1m --state - < /dev/null > /dev/full'
    done:says(1, "the outcome cannot be written")
  end)

  it("runs in the sandbox with the state on standard input and output", function()
    workspace:write("small.lua", [[return { Get = { call = function() return { status = "done" } end, waitable = { ThingDone = {
      acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    local words = { "step", "small.lua", "--max-wait", "1m", "--sandbox", "--state" }
    assert.equal(0, workspace:bide({ "step", "small.lua", "--max-wait", "1m", "--sandbox", "--state", "-" }, { stdin = "" }).code)
    words[#words + 1] = "s.state"
    workspace:bide(words):says(2, "--sandbox: no file can be replaced behind its walls: give --state -")
  end)

  it("prints one line on standard output, and the sentence on standard error", function()
    answer(PENDING, DONE)
    local done = step(in_file)
    assert.matches("^{\"outcome\": [^\n]*}\n$", done.stdout)
    assert.matches("^ThingDone: not yet, after 1 attempt in [^\n]*\n$", done.stderr)
    done = step { "--quiet", table.unpack(in_file) }
    assert.equal("", done.stderr)
    done = step { "--quiet", table.unpack(in_file) }
    assert.equal(0, done.code)
    assert.matches("^ThingDone succeeded after 2 attempts in [^\n]*, in an earlier step\n$", done.stderr)
    answer(FAILED)
    os.remove(workspace.path .. "/s.state")
    assert.matches("^ThingDone failed after 1 attempt", step({ "--quiet", table.unpack(in_file) }).stderr)
  end)
end)
