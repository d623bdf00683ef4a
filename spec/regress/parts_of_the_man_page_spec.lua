---The page for man had no date, and no word of the variables and the files that bide reads.

local process = require "spec.support.process"

---Returns the page, as it is made at a time.
local function page(epoch)
  local done = process.run({ process.bide, "exec", "src/man.lua" }, { env = { HOME = "~", XDG_DATA_HOME = false,
    BIDE_PATH = false, SOURCE_DATE_EPOCH = epoch } })
  assert.equal(0, done.code, done.stderr)
  return done.stdout
end

---Returns the text of a section.
local function section(text, name)
  return assert((text .. ".SH "):match("\n%.SH \"?" .. name .. "\"?\n(.-)%.SH "), name .. " is missing")
end

describe("the page for man", function()
  it("has the date of SOURCE_DATE_EPOCH, and is the same each time", function()
    assert.matches('^%.TH BIDE 1 "2001%-09%-09" ', page "1000000000")
    assert.equal(page "1000000000", page "1000000000")
    assert.matches('^%.TH BIDE 1 "%d%d%d%d%-%d%d%-%d%d" ', page(false))
  end)

  it("names every variable of bide that its code reads", function()
    local text, count = section(page "0", "ENVIRONMENT"), 0
    local handle <close> = assert(io.popen "grep -rhoE 'getenv\\(? ?\"[A-Z_]+\"' lua")
    for name in handle:read("a"):gmatch '"([A-Z_]+)"' do
      if name:find "^BIDE_" or name == "NO_COLOR" or name == "KUBECONFIG" or name == "GITHUB_ACTIONS" then
        assert.truthy(text:find(name, 1, true), name)
        count = count + 1
      end
    end
    assert.is_true(count >= 5, count)
  end)

  it("names files, and other pages", function()
    local text = page "0"
    assert.matches("share/doc/bide", section(text, "FILES"), 1, true)
    assert.matches("%.BR timeout %(1%)", section(text, "SEE ALSO"))
  end)
end)
