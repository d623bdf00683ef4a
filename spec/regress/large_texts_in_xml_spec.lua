---An answer with a text of more than 10 MB ended bide, and all its waits, for lack of memory; a text that a search had no
---memory for was found to be empty.

local Server = require "spec.support.server"
local plain_lua = require "spec.support.plain_lua"
local process = require "spec.support.process"

local LARGE = ("x"):rep(10500000)

describe("a text of an answer that is longer than libxml2 reads", function()
  local server = Server.of_each(function(request)
    local is_html = request.path == "/html"
    return is_html and { headers = { ["Content-Type"] = "text/html" }, body = "<html><p>" .. LARGE .. "</p></html>" }
      or { headers = { ["Content-Type"] = "application/xml" }, body = "<a>" .. LARGE .. "</a>" }
  end)

  for _, path in ipairs { "/xml", "/html" } do
    it("is no answer, and no lack of memory: " .. path, function()
      local done = process.run { process.bide, "http", server.url .. path, "xpath=/a | //p", "--max-wait", "1m",
        "--max-attempts", "1" }
      assert.matches("xpath: a text of the document is longer than 10 MB", done.stderr, 1, true)
      assert.equal(4, done.code)
    end)
  end
end)

describe("a text that a search has no memory for", function()
  it("is a failure, and not empty", function()
    local done = plain_lua [[
      local document = require("bide.xml").document(false)
      local piece = ("x"):rep(9900000)
      local function feed(text) assert(document:feed(text)) end
      feed "<a>"
      for _ = 1, 10 do
        feed "<b>"
        for at = 1, #piece, 65536 do feed(piece:sub(at, at + 65535)) end
        feed "</b>"
      end
      feed "</a>"
      assert(document:finish())
      local found, failure = document:find "/a"
      assert(found == nil and failure.kind == "limit", failure and failure.message)
      assert(failure.message == "the search takes too much memory")
      assert(#document:find("/a/b")[1] == 65536)]]
    assert.same({ "", 0, 0 }, { done.stderr, done.code, done.signal })
  end)
end)
