---AddressSanitizer saw nothing within an arena, where documents and results are: a search that read behind the end of an
---array passed `make asan`, since the next allocation follows at once.

local process = require "spec.support.process"

local compiler = os.getenv "CC" or "cc"

describe("under AddressSanitizer, an arena", function()
  local program

  setup(function()
    program = os.tmpname()
    local done = process.run({ compiler, "-g", "-fsanitize=address", "-Isrc", "-o", program,
      "spec/regress/read_beside_an_allocation.c", "src/base/arena.c", "src/base/budget.c" }, { tool = true })
    assert.same({ 0, "" }, { done.code, done.stderr })
  end)
  teardown(function() os.remove(program) end)

  ---Returns what the program prints, and the kind of fault that the sanitizer reports.
  local function read(...)
    local done = process.run({ program, ... }, { tool = true })
    return done.stdout, done.stderr:match "AddressSanitizer: ([%a-]+)"
  end

  for _, row in ipairs { { 1, 0 }, { 16, 15 }, { 100, 99 }, { 5000, 4999 } } do
    it(("allows the last of %d bytes"):format(row[1]), function()
      local printed, fault = read(tostring(row[1]), tostring(row[2]))
      assert.is_nil(fault)
      assert.equal("1\n", printed)
    end)
  end

  for _, size in ipairs { 0, 1, 15, 16, 48, 100, 5000 } do
    it(("reports the byte behind %d bytes"):format(size), function()
      assert.equal("use-after-poison", (select(2, read(tostring(size), tostring(size)))))
    end)
  end

  it("reports what is read after it was reset", function()
    assert.equal("use-after-poison", (select(2, read("16", "0", "reset"))))
  end)
end)
