---`bide convert --to lua` knew six of the words that Lua keeps for itself: an operation named by another, such as `if` or
---`return`, made a file that Lua cannot read.

local convert = require "bide.model.convert.conversion"

local words = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
  "not", "or", "repeat", "return", "then", "true", "until", "while" }

describe("bide convert", function()
  for _, word in ipairs(words) do
    it(("writes an operation named %s so that Lua reads it"):format(word), function()
      local text = ([[$version: "2.0"
namespace a.b
use smithy.waiters#waitable
@waitable(Done: {acceptors: [{state: "success", matcher: {success: true}}]})
operation %s {}
]]):format(word)
      local read = assert(convert.read({ { file = "x.smithy", text = text } }, error))
      local written = assert(convert.write(read, "lua", {}))
      local waits = assert(load(written, "written", "t", {}))()
      assert.is_table(waits[word].waitable.Done)
    end)
  end
end)
