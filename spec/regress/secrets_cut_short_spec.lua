---A text is masked before it is cut: the beginning of a password is no secret that a mask could find. Masking takes time in
---proportion to the text, whatever the text is.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local PASSWORD = "correct-horse-battery-staple-0123456789"

describe("a password that a service sends back", function()
  local workspace = Workspace.of_each()

  ---The answers of services, with the password where the message about it is cut.
  local answers = {
    { "in an answer of Redis", "redis", "?" .. ("x"):rep(20) .. PASSWORD .. "\r\n" },
    { "in the greeting of a mail server", "smtp", ("x"):rep(60) .. PASSWORD .. "\r\n" },
    { "behind a length of Redis", "redis", "$" .. ("9"):rep(25) .. PASSWORD .. "\r\n" },
    { "in what a port says", "tcp", ("y"):rep(70) .. PASSWORD .. "\r\n" },
  }
  for _, case in ipairs(answers) do
    it("is hidden " .. case[1], function()
      local server = Server.start(nil, { raw = function(peer)
        peer:write(case[3])
        peer:finish()
      end })
      workspace:write("echo.lua", [[
        local bide = require "bide"
        return { Echo = { secret = { "password" }, call = function(input)
          local kind, port = input.kind, input.port
          if kind == "redis" then
            return bide.redis { host = "127.0.0.1", port = port, password = input.password, command = { "PING" } }
          end
          if kind == "smtp" then return bide.smtp { host = "127.0.0.1", port = port, timeout = 1 } end
          local option = require "bide.text.option"
          return bide.tcp { host = "127.0.0.1", port = port, talk = function(dialogue)
            local found = dialogue:line()
            bide.spawn(function() error({ type = "Odd", message = option.expected("nothing", found:sub(41)) }) end):join()
          end }
        end, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
      ]])
      local done = workspace:bide({ "run", "echo.lua", "--input",
        core.json.encode { kind = case[2], port = server.port, password = PASSWORD }, "--max-wait", "1s", "--events", "events",
        "--output", "json", "--explain" })
      server:close()
      local all = done.stdout .. done.stderr .. workspace:read "events"
      assert.is_true(server.connections > 0, all)
      assert.is_nil(all:find("correct", 1, true), all)
      assert.matches("[redacted]", all, 1, true)
    end)
  end

  it("is masked in time, however the text repeats itself", function()
    local secret = ("A"):rep(300000) .. "B"
    local mask = core.secret.mask()
    mask:add(secret)
    for _, text in ipairs {
      ("pwd=x "):rep(1000000), ("authorization: [redacted] "):rep(200000), ("pwd='[redacted] "):rep(300000),
      (";pwd=[redacted] pwd=[redacted] "):rep(200000), ("A"):rep(299999) .. "C" .. ("A"):rep(3000000),
      ("pwd=A "):rep(100000) .. ("A"):rep(1000000),
    } do
      local began = os.clock()
      mask:text(text)
      assert.is_true(os.clock() - began < 10, text:sub(1, 40))
    end
  end)

  it("is masked as far as a text has the beginning of a long secret", function()
    local mask = core.secret.mask()
    mask:add(("k"):rep(50) .. ("s"):rep(50))
    assert.equal("a [redacted] b", mask:text("a " .. ("k"):rep(50) .. ("s"):rep(30) .. " b"))
    assert.equal("a [redacted]", mask:text("a " .. ("k"):rep(50) .. ("s"):rep(50)))
    assert.equal("a " .. ("k"):rep(50) .. " b", mask:text("a " .. ("k"):rep(50) .. " b"))
  end)
end)
