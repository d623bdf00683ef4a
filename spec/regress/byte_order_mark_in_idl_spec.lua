---The three bytes of a byte order mark were a set: in a Smithy file each character of such bytes was a blank, such as the
---Arabic letter U+FEFB, and `bide check` took a text that began with one for JSON.

local idl = require "bide.model.syntax.idl"
local process = require "spec.support.process"

---A model with a character behind a name.
local function model_with(character)
  return ('$version: "2.0"\nnamespace a.b\nstructure A %s{}\n'):format(character)
end

describe("in a Smithy file", function()
  it("a byte order mark is a blank", function()
    assert.same({}, idl.read(model_with "\u{FEFF}").mistakes)
  end)

  for _, character in ipairs { "\u{FEFB}", "\u{FBBF}", "\u{FFEF}", "\u{FEFF}\u{FEFB}" } do
    it(("the character %q is a mistake"):format(character), function()
      assert.is_true(#idl.read(model_with(character)).mistakes > 0)
    end)
  end
end)

describe("bide check of a file without a kind", function()
  local file

  before_each(function() file = os.tmpname() end)
  after_each(function() os.remove(file) end)

  local function check(text)
    local output = assert(io.open(file, "w"))
    output:write(text)
    output:close()
    return process.run { process.bide, "check", file }
  end

  it("reads JSON behind a byte order mark", function()
    assert.no.matches("expected a file of the kind", check("\u{FEFF} {}").stderr)
  end)

  it("reads no text behind another character", function()
    assert.matches("expected a file of the kind", check("\u{FEFB} {}").stderr, 1, true)
  end)
end)
