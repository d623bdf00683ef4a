---The code of an error in XML was not found in a CDATA section, and a reference that the message had escaped was taken for
---one.

local answer = require "bide.probe.asking.answer"

local function error_of(body)
  local failure = answer.operation_error { status = 409, headers = {}, body = "<ErrorResponse><Error>" .. body
    .. "</Error></ErrorResponse>" }
  return { failure.type, failure.message }
end

describe("an error in XML", function()
  it("has the texts of CDATA sections", function()
    assert.same({ "Busy", "a <b> &amp; c & d" }, error_of("<Code><![CDATA[Busy]]></Code>"
      .. "<Message><![CDATA[a <b> &amp; c]]> &amp; d</Message>"))
    assert.same({ "Conflict", "Conflict" }, error_of "<Code><![CDATA[Busy</Code><Message><b/></Message>")
  end)

  it("has each reference replaced once", function()
    assert.same({ "Busy", "&#39; &lt; ' < &unknown; &#xD800;" },
      error_of "<Code>Busy</Code><Message>&amp;#39; &amp;lt; &#39; &lt; &unknown; &#xD800;</Message>")
  end)
end)
