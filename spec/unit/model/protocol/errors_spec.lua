---The members of operation errors, by every protocol.

local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local model = require "bide.model"
local protocols = require "spec.support.protocols"

local json = core.json

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restJson1
service Service { version: "1" operations: [GetThing, LookAtThing] }
@http(method: "HEAD", uri: "/things")
operation LookAtThing { input := {}, output := {}, errors: [Busy] }
@http(method: "GET", uri: "/")
operation GetThing { input := {}, output := {}, errors: [Busy] }
@error("client")
@httpError(409)
structure Busy {
    message: String
    status: String
    @xmlName("Until") @jsonName("Until") until: Timestamp
    reasons: Reasons
    @httpHeader("X-Who") who: String
}
list Reasons { member: Reason }
structure Reason { code: Integer }
]] } }

local JSON = '{"__type": "a.b#Busy", "message": "no", "status": "s", "until": 5, "Until": 5, "reasons": [{"code": 3}], '
  .. '"who": "me"}'
local ERROR = "<Error><Code>Busy</Code><message>n&#233;</message><status>s</status><Until>1970-01-01T00:00:05Z</Until><reasons>"
  .. "<member><code>3</code></member></reasons><who>me</who></Error>"

local bodies = {
  ["aws.protocols#awsJson1_0"] = { JSON, "no" }, ["aws.protocols#restJson1"] = { JSON, "no" },
  ["smithy.protocols#rpcv2Json"] = { JSON, "no" },
  ["smithy.protocols#rpcv2Cbor"] = { cbor.encode { __type = "a.b#Busy", message = "no", status = "s",
    ["until"] = cbor.tagged(1, 5), reasons = json.array { { code = 3 } }, who = "me" }, "no" },
  ["aws.protocols#restXml"] = { "<ErrorResponse>" .. ERROR .. "<RequestId/></ErrorResponse>", "né" },
  ["aws.protocols#awsQuery"] = { "<ErrorResponse>" .. ERROR .. "<RequestId/></ErrorResponse>", "né" },
  ["aws.protocols#ec2Query"] = { "<Response><Errors>" .. ERROR .. "<Error/></Errors></Response>", "né" },
}

describe("an operation error", function()
  for id, case in pairs(bodies) do
    local operation = assert(opened:operation("GetThing", { protocol = id }))

    it("has the members of the model by " .. id, function()
      local headers = protocols.headers_of(id)
      headers["x-who"] = "me"
      local output, failure = operation:answer { status = 409, headers = headers, body = case[1] }
      assert.is_nil(output)
      assert.same({ type = "Busy", code = "Busy", status = 409, message = case[2], ["until"] = 5, reasons = { { code = 3 } },
        who = "me" }, failure)
    end)

    it("is the same error, with members of other types as they came, by " .. id, function()
      local body = id:find "Cbor" and cbor.encode { __type = "a.b#Busy", reasons = 5, who = "me" }
        or case[1]:gsub("%[{", "[5,{"):gsub("1970%-01%-01T00:00:05Z", "soon")
      local _, failure = operation:answer { status = 409, headers = protocols.headers_of(id), body = body }
      local wanted = id:find "Cbor" and { reasons = 5 } or id:find "[jJ]son" and { reasons = { 5, { code = 3 } }, ["until"] = 5 }
        or { reasons = { { code = 3 } }, ["until"] = "soon" }
      assert.same({ "Busy", wanted.reasons, wanted["until"] }, { failure.type, failure.reasons, failure["until"] })
      assert.equal("string", type(failure.message))
    end)
  end

  it("of a status alone is no error of the model, unless the request was a HEAD", function()
    local operation, of_head = assert(opened:operation("GetThing")), assert(opened:operation("LookAtThing"))
    for _, body in ipairs { "", "<html>no</html>", "{}", '{"message": "no"}' } do
      local _, failure = operation:answer { status = 409, headers = { ["X-Who"] = "me" }, body = body }
      assert.same({ "Http409", "Http409", 409 }, { failure.type, failure.code, failure.status })
    end
    local _, failure = of_head:answer { status = 409, headers = { ["X-Who"] = "me" }, body = "" }
    assert.same({ type = "Busy", code = "Conflict", status = 409, message = "Conflict", who = "me" }, failure)
    _, failure = of_head:answer { status = 403, headers = {}, body = "" }
    assert.same({ "Forbidden", "Forbidden" }, { failure.type, failure.code })
  end)
end)
