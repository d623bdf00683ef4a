---Endpoint rule sets: every resolution of the data, and the functions of the rules one by one.

local aws_cases = require "spec.support.aws.cases"
local core = require "bide.core"
local data = require "spec.support.data"
local endpoint = require "bide.aws.endpoint"

local partitions = { partitions = {
  {
    id = "aws", regionRegex = [[^(us|eu)\-\w+\-\d+$]],
    regions = { ["us-east-1"] = { description = "here" }, ["aws-global"] = { dnsSuffix = "global.example" } },
    outputs = { dnsSuffix = "amazonaws.com", supportsFIPS = true, supportsDualStack = false },
  },
  { id = "aws-cn", regionRegex = [[^cn\-\w+\-\d+$]], outputs = { dnsSuffix = "amazonaws.com.cn" } },
} }

local function of(fn, ...) return { fn = fn, argv = { ... } } end

local function ref(name) return { ref = name } end

---Resolves a rule set whose first rule has some conditions, and whose second one is an error.
local function resolve(conditions, url, values)
  local parameters = {}
  for name, value in pairs(values or {}) do
    parameters[name] = { type = type(value) == "table" and "stringArray" or type(value) }
  end
  return endpoint.resolve({ parameters = parameters, rules = {
    { type = "endpoint", conditions = conditions, endpoint = { url = url } },
    { type = "error", conditions = {}, error = "none" },
  } }, partitions, values or {})
end

---Returns the text that an expression gives; nil if a condition of it does not hold.
local function text_of(expression, path, values)
  expression.assign = "value"
  local found = resolve({ expression }, "{value" .. (path and "#" .. path or "") .. "}", values)
  return found and found.url
end

local function holds(expression, values) return resolve({ expression }, "yes", values) ~= nil end

describe("an endpoint", function()
  local rules = {
    parameters = {
      Region = { type = "string", required = true }, UseFIPS = { type = "boolean", required = true, default = false },
    },
    rules = { {
      type = "tree", conditions = { { fn = "aws.partition", argv = { ref "Region" }, assign = "P" } },
      rules = {
        { type = "error", conditions = { of("booleanEquals", ref "UseFIPS", true) }, error = "no FIPS in {P#name}" },
        { type = "endpoint", conditions = {}, endpoint = {
          url = "https://x.{Region}.{P#dnsSuffix}",
          properties = { authSchemes = { { name = "sigv4", signingRegion = "{Region}" } }, count = 2, braces = "{{Region}}" },
          headers = { ["X-Region"] = { "{Region}", ref "Region" } },
        } },
      },
    } },
  }

  it("has the values of the parameters in its URL, properties and headers", function()
    local found = assert(endpoint.resolve(rules, partitions, { Region = "eu-west-1", Unknown = 5, UseFIPS = core.json.null }))
    assert.same({
      url = "https://x.eu-west-1.amazonaws.com",
      properties = { authSchemes = { { name = "sigv4", signingRegion = "eu-west-1" } }, count = 2, braces = "{Region}" },
      headers = { ["X-Region"] = { "eu-west-1", "eu-west-1" } },
    }, found)
  end)

  it("is nil and the rule's error, or the parameter that is missing", function()
    assert.same({ nil, "no FIPS in aws-cn" },
      { endpoint.resolve(rules, partitions, { Region = "cn-north-1", UseFIPS = true }) })
    assert.same({ nil, "the parameter Region is missing" }, { endpoint.resolve(rules, partitions, {}) })
    assert.same({ nil, "no rule for these parameters" }, { endpoint.resolve({ rules = {} }, partitions, {}) })
  end)

  it("does not see what a rule assigned whose conditions did not hold", function()
    local failed = { fn = "uriEncode", argv = { "a" }, assign = "V" }
    local found = endpoint.resolve({ rules = {
      { type = "endpoint", conditions = { failed, of("not", of("isSet", ref "V")) }, endpoint = { url = "first" } },
      { type = "endpoint", conditions = { of("not", of("isSet", ref "V")) }, endpoint = { url = "second" } },
    } }, partitions, {})
    assert.equal("second", found.url)
  end)

  it("is not looked for behind a tree whose conditions held", function()
    assert.is_nil((endpoint.resolve({ rules = {
      { type = "tree", conditions = {}, rules = {} }, { type = "endpoint", conditions = {}, endpoint = { url = "behind" } },
    } }, partitions, {})))
  end)

  it("leaves the rule set as it is", function()
    local before = core.json.encode(rules)
    assert(endpoint.resolve(rules, partitions, { Region = "eu-west-1" })).properties.authSchemes[1].name = "changed"
    assert.equal(before, core.json.encode(rules))
  end)
end)

describe("a mistake in what is to be resolved", function()
  for wanted, given in pairs {
    ["rules: expected a table, found nothing"] = {},
    ["parameters: expected a table, found 5"] = { { rules = {} }, partitions, 5 },
    ["parameters.Region: expected a string, found 5"] = {
      { parameters = { Region = { type = "string" } }, rules = {} }, partitions, { Region = 5 },
    },
    ["endpoint rules: expected the member rules, found nothing"] = { { nodes = "AAAA" }, partitions, {} },
    ['endpoint rules: unknown function "isSat"'] = {
      { rules = { { conditions = { of("isSat", "x") }, error = "x" } } }, partitions, {},
    },
    ['endpoint rules: "https://{Region}": no value for "Region"'] = {
      { rules = { { conditions = {}, endpoint = { url = "https://{Region}" } } } }, partitions, {},
    },
    ["partitions: expected the document partitions.json"] = {
      { rules = { { conditions = { of("aws.partition", "x") }, error = "x" } } }, {}, {},
    },
  } do
    it("is named: " .. wanted, function()
      local ok, mistake = pcall(endpoint.resolve, given[1], given[2], given[3])
      assert.is_false(ok)
      assert.truthy(mistake:find(wanted, 1, true), mistake)
    end)
  end
end)

