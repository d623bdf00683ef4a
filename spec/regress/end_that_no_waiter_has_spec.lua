---The state of a step, and a row of a store, that say "success" beside another reason than an acceptor, or beside an acceptor
---for failures, made a success of it. A broken member of such a row ended `bide watch` with a stack trace.

local Workspace = require "spec.support.workspace"
local base64 = require "bide.base64"
local digest = require "bide.digest"
local journal = require "spec.support.journal"

local recipe = [[
return { Look = {
  call = function() return { state = "%s" } end,
  waitable = { Seen = { minDelay = 0.01, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "lost" } } },
  } } },
} }
]]

---What no waiter ends with.
local ends = {
  { "success", "maxWait", 0 }, { "success", "scriptError", 0 }, { "success", "", 0 }, { "success", "cancelled", 0 },
  { "success", "acceptor", 0 }, { "success", "acceptor", 2 }, { "success", "acceptor", 3 }, { "failure", "acceptor", 1 },
  { "failure", "acceptor", 0 }, { "failure", "else", 0 }, { "failure", "maxWait", 1 },
}

describe("an end that the waiter cannot have", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("lost.lua", recipe:format "lost")
    workspace:write("there.lua", recipe:format "there")
  end)

  local function step() return workspace:shell '"$BIDE" step lost.lua --max-wait 30s --state s --begin' end

  ---Changes the bytes of the state, and seals them again.
  local function rewrite(change)
    local text = workspace:read "s":gsub("%s", ""):gsub("[-_]", { ["-"] = "+", ["_"] = "/" })
    local body = change(base64.decode(text .. ("="):rep(-#text % 4)):sub(1, -17))
    local sealed = base64.encode(body .. digest.sha256(body):sub(1, 16))
    workspace:write("s", (sealed:gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })))
  end

  it("is refused in the state of a step", function()
    assert.equal(1, step().code)
    local before = string.pack(">s1s1I4", "failure", "acceptor", 2)
    local kept = workspace:read "s"
    for _, row in ipairs(ends) do
      workspace:write("s", kept)
      rewrite(function(body)
        local first, last = body:find(before, 1, true)
        return body:sub(1, first - 1) .. string.pack(">s1s1I4", row[1], row[2], row[3]) .. body:sub(last + 1)
      end)
      local done = step()
      assert.same({ 2, "" }, { done.code, done.stdout }, table.concat(row, " ") .. done.stderr)
      assert.matches("--state: it is damaged", done.stderr, 1, true)
    end
    workspace:write("s", kept)
    assert.equal(1, step().code)
  end)

  it("is refused in the row of a store", function()
    local submitted = workspace:shell '"$BIDE" run there.lua --max-wait 30s --store w.db --work --quiet'
    assert.equal(0, submitted.code, submitted.stderr)
    local path = workspace.path .. "/w.db"
    local function watch_after(statement)
      journal.query(path, "CREATE TABLE IF NOT EXISTS kept AS SELECT id, outcome FROM store_wait")
      journal.query(path, statement)
      local done = workspace:shell '"$BIDE" watch 1 --store w.db --quiet --verbose'
      journal.query(path, "UPDATE store_wait SET outcome = (SELECT outcome FROM kept)")
      return done
    end
    for _, change in ipairs {
      "'$.reason', 'maxWait'", "'$.reason', 'scriptError'", "'$.reason', ''", "'$.acceptor', 0", "'$.acceptor', null",
      "'$.acceptor', 'x'", "'$.attempts', 0", "'$.attempts', -1", "'$.elapsed', 'x'", "'$.elapsed', -1", "'$.seen', 1",
      "'$.warnings', 1", "'$.warnings', json('[1]')", "'$.traceback', 1", "'$.maxWait', json('[]')", "'$.name', 1",
    } do
      local done = watch_after(("UPDATE store_wait SET outcome = json_set(outcome, %s)"):format(change))
      assert.same({ 70, "" }, { done.code, done.stdout }, change .. "\n" .. done.stderr)
      assert.matches("^bide: the store is broken: wait 1 of run 1: its outcome is not one that bide wrote\n$", done.stderr)
    end
    assert.equal(0, watch_after("SELECT 1").code)
    for _, entry in ipairs { "", "7", "null", "[]", '{"attempt":1}' } do
      journal.query(path, ("UPDATE store_attempt SET entry = '%s'"):format(entry))
      assert.equal(70, watch_after("SELECT 1").code, entry)
    end
  end)

  it("is written in one way: the last character of a state has no bits beyond the last byte", function()
    step()
    local text = workspace:read "s":match "^%S+"
    local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    local accepted = 0
    for digit in digits:gmatch "." do
      workspace:write("s", text:sub(1, -2) .. digit)
      if step().code ~= 2 then accepted = accepted + 1 end
    end
    assert.equal(1, accepted)
  end)
end)
