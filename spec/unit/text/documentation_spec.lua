---The words of a documentation.

local plain = require "bide.text.documentation"

describe("the words of a documentation", function()
  for text, words in pairs {
    ["<p>Waits until a <b>thing</b>\n  exists.</p>"] = "Waits until a thing exists.",
    ["a &lt;b&gt; &amp;amp; &quot;c&#39;s&quot;"] = "a <b> &amp; \"c's\"",
    ["one<br/>two<!-- three --> four"] = "one two four",
    ["size < 5 and size > 3"] = "size < 5 and size > 3", ["&unknown; & more"] = "&unknown; & more", [""] = "",
  } do
    it("are " .. words, function() assert.equal(words, plain(text)) end)
  end
end)