describe("the function", function()
  it("getAttr follows names and positions, and keeps false", function()
    local arn = of("aws.parseArn", "arn:aws:s3:eu-west-1:123:accesspoint/a:b")
    for path, wanted in pairs { region = "eu-west-1", ["resourceId[0]"] = "accesspoint", ["resourceId[2]"] = "b" } do
      assert.equal(wanted, text_of(of("getAttr", arn, path)))
    end
    assert.is_false(holds(of("isSet", of("getAttr", arn, "resourceId[3]"))))
    assert.equal("first", text_of(of("getAttr", ref "List", "[0]"), nil, { List = { "first" } }))
    assert.is_true(holds(of("booleanEquals", of("getAttr", of("parseURL", "http://a.b"), "isIp"), false)))
  end)

  it("substring counts from either end, and takes no part of what is too short or not ASCII", function()
    assert.equal("bc", text_of(of("substring", "abcd", 1, 3, false)))
    assert.equal("ab", text_of(of("substring", "abcd", 2, 4, true)))
    for _, given in ipairs { { "ab", 0, 3, false }, { "ab", 1, 1, false }, { "é", 0, 1, false } } do
      assert.is_nil(text_of(of("substring", table.unpack(given))))
    end
    assert.is_false(holds(of("isSet", of("substring", ref "Missing", 0, 1, false))))
  end)

  it("uriEncode encodes all but the unreserved characters", function()
    assert.equal("a%2Fb%3A%C3%A9%20-._~", text_of(of("uriEncode", "a/b:é -._~")))
  end)

  it("parseURL takes a URL apart", function()
    local url = of("parseURL", "HTTPS://[::1]:8080/x")
    for path, wanted in pairs {
      scheme = "https", authority = "[::1]:8080", path = "/x", normalizedPath = "/x/", isIp = "true",
    } do
      assert.equal(wanted, text_of(url, path))
    end
    assert.equal("/", text_of(of("parseURL", "http://a.b"), "normalizedPath"))
    assert.equal("true", text_of(of("parseURL", "http://127.0.0.1:80"), "isIp"))
    for _, text in ipairs { "ftp://a", "https://a?b=c", "https://a#b", "a.b", "https://", "http://a b?" } do
      assert.is_nil(text_of(of("parseURL", text), "scheme"), text)
    end
    assert.equal("false", text_of(of("parseURL", "http://256.0.0.1"), "isIp"))
  end)

  it("aws.parseArn wants six parts, and may lack region and account", function()
    assert.equal("bucket", text_of(of("aws.parseArn", "arn:aws:s3:::bucket"), "resourceId[0]"))
    for _, text in ipairs { "arn:aws:s3::", "arn::s3:::a", "arn:aws::::a", "arn:aws:s3:::", "urn:aws:s3:::a" } do
      assert.is_nil(text_of(of("aws.parseArn", text), "service"), text)
    end
  end)

  for _, case in ipairs {
    { "isValidHostLabel", { "a-1" }, { "", "-a", "a-", "a.b", "a_b", ("a"):rep(64) }, false },
    { "isValidHostLabel", { "a", "a.b-c.1" }, { "", "a..b", ".a", "a.", "a.-b" }, true },
    { "aws.isVirtualHostableS3Bucket", { "abc", "a-1" }, { "ab", "a.b.c", "Abc", "abc-", ("a"):rep(64) }, false },
    { "aws.isVirtualHostableS3Bucket", { "abc", "a.b.c" }, { "192.168.1.1", "A.b.c", "a..b", ("a."):rep(32) .. "a" }, true },
  } do
    it(("%s(…, %s)"):format(case[1], case[4]), function()
      for _, text in ipairs(case[2]) do assert.is_true(holds(of(case[1], text, case[4])), text) end
      for _, text in ipairs(case[3]) do assert.is_false(holds(of(case[1], text, case[4])), text) end
      assert.is_false(holds(of(case[1], ref "Missing", case[4])))
    end)
  end

  it("aws.partition finds regions by name, by pattern, and else AWS's own", function()
    for region, wanted in pairs {
      ["us-east-1"] = "amazonaws.com", ["eu-new-9"] = "amazonaws.com", ["cn-north-1"] = "amazonaws.com.cn",
      ["cn-north"] = "amazonaws.com", ["aws-global"] = "global.example", ["xx-y-1"] = "amazonaws.com",
    } do
      assert.equal(wanted, text_of(of("aws.partition", region), "dnsSuffix"), region)
    end
    assert.equal("aws", text_of(of("aws.partition", "us-east-1"), "name"))
    assert.is_false(holds(of("aws.partition", ref "Missing")))
  end)

  it("aws.partition refuses an expression that it cannot read", function()
    local given = { partitions = { { id = "a", regionRegex = "^[ab]$", outputs = {} } } }
    local rules = { rules = { { conditions = { of("aws.partition", "a") }, error = "x" } } }
    assert.has_error(function() endpoint.resolve(rules, given, {}) end,
      "partitions: expected a regular expression without classes and repeated groups, found ^[ab]$")
  end)
end)

describe("the data", function()
  it("are resolved as botocore does", function()
    local cases = data.read "aws/endpoints.jsonl"
    if not cases then return pending("aws/endpoints.jsonl " .. data.hint) end
    local rules = core.json.decode(data.read "aws/endpoint-rules.json")
    local all = core.json.decode(data.read "aws/partitions.json")
    for line in cases:gmatch "[^\n]+" do
      local case = core.json.decode(line)
      assert.is_nil(aws_cases.endpoint(rules[case.s], all, case), line)
    end
  end)
end)
