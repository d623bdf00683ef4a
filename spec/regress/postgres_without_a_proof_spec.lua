---A server that asks for no password was ready without a word about it, though anybody can be such a server. It still is, as
---for psql; the outcome says so, and `require_auth` refuses it.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local require_auth = require "bide.probe.postgres.require_auth"
local message = require "spec.support.postgres_message"

local accepted = message("R", "\0\0\0\0") .. message("Z", "I")
local one_row = message("T", string.pack(">I2", 1) .. "a\0" .. ("\0"):rep(18)) .. message("D", string.pack(">I2I4", 1, 1) .. "1")
  .. message("C", "SELECT 1\0") .. message("Z", "I")

describe("a PostgreSQL that asks for no password", function()
  local workspace = Workspace.of_each()
  local server = Server.of_each(nil, { raw = function(peer, bytes)
    if bytes:find("user\0", 1, true) then peer:write(accepted) elseif bytes:sub(1, 1) == "Q" then peer:write(one_row) end
  end })

  local function run(...)
    return workspace:bide { "run", "postgres", "--max-wait", "50s", "--quiet", "--output", "json", ... }
  end

  local function url(more)
    return ("postgres://app@127.0.0.1:%d/?sslmode=disable%s"):format(server.port, more or "")
  end

  it("is ready, with a note where a password was given", function()
    local done = run(url(), "password=hunter2hunter2")
    assert.equal(0, done.code, done.stderr)
    assert.matches("the server asked for no password", json.decode(done.stdout).history[1].note, 1, true)
    assert.is_nil(json.decode(run(url()).stdout).history[1].note)
  end)

  it("is refused where a proof is required, by the URL or the input", function()
    for _, words in ipairs { { url "&require_auth=scram-sha-256" }, { url(), "require_auth=scram-sha-256" },
      { url(), "require_auth=!none" } } do
      local done = run("password=hunter2hunter2", table.unpack(words))
      assert.is_true(done.code ~= 0)
      assert.equal("UnknownAuthentication", json.decode(done.stdout).error.type)
    end
    assert.equal(0, run(url "&require_auth=scram-sha-256,none", "password=hunter2hunter2").code)
  end)

  it("is not asked where the requirement cannot be read", function()
    for _, word in ipairs { "scram", "none,!md5", "none,", "," } do
      run(url(), "require_auth=" .. word):says(2, "require_auth: expected")
    end
    assert.equal(0, server.connections)
  end)

  it("is judged as by libpq", function()
    local cases = { { "scram-sha-256", true, false }, { "none", false, true }, { "!none", true, false }, { "md5", false, false },
      { "!scram-sha-256,!md5", false, true }, { "scram-sha-256, none", true, true } }
    for _, case in ipairs(cases) do
      local is_enough = assert(require_auth.read(case[1]))
      assert.same({ case[2], case[3] }, { is_enough(require_auth.SCRAM), is_enough(require_auth.NONE) })
    end
  end)
end)
