---The wall of calls: its table beside the kernel's headers, and what each number gets behind it.

local process = require "spec.support.process"
local read = require "spec.support.read"

local TABLE = "src/process/walls_table.c"

---The numbers of the table for this machine, by name.
local function rows()
  local of_arm, numbers = process.run({ "uname", "-m" }, { tool = true }).stdout:find "^aarch64" ~= nil, {}
  for name, x86, arm in read(TABLE):gmatch '\n  {"([%w_]+)", {([%w]+), ([%w]+)}, %u+},' do
    numbers[name] = tonumber(of_arm and arm or x86) or -1
  end
  return numbers
end

---The numbers of the kernel's headers, by name.
local function headers()
  local done = process.run({ "cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null" }, { tool = true })
  assert(done.code == 0, done.stderr)
  local numbers = {}
  for name, number in done.stdout:gmatch "#define __NR_([%l%d_]+) (%d+)\n" do numbers[name] = tonumber(number) end
  return numbers
end

describe("the wall of calls", function()
  require("spec.support.checks").declare("walls", it)

  it("has no row whose number is that of another call, and none of the headers is newer", function()
    local known, count, compared = headers(), 0, 0
    for name, number in pairs(rows()) do
      count = count + 1
      compared = compared + (known[name] and 1 or 0)
      assert.is_true(number == (known[name] or number), name)
    end
    assert.is_true(count > 130 and compared > 110)
    local newest = tonumber(read("src/process/walls_table.h"):match "#define BIDE_CALL_NEWEST (%d+)")
    for name, number in pairs(known) do assert.is_true(number <= newest, name) end
  end)
end)
