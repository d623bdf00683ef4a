---The code of an error was taken out of any XML that had an element Error with a Code somewhere: out of an answer that was cut,
---and out of the page of a proxy. So a database counted as deleted by half an answer.

local answer = require "bide.probe.asking.answer"

local ERROR <const> = "<Error><Code>DBInstanceNotFound</Code><Message>m</Message></Error>"

local function type_of(body)
  return answer.operation_error({ status = 404, headers = {}, body = body }).type
end

describe("an error in XML", function()
  it("has a code in the documents of AWS's protocols alone", function()
    for _, form in ipairs {
      "%s", "<ErrorResponse>%s</ErrorResponse>", "<Response><Errors>%s</Errors></Response>", '<?xml version="1.0"?>\n%s\n',
      '<ErrorResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/">%s<RequestId>1</RequestId></ErrorResponse>\n',
    } do
      assert.equal("DBInstanceNotFound", type_of(form:format(ERROR)), form)
    end
  end)

  it("has none in other documents, and in what was cut", function()
    for _, form in ipairs {
      "<Page>%s</Page>", "<html><body>%s</body></html>", "<!DOCTYPE html><html>%s</html>", "<ErrorResponse>%s",
      "<ErrorResponse>%s</Response>", "<Response><Errors>%s</Errors>", "%s<Error>", "<Responses>%s</Responses>",
      "<ErrorResponse>%s</ErrorResponse><p/>",
    } do
      assert.equal("NotFound", type_of(form:format(ERROR)), form)
    end
  end)
end)
