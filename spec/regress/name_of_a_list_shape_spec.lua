---A member of a service-2.json had its own name on the wire where its shape has another one, so an answer lost the list.

local core = require "bide.core"
local model = require "bide.model"

local opened = model.of_texts { { file = "service-2.json", text = [[{
  "version": "2.0",
  "metadata": { "protocol": "query", "serviceId": "Things", "apiVersion": "2020-01-01" },
  "operations": { "DescribeThing": { "name": "DescribeThing", "http": { "method": "POST", "requestUri": "/" },
    "input": { "shape": "Thing" }, "output": { "shape": "Thing", "resultWrapper": "DescribeThingResult" } } },
  "shapes": {
    "Thing": { "type": "structure", "members": { "Logs": { "shape": "LogList" },
      "Others": { "shape": "LogList", "locationName": "Another" } } },
    "LogList": { "type": "list", "member": { "shape": "Log" }, "locationName": "PendingLog" },
    "Log": { "type": "string" }
  }
}]] } }

describe("a member without a name of its own", function()
  it("has the name of its shape on the wire", function()
    local operation = assert(opened:operation "DescribeThing")
    local output = operation:answer { status = 200, headers = {}, body = "<DescribeThingResponse><DescribeThingResult>"
      .. "<PendingLog><member>a</member>"
      .. "</PendingLog><Another><member>b</member></Another></DescribeThingResult></DescribeThingResponse>" }
    assert.equal('{"Logs":["a"],"Others":["b"]}', core.json.encode(output))
    assert.equal("Action=DescribeThing&Version=2020-01-01&PendingLog.member.1=a&Another.member.1=b",
      operation:request({ Logs = { "a" }, Others = { "b" } }).body)
  end)
end)
