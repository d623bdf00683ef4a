---The code of an error in XML was the first text in it that looked like one: of an element within another one, of a comment,
---and of a message that quoted a document, which a user may have written. So a thing counted as gone that was there.

local answer = require "bide.probe.asking.answer"

local function error_of(body)
  local failure = answer.operation_error { status = 404, headers = {}, body = "<ErrorResponse>" .. body .. "</ErrorResponse>" }
  return { failure.type, failure.message }
end

describe("the code of an error in XML", function()
  it("is that of the error itself", function()
    for _, before in ipairs {
      "<Detail><Code>NoSuchThing</Code></Detail>", "<!--<Code>NoSuchThing</Code>-->",
      "<a/><b><c><Code>NoSuchThing</Code></c></b>",
      "<Detail>no <![CDATA[<Code>NoSuchThing</Code>]]></Detail>",
      "<Detail><![CDATA[</Detail><Code>NoSuchThing</Code>]]></Detail>",
    } do
      assert.same({ "Busy", "m" }, error_of("<Error>" .. before .. "<Code>Busy</Code><Message>m</Message></Error>"), before)
      assert.same({ "NotFound", "m" }, error_of("<Error>" .. before .. "<Message>m</Message></Error>"), before)
      assert.same({ "Busy", "m" }, error_of("<Error><Message> m\n</Message><Code>\nBusy </Code>" .. before .. "</Error>"))
    end
    assert.same({ "Busy", "<Code>NoSuchThing</Code>" },
      error_of "<Error><Message><![CDATA[<Code>NoSuchThing</Code>]]></Message><Code>Busy</Code></Error>")
    assert.same({ "Busy", "Not Found" },
      error_of "<!--<Error><Code>NoSuchThing</Code></Error>--><Error><Code>Busy</Code></Error>")
  end)

  it("is that of the first of several errors, and none if one has two", function()
    assert.equal("Busy", error_of("<Error><Code>Busy</Code></Error><Error><Code>NoSuchThing</Code></Error>")[1])
    assert.equal("NotFound", error_of("<Error><Message>m</Message></Error><Error><Code>NoSuchThing</Code></Error>")[1])
    assert.equal("NotFound", error_of("<Error><Code>Busy</Code><Code>NoSuchThing</Code></Error>")[1])
  end)

  it("is found in a time that grows with the body alone", function()
    for _, part in ipairs { "<!--", "<![CDATA[", "<Code>", " ", "<a ", "<a>" } do
      local begun = os.clock()
      local body = "<Error><Code>" .. part:rep(65536 // #part) .. "</Code></Error>"
      error_of(body)
      assert.is_true(os.clock() - begun < 2, part)
    end
  end)
end)
