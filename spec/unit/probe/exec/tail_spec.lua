---The end of an output is kept, in bounded memory.

local tail = require "bide.probe.exec.tail"

describe("the tail of an output", function()
  it("is all of a short one", function()
    local kept = tail.new()
    kept:add "one\ntw"
    kept:add "o\n\n  \nthree"
    assert.equal("one\ntwo\n\n  \nthree", kept:text())
    assert.same({ "one", "two", "three" }, kept:lines())
    assert.same({}, tail.new():lines())
  end)

  it("is the last 64 KiB, however it comes", function()
    for _, size in ipairs { 1, 7, 4096, 65536, 100000 } do
      local kept, written = tail.new(), {}
      for position = 1, 300000 // size do
        written[position] = ("%07d"):format(position):rep(size // 7 + 1):sub(1, size)
        kept:add(written[position])
        if kept.size > 3 * 65536 or #kept.pieces > 2000 then error "it is not bounded" end
      end
      assert.is_true(table.concat(written):sub(-65536) == kept:text(), size)
    end
  end)

  it("has ten lines, without colours, and cuts long ones", function()
    local kept = tail.new()
    for number = 1, 20 do kept:add(("\27[1;32mline\27[0m %d\r\n"):format(number)) end
    local lines = kept:lines()
    assert.equal(10, #lines)
    assert.same({ "line 11", "line 20" }, { lines[1], lines[10] })
    kept:add(("é"):rep(1000))
    lines = kept:lines()
    assert.equal(("é"):rep(99) .. "…", lines[10])
  end)
end)
