---The password in a URL of the input was hidden in that URL, but not where a server repeats it: Redis without AUTH answers
---"unknown command 'AUTH', with args beginning with: 'PASSWORD'".

local Workspace = require "spec.support.workspace"
local conversation = require "spec.support.conversation"
local core = require "bide.core"

describe("the password in a URL of the input", function()
  it("is hidden where a server repeats it", function()
    local workspace = Workspace.make()
    local server = conversation.serve { "-ERR unknown command 'AUTH', with args beginning with: 'open sesame'\r\n", "" }
    for _, form in ipairs { "redis://:open%%20sesame@127.0.0.1:%d", "redis://me:open%%20sesame@127.0.0.1:%d/0" } do
      local done = workspace:bide { "run", "redis", form:format(server.port), "--max-wait", "50s", "--events", "-" }
      done:prints(3, "beginning with: '[redacted]'")
      assert.not_matches("sesame", done.stdout .. done.stderr, 1, true)
    end
    server:close()
    workspace:remove()
  end)

  local function values(input)
    local mask = core.secret.mask()
    mask:collect(assert(core.json.document(input)), true)
    local found = mask:values()
    table.sort(found)
    return found
  end

  for name, case in pairs {
    ["as it is"] = { { url = "http://me:abcdefgh@h/" }, { "abcdefgh" } },
    ["in a list, and deeper"] = { { list = { "x", { "http://me:abcdefgh@h/" } } }, { "abcdefgh" } },
    ["with escapes"] = { { url = "http://me:a%62cdef%2G%zz%4@h" }, { "a%62cdef%2G%zz%4", "abcdef%2G%zz%4" } },
    ["with an escape at its end"] = { { url = "http://me:abcdefg%68@h" }, { "abcdefg%68", "abcdefgh" } },
    ["of any bytes"] = { { url = "http://me:abc:d@efgh@h" }, { "abc:d@efgh" } },
  } do
    it("is a secret value: " .. name, function() assert.same(case[2], values(case[1])) end)
  end

  for _, url in ipairs { "http://abcdefgh@h/", "http://abcdefgh:@h/", "http://h/me:abcdefgh@", "me:abcdefgh@h", "://",
    "http://me:short@h", "http://me:[redacted]@h" } do
    it("is none in " .. url, function() assert.same({}, values { url = url }) end)
  end
end)
