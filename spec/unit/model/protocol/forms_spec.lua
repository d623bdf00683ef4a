---Forms and XML, without any data from outside.

local core = require "bide.core"
local model = require "bide.model"

local json = core.json

local function operation_of(protocol)
  local opened = model.of_texts { { file = "a.smithy", text = ([[
$version: "2.0"
namespace a.b
@aws.protocols#%s
@xmlNamespace(uri: "https://example.com/")
service Things { version: "2020-01-08" operations: [GetThings] }
operation GetThings {
    input := {
        names: Names
        @xmlFlattened @xmlName("Flat") flat: Names
        tags: Tags
        nested: Nested
        since: Timestamp
    }
    output := {
        names: Names
        @xmlFlattened flat: Names
        tags: Tags
        nested: Nested
        since: Timestamp
        size: Integer
        isOpen: Boolean
    }
    errors: [NotFound]
}
list Names { @xmlName("item") member: String }
map Tags { key: String, value: String }
structure Nested { @xmlAttribute kind: String, inner: Nested, text: String }
@aws.protocols#awsQueryError(code: "Not.There", httpResponseCode: 404)
@error("client") structure NotFound {}
]]):format(protocol) } }
  assert.equal("", model.describe_all(opened.problems))
  return assert(opened:operation "GetThings")
end

local query, ec2 = operation_of "awsQuery", operation_of "ec2Query"

local function answer(operation, body, status)
  return operation:answer { status = status or 200, headers = {}, body = body }
end

local function answer_query(inner)
  return answer(query, "<GetThingsResponse><GetThingsResult>" .. inner .. "</GetThingsResult></GetThingsResponse>")
end

describe("the form", function()
  local input = { names = { "a b", "c" }, flat = { "d" }, tags = { x = "1" }, nested = { text = "t" }, since = 0 }

  it("of awsQuery has the names of lists and maps", function()
    assert.equal("Action=GetThings&Version=2020-01-08&names.item.1=a%20b&names.item.2=c&Flat.1=d&tags.entry.1.key=x"
      .. "&tags.entry.1.value=1&nested.text=t&since=1970-01-01T00%3A00%3A00Z", query:request(input).body)
    assert.equal("Action=GetThings&Version=2020-01-08&names=", query:request({ names = {} }).body)
  end)

  it("of ec2Query is flat, and its names begin with capitals", function()
    local list = { names = input.names, flat = input.flat, nested = input.nested }
    assert.equal("Action=GetThings&Version=2020-01-08&Names.1=a%20b&Names.2=c&Flat.1=d&Nested.Text=t",
      ec2:request(list).body)
    assert.equal("Action=GetThings&Version=2020-01-08", ec2:request({ names = {} }).body)
  end)

  it("refuses a list that is not one", function()
    local request, mistake = query:request { names = "a" }
    assert.is_nil(request)
    assert.equal('names: expected a list, found "a"', mistake)
  end)
end)

describe("an answer in XML", function()
  it("is read to the names and the types of members", function()
    local output = answer_query('<names><item>a &amp; b</item><item/></names><flat>1</flat><flat>2</flat>'
      .. '<tags><entry><key>k</key><value>v</value></entry></tags><x:nested kind="q"><inner/></x:nested>'
      .. '<since> 1970-01-01T00:00:01.5Z </since><size>3</size><isOpen>true</isOpen><more>1</more>')
    assert.equal('{"flat":["1","2"],"isOpen":true,"names":["a & b",""],"nested":{"inner":{},"kind":"q"},"since":1.5,'
      .. '"size":3,"tags":{"k":"v"}}', json.encode(output))
  end)

  it("has empty lists and maps, and leaves out what is absent", function()
    assert.equal('{"names":[],"tags":{}}', json.encode((answer_query "<names/><tags></tags>")))
    assert.equal("{}", json.encode((answer_query "")))
    assert.equal('{"size":1}', json.encode((answer(ec2, "<GetThingsResponse><size>1</size></GetThingsResponse>"))))
  end)

  it("may be longer than one piece", function()
    local output = answer_query("<names>" .. ("<item>abcdefgh</item>"):rep(20000) .. "</names>")
    assert.equal(20000, #output.names)
    assert.equal("abcdefgh", output.names[20000])
  end)

  it("is InvalidResponse where it is broken, truncated, too deep, or has a DOCTYPE", function()
    local cases = {
      ["not XML"] = "<a><b></a>",
      ["line 1"] = "<GetThingsResponse><GetThingsResult>",
      ["at most 512 levels"] = ("<a>"):rep(600) .. ("</a>"):rep(600),
      ["DOCTYPE"] = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    }
    for message, body in pairs(cases) do
      local output, failure = answer(query, body)
      assert.is_nil(output)
      assert.equal("InvalidResponse", failure.type)
      assert.is_truthy(failure.message:find(message, 1, true), failure.message)
    end
  end)

  it("has the message of an error that the model has not", function()
    local body = "<ErrorResponse><Error><Code>Other</Code><Message>a &#39;b&#x27; &#xD800; &#99999999; &amp;</Message></Error>"
      .. "</ErrorResponse>"
    local _, failure = answer(query, body, 400)
    assert.same({ "Other", "a 'b' &#xD800; &#99999999; &" }, { failure.type, failure.message })
  end)

  it("names an error by its shape", function()
    local bodies = { "<ErrorResponse><Error><Code>Not.There</Code><Message>a &lt; b</Message></Error></ErrorResponse>",
      "<Response><Errors><Error><Code>Not.There</Code><Message>a &lt; b</Message></Error></Errors></Response>" }
    for position, operation in ipairs { query, ec2 } do
      local output, failure = answer(operation, bodies[position], 404)
      assert.is_nil(output)
      assert.same({ "NotFound", "Not.There", "a < b" }, { failure.type, failure.code, failure.message })
    end
  end)
end)
