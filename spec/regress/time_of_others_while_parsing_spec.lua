---The limit of processor time for parsing a document counted what other waits took between its pieces.

local core = require "bide.core"
local xpath = require "bide.probe.asking.xpath"
local yield = require "bide.task.yield"

describe("the time that other waits take while a document is parsed", function()
  local clock, seconds = os.clock, 0

  before_each(function()
    seconds = 0
    os.clock = function() return seconds end -- luacheck: ignore 122
  end)
  after_each(function() os.clock = clock end) -- luacheck: ignore 122

  it("is not the document's", function()
    local found, failure, is_parsed
    core.task.start(function() found, failure = xpath.find("<a>" .. ("<b/>"):rep(8e5) .. "</a>", "count(//b)") end,
      function() is_parsed = true end)
    core.task.start(function()
      while not is_parsed do
        seconds = seconds + 6
        yield()
      end
    end, function() end)
    while not is_parsed do core.loop.turn() end
    assert.is_nil(failure)
    assert.equal(8e5, found)
  end)
end)
