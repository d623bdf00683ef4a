---libcurl connects to a unix socket where a SOCKS proxy on localhost has a path, and so did scripts in the sandbox.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---A unix socket that speaks SOCKS 5 and then HTTP.
local function serve(path)
  local listener, asked = uv.new_pipe(false), 0
  assert(listener:bind(path))
  local answers = { "\5\0", "\5\0\0\1\0\0\0\0\0\0", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" }
  listener:listen(8, function()
    local client, step = uv.new_pipe(false), 0
    listener:accept(client)
    client:read_start(function(_, bytes)
      if not bytes then return client:close() end
      asked, step = asked + 1, step + 1
      client:write(answers[step] or "")
    end)
  end)
  return listener, function() return asked end
end

local script = [[
  local ok, found = pcall(require "bide.http".get, "http://example/", { proxy = %q, timeout = 3 })
  print(ok and found.body or tostring(found.message or found))]]

describe("a proxy with a path", function()
  local workspace = Workspace.of_each()
  local listener, count

  before_each(function() listener, count = serve(workspace.path .. "/x.sock") end)

  after_each(function()
    listener:close()
    uv.run "nowait"
  end)

  local function ask(proxy, ...)
    workspace:write("script.lua", script:format(proxy))
    local words = { "exec", ... }
    words[#words + 1] = "script.lua"
    return workspace:bide(words)
  end

  it("is a unix socket for a script that is trusted", function()
    assert.equal("hello\n", ask("socks5h://localhost" .. workspace.path .. "/x.sock").stdout)
  end)

  it("is refused in the sandbox, however it is written", function()
    for _, form in ipairs {
      "socks5h://localhost%s", "socks5://localhost%s", "socks4a://localhost%s", "SOCKS5H://LOCALHOST%s",
      "socks5h://localhost/%s", "socks5h:/localhost%s", "socks5h:///localhost%s", "socks5h://user:word@localhost:1%s",
      "socks5h://localhost/.%s",
    } do
      local done = ask(form:format(workspace.path .. "/x.sock"), "--sandbox")
      assert.matches("proxy: not for sandboxed scripts with a path", done.stdout, 1, true)
      assert.equal(0, count(), form)
    end
  end)

  it("leaves other proxies to the sandbox", function()
    for _, proxy in ipairs { "http://127.0.0.1:1", "http://127.0.0.1:1/", "socks5h://localhost:1", "127.0.0.1:1" } do
      assert.not_matches("not for sandboxed scripts", ask(proxy, "--sandbox").stdout, 1, true)
    end
  end)
end)
