---Where the answer to a commit was lost, `bide store set`, `grant` and `init` ended with 2, as if nothing had changed. And where
---the connection was lost before the commit, `bide submit` ended with 70, as if the run might be there.

local Cluster = require "spec.support.store_cluster"
local Proxy = require "spec.support.proxy"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a connection that is lost", function()
  local workspace = Workspace.of_each()
  local proxy

  before_each(function()
    cluster:empty()
    workspace:write("look.lua", [[return { Look = { call = function() return {} end, waitable = { Seen = { minDelay = 1,
      maxDelay = 1, acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    proxy = Proxy.start(cluster.port)
  end)
  after_each(function() proxy:close() end)

  ---Loses the answer to the first message with a text.
  local function lose_answer_to(text)
    local is_sent = false
    proxy.change = function(bytes, to)
      if to == "server" then is_sent = is_sent or bytes:find(text, 1, true) ~= nil end
      if to == "server" or not is_sent then return bytes end
      proxy:reset()
      return ""
    end
  end

  local function bide(role, ...)
    local url = ("postgres://%s@127.0.0.1:%d/postgres"):format(role, proxy.port)
    return workspace:bide({ ... }, { env = { BIDE_STORE = url } })
  end

  local function setting() return cluster:admin("SELECT value FROM bide.setting WHERE name = 'ahead'") end

  local function submit() return bide("ada", "submit", "look.lua", "--max-wait", "50s") end

  local function runs() return cluster:admin("SELECT count(*) FROM bide.run") end

  it("within a commit may have changed a setting", function()
    lose_answer_to "COMMIT"
    local done = bide("postgres", "store", "set", "ahead", "2s")
    assert.same({ 70, "" }, { done.code, done.stdout }, done.stderr)
    assert.matches("may have been carried out", done.stderr, 1, true)
    assert.equal("2000000", setting())
  end)

  it("before the commit has changed none", function()
    local before = setting()
    lose_answer_to "UPDATE bide.setting"
    local done = bide("postgres", "store", "set", "ahead", "3s")
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    assert.is_nil(done.stderr:find "carried out", done.stderr)
    assert.equal(before, setting())
  end)

  it("has submitted a run if that was within the commit alone", function()
    for _, case in ipairs { { "bide.begin_submit", 2, "0" }, { "COPY bide.staging", 2, "0" }, { "bide.submit(", 2, "0" },
      { "COMMIT", 70, "1" } } do
      lose_answer_to(case[1])
      local done = submit()
      assert.same({ case[2], "" }, { done.code, done.stdout }, case[1] .. done.stderr)
      assert.equal(case[2] == 70, done.stderr:find "may have been carried out" ~= nil, done.stderr)
      assert.equal(case[3], runs(), case[1])
    end
  end)

  it("has carried out nothing where a command only reads", function()
    assert.equal(0, submit().code)
    for text, words in pairs {
      ["bide.runs"] = { "jobs", "list" }, ["bide.attempts"] = { "jobs", "show", "1" }, ["bide.workers"] = { "workers" },
      ["FROM bide.queues"] = { "workers" },
    } do
      lose_answer_to(text)
      local done = bide("ada", table.unpack(words))
      assert.same({ 2, "" }, { done.code, done.stdout }, text .. done.stderr)
      assert.is_nil(done.stderr:find "carried out", done.stderr)
    end
  end)
end)
