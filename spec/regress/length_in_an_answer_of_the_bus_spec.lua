---An answer of D-Bus whose text was longer than its body ended the watch of a unit with a line of bide's own source as the
---reason.

local bus = require "bide.probe.systemd.bus"
local failure_of = require "spec.support.failure_of"

---An answer without fields.
local function answer(body) return ("<c1 BBB I4 I4 I4"):pack("l", 2, 0, 1, #body, 1, 0) .. body end

---Follows a unit over a bus that sends these bytes once it has let the user in.
local function follow(bytes)
  local dialogue = { send = function() end, read_line = function() return "OK 0" end }
  function dialogue.read(_, count)
    local taken = bytes:sub(1, count)
    bytes = bytes:sub(count + 1)
    if #taken < count then error({ type = "Ended" }, 0) end
    return taken
  end
  bus.follow(dialogue, { user = 0, unit = "web.service", is_shared = false }, function() end)
end

describe("the answer of a bus to LoadUnit", function()
  for _, body in ipairs { "", "/a", "\255\255\255\255/a\0", "\3\0\0\0/a\0", "\4\0\0\0/a\0", "\0\0\0\0\0", "\2\0\0\0/a" } do
    it(("names no unit: %q"):format(body), function()
      assert.equal("InvalidAnswer", failure_of(follow, answer "" .. answer(body)).type)
    end)
  end

  it("names one", function()
    assert.equal("Ended", failure_of(follow, answer "" .. answer "\2\0\0\0/a\0").type)
  end)
end)
