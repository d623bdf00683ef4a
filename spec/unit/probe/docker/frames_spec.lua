local frames = require "bide.probe.docker.frames"

---Reads a stream in pieces of some bytes. Returns the log of each stream, and whether it was one.
local function read(bytes, size, has_terminal)
  local found, is_log = {}, true
  local reading = frames.new(has_terminal or false, function(piece, stream) found[stream] = (found[stream] or "") .. piece end)
  for first = 1, #bytes, size do is_log = is_log and reading:add(bytes:sub(first, first + size - 1)) end
  return found, is_log
end

local function frame(number, text)
  return (">I1I1I1I1I4"):pack(number, 0, 0, 0, #text) .. text
end

describe("the frames of a container's log", function()
  local log = frame(1, "one\n") .. frame(2, "two") .. frame(1, "") .. frame(1, "three\n") .. frame(2, "\n")

  it("are the same however they are cut", function()
    for size = 1, #log do
      local found, is_log = read(log, size)
      assert.is_true(is_log)
      assert.same({ stdout = "one\nthree\n", stderr = "two\n" }, found)
    end
  end)

  it("may end within a header or a piece", function()
    for length = 0, #log do
      local found, is_log = read(log:sub(1, length), 7)
      assert.is_true(is_log)
      assert.equal(("one\nthree\n"):sub(1, #(found.stdout or "")), found.stdout or "")
    end
  end)

  it("are not what has other headers", function()
    for _, bytes in ipairs { "HTTP/1.1 200 OK\r\n", frame(3, "x"), "\1\0\0\1\0\0\0\1x", "\1\1\0\0\0\0\0\1x" } do
      assert.is_false(select(2, read(bytes, 100)), bytes)
    end
  end)

  it("are the bytes themselves if the container has a terminal", function()
    assert.same({ stdout = log }, (read(log, 3, true)))
    assert.same({}, (read("", 1, true)))
  end)

  it("are handed on before a long one has come whole", function()
    local found, is_log = read(("\1\0\0\0\xFF\xFF\xFF\xFF") .. ("x"):rep(1000), 10)
    assert.is_true(is_log)
    assert.equal(1000, #found.stdout)
  end)
end)
