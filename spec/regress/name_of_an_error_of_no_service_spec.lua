---An error of a model was found by two words that no service had said of it: by the phrase of the status, beside a header
---x-amzn-query-error that named another error; and by a body in XML of a protocol in JSON, or the reverse, which is a page of
---another program. So a 404 with "AccessDenied" in that header was the model's NotFound, and a wait for the end of a thing
---succeeded.

local model = require "bide.model"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restJson1
service Things { version: "1" operations: [GetThing] }
@http(method: "GET", uri: "/")
operation GetThing { input := {}, output := {}, errors: [NotFound] }
@error("client")
@httpError(404)
@aws.protocols#awsQueryError(code: "Thing.Gone", httpResponseCode: 404)
structure NotFound { message: String }
]] } }

local OF_JSON, OF_XML = '{"__type":"NotFound","message":"m"}', "<Error><Code>NotFound</Code><Message>m</Message></Error>"

---The headers and the body of an answer, and the type, the code and the message of its error.
local function rows_of(is_xml)
  local own, foreign = is_xml and OF_XML or OF_JSON, is_xml and OF_JSON or OF_XML
  return {
    { { ["x-amzn-query-error"] = "AccessDenied;Sender" }, "", "AccessDenied", "AccessDenied", "Not Found" },
    { { ["x-amzn-query-error"] = "NotFound;Sender" }, "", "NotFound", "NotFound", "Not Found" },
    { { ["x-amzn-query-error"] = "Thing.Gone;Sender" }, "", "NotFound", "Thing.Gone", "Not Found" },
    { { ["x-amzn-query-error"] = "AccessDenied;Sender" }, own, "NotFound", "AccessDenied", "m" },
    { { ["x-amzn-errortype"] = "AccessDenied" }, own, "AccessDenied", "AccessDenied", "m" },
    { {}, own, "NotFound", "NotFound", "m" },
    { {}, foreign, "Http404", "Http404", "m" },
    { { ["x-amzn-errortype"] = "NotFound" }, foreign, "NotFound", "NotFound", "m" },
    { { ["x-amzn-query-error"] = "Thing.Gone;Sender" }, foreign, "NotFound", "Thing.Gone", "m" },
  }
end

describe("an error of a model", function()
  for _, protocol in ipairs { "awsJson1_0", "restJson1", "restXml", "awsQuery", "ec2Query" } do
    it("is named by the service alone, by " .. protocol, function()
      local operation = assert(opened:operation("GetThing", { protocol = "aws.protocols#" .. protocol }))
      for _, row in ipairs(rows_of(not protocol:find "Json")) do
        local _, failure = operation:answer { status = 404, headers = row[1], body = row[2] }
        assert.same({ row[3], row[4], row[5] }, { failure.type, failure.code, failure.message })
      end
    end)
  end
end)
