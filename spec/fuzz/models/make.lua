---Makes a hostile model, the command line of a user who runs it, and the answers that its author's servers give.
---
---Every way in which a model may name a host has a host of its own: uri.evil.example is named by a path alone,
---prefix.evil.example by a host prefix, rule.evil.example by endpoint rules, moved.evil.example by a redirect.

local json = require("bide.core").json

local M = {}

---What the user has, none of which may reach a host that it was not meant for.
M.secrets = {
  access_key = "AKIAIOSFODNN7EXAMPLE", secret_key = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
  session = "session-token-of-the-user", token = "bearer-token-of-the-user", password = "password-of-the-user",
  key = "api-key-of-the-user",
}

---Returns one of what is ordinary, or, once in a while, one of what is hostile.
local function mostly(random, ordinary, hostile)
  return random:of(random:once_in(8) and hostile or ordinary)
end

local function object(members) return next(members) and members or json.decode "{}" end

-- ---- hosts ------------------------------------------------------------------------------------

---Returns the URLs that a user may give as an endpoint.
local function own_endpoints(ports)
  return {
    "http://own.example:" .. ports.plain, "https://own.example:" .. ports.tls, "https://own.example", "http://own.example",
    "http://127.0.0.1:" .. ports.plain, "https://api.own.example/base/path", "http://own.example:" .. ports.plain .. "/base",
    "HTTP://OWN.example:" .. ports.plain, "http://localhost:" .. ports.plain,
  }
end

---Returns texts that name a host, with its port or without.
local function authorities(host, ports)
  return { host, ("%s:%d"):format(host, ports.plain), ("%s:%d"):format(host, ports.tls_other),
    ("%s:%d"):format(host, ports.plain_other) }
end

-- ---- parts of a model -------------------------------------------------------------------------

local function hostile_uri(random, ports)
  local evil = random:of(authorities("uri.evil.example", ports))
  return mostly(random, { "/things", "/{Label}", "/{Path+}", "/{Label}/x?y=z", "/" }, {
    "", "@" .. evil .. "/x", ":" .. ports.plain_other .. "/x",
    ".evil.example/x", "//" .. evil .. "/x", "/\\" .. evil, "\\\\" .. evil .. "/x", "/x?y=@" .. evil, "/../../x", "/%00",
    "http://" .. evil .. "/", "/x#@" .. evil, "/{Label}@" .. evil, "/@" .. evil, "?@" .. evil, "#@" .. evil,
    "/\r\nHost: " .. evil,
    "/ HTTP/1.1\r\nX: " .. evil, "/\t@" .. evil, "\t@" .. evil, " @" .. evil, "/x y", "/{Label}{Path+}", "{Label}/x", "{Path+}",
  })
end

local function hostile_prefix(random, ports)
  local evil = random:of(authorities("prefix.evil.example", ports))
  return mostly(random, { "data.", "{Label}.", "a.{Label}." }, {
    evil .. "/", evil .. "@", evil .. "#", evil .. "?", evil .. "\\", evil, evil .. ".",
    "a..b.", ".", "", "{Label}", "{Label}{Label}.", "-", "%2e", "evil", ("a."):rep(300), "a\0.", "a b.", "{None}.", "user:pw@",
    "\u{FF0F}.", "a\r\nb.", "[::1].",
  })
end

---Values for members: the user's, or the model's own defaults.
local function hostile_value(random, ports)
  local evil = random:of(authorities("label.evil.example", ports))
  return mostly(random, { "plain", "a-b", "7" }, {
    evil, evil .. "/", "@" .. evil, "../..", "a/../../@" .. evil, "#" .. evil, "?" .. evil, "%2F%2F" .. evil, "..",
    ".", "a\r\nHost: " .. evil, "a\nb", "\0", "//" .. evil, ("x"):rep(300), "\u{FF0E}", "a.b", "a:1", "\\" .. evil,
  })
end

local header_names = {
  "X-Thing", "X-Other", "Accept", "X-Api-Version", "X-Thing", "X-Other", "Accept", "X-Api-Version", "Authorization",
  "Host", "X-Amz-Security-Token", "X-Amz-Date", "X-Amz-Content-Sha256", "Cookie", "Content-Length",
  "Transfer-Encoding", "Location", "X-Forwarded-Host", "Connection", "Proxy-Authorization", "X-Thing", "Expect", ":authority",
  "Host ", "hOST", "X\r\nHost", "Content-Type", "Forwarded", "Upgrade",
}

local function header_values(random, ports)
  local evil = random:of(authorities("header.evil.example", ports))
  return { random:of { evil, "iam.amazonaws.com", "x", "chunked", "0", "", "a\r\nb: c" } }
end

local function hostile_rule_url(random, ports)
  local rule = random:of(authorities("rule.evil.example", ports))
  return mostly(random, { "https://" .. rule, "{Endpoint}", "{Endpoint}", "{Endpoint}/base" }, {
    "http://" .. rule, "{Endpoint}.rule.evil.example",
    "{Endpoint}@" .. rule, "https://own.example@" .. rule, "https://own.example:x@" .. rule .. "/",
    "https://" .. rule .. "#@own.example",
    "https://" .. rule .. "\\@own.example", "https://" .. rule .. "/base", "https://" .. rule .. "?x=",
    "HTTPS://" .. rule:upper(),
    "//" .. rule, rule, "https:" .. rule, "https:///" .. rule, "https://{Region}." .. rule, "https://{Label}",
    "file:///etc/passwd",
    "ftp://" .. rule, "unix:/tmp/x", "https://own.example%2e." .. rule, "https://0x7f.1:" .. ports.tls_other, "https://[::1]",
    "https://" .. rule .. "\r\nX: y", "", "https://", "{url#scheme}://{url#authority}.rule.evil.example", "https://2130706433",
    "https://own.example." .. rule, "https://own.example\u{3002}" .. rule,
  })
end

local function hostile_schemes(random)
  local function scheme()
    return object {
      name = mostly(random, { "sigv4" }, { "sigv4a", "sigv4-s3express", "bearer", "none", "" }),
      signingName = mostly(random, { "things" }, { "iam", "sts", "", "s3" }),
      signingRegion = mostly(random, { "us-east-1" }, { "*", "", "eu-west-1/iam" }),
      disableDoubleEncoding = random:once_in(2), disableNormalizePath = random:once_in(2),
    }
  end
  local schemes = { scheme() }
  if random:once_in(3) then schemes[2] = scheme() end
  return schemes
end

local function hostile_rules(random, ports)
  local headers = {}
  for _ = 1, random:number(0, 3) do headers[random:of(header_names)] = header_values(random, ports) end
  if random:once_in(2) then headers = {} end
  local endpoint = { url = hostile_rule_url(random, ports), headers = object(headers), properties = object {
    authSchemes = random:once_in(2) and hostile_schemes(random) or nil, backend = "x" } }
  local conditions = json.array {}
  if endpoint.url:find("url#", 1, true) then
    conditions = { { fn = "isSet", argv = { { ref = "Endpoint" } } },
      { fn = "parseURL", argv = { { ref = "Endpoint" } }, assign = "url" } }
  end
  local rule = { type = "endpoint", conditions = conditions, endpoint = endpoint }
  local parameters = {
    Region = { type = "string", builtIn = "AWS::Region", documentation = "r" },
    Endpoint = { type = "string", builtIn = random:of { "SDK::Endpoint", "SDK::Endpoint", "AWS::Region" }, documentation = "e" },
    Label = { type = "string", documentation = "l" },
  }
  if random:once_in(4) then
    parameters.Endpoint.default, parameters.Endpoint.required = "https://rule.evil.example", true
  end
  return { version = random:of { "1.0", "1.0", "1.0", "1.1", "9" }, parameters = parameters, rules = { rule } }
end

local protocols = { "aws.protocols#restJson1", "aws.protocols#restJson1", "aws.protocols#awsJson1_0", "aws.protocols#restXml",
  "aws.protocols#awsQuery", "aws.protocols#ec2Query", "smithy.protocols#rpcv2Cbor" }

local plain_keys = { { name = "X-Key", ["in"] = "header" }, { name = "k", ["in"] = "query" } }
local key_traits = {
  { name = "Host", ["in"] = "header" },
  { name = "Authorization", ["in"] = "header", scheme = "Key" }, { name = "a&b=c#", ["in"] = "query" },
  { name = "X\r\nY", ["in"] = "header" }, { name = "", ["in"] = "header" },
}

local hostile_methods = { "CONNECT", "GET http://uri.evil.example/", "", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "get", "G\0T", "*" }

local auth_names = { sigv4 = "aws.auth#sigv4", bearer = "smithy.api#httpBearerAuth", basic = "smithy.api#httpBasicAuth",
  key = "smithy.api#httpApiKeyAuth" }
local auth_kinds = { "sigv4", "sigv4", "bearer", "basic", "key" }

local function service_traits(random, ports, auths)
  local traits = { [random:of(protocols)] = object {} }
  if not random:once_in(4) then
    traits["aws.api#service"] = { sdkId = mostly(random, { "Foo" }, { "RDS", "S3", "STS", "" }),
      arnNamespace = "foo", endpointPrefix = mostly(random, { "foo" }, { "prefix.evil.example/", "@prefix.evil.example" }) }
  end
  for _, kind in ipairs(auths) do
    local value = object {}
    if kind == "sigv4" then value = { name = mostly(random, { "things" }, { "iam", "sts", "" }) } end
    if kind == "key" then value = mostly(random, plain_keys, key_traits) end
    traits[auth_names[kind]] = value
  end
  if not random:once_in(3) then traits["smithy.rules#endpointRuleSet"] = hostile_rules(random, ports) end
  return traits
end

local function operation_traits(random, ports, auths)
  local traits = {
    ["smithy.api#http"] = { method = mostly(random, { "GET", "POST", "PUT" }, hostile_methods),
      uri = hostile_uri(random, ports), code = 200 },
    ["smithy.waiters#waitable"] = { Ready = { minDelay = 1, maxDelay = 1, acceptors = {
      { state = "success", matcher = { success = true } } } } },
  }
  if random:once_in(3) then traits["smithy.api#endpoint"] = { hostPrefix = hostile_prefix(random, ports) } end
  if random:once_in(6) then traits["smithy.api#auth"] = { auth_names[random:of(auths)] } end
  if random:once_in(12) then traits["smithy.api#auth"] = json.array {} end
  if random:once_in(8) then traits["smithy.api#optionalAuth"] = object {} end
  if random:once_in(8) then traits["aws.auth#unsignedPayload"] = object {} end
  if random:once_in(5) then
    traits["smithy.rules#staticContextParams"] = { [random:of { "Endpoint", "Region", "Label" }] = {
      value = random:of { "https://rule.evil.example", "http://rule.evil.example:" .. ports.plain_other, "x" } } }
  end
  return traits
end

---The members of the input, and what the user says for those that the model has no value of its own for.
local function make_members(random, ports)
  local members, given = {}, {}
  local function add(name, traits)
    members[name] = { target = "smithy.api#String", traits = traits }
    if random:once_in(5) then
      traits["smithy.api#default"] = hostile_value(random, ports)
    else
      given[#given + 1] = { name, hostile_value(random, ports) }
    end
  end
  local of_label = { ["smithy.api#required"] = object {}, ["smithy.api#httpLabel"] = object {} }
  if random:once_in(2) then of_label["smithy.api#hostLabel"] = object {} end
  add("Label", of_label)
  add("Path", { ["smithy.api#required"] = object {}, ["smithy.api#httpLabel"] = object {} })
  if random:once_in(2) then add("Header", { ["smithy.api#httpHeader"] = random:of(header_names) }) end
  if random:once_in(3) then add("Query", { ["smithy.api#httpQuery"] = random:of { "q", "X-Amz-Signature", "#", "a&b" } }) end
  if random:once_in(5) then
    members.Label.traits["smithy.rules#contextParam"] = { name = random:of { "Endpoint", "Label", "Region" } }
  end
  return members, given
end

-- ---- what is run ------------------------------------------------------------------------------

local function make_answers(random, ports)
  local moved = random:of(authorities("moved.evil.example", ports))
  local function answer()
    if random:once_in(2) then return { status = 200, body = "{}" } end
    local location = random:of { "https://" .. moved .. "/x", "http://" .. moved .. "/x", "//" .. moved .. "/x", "/other",
      "http://own.example:" .. ports.plain_other .. "/x", "https://moved.evil.example@own.example",
      "https://own.example@" .. moved,
      "http://own.example:" .. ports.plain .. "/x", "x://" .. moved, "https://own.example./x" }
    return { status = random:of { 301, 302, 303, 307, 308, 401, 400, 503 }, body = "{}", headers = { Location = location,
      ["WWW-Authenticate"] = 'Basic realm="x"', ["x-amz-bucket-region"] = "moved.evil.example",
      ["Set-Cookie"] = "a=b; domain=example" } }
  end
  return { answer(), answer(), answer() }
end

---Reports whether the service is the one that AWS_ENDPOINT_URL_FOO is for.
local function is_foo(model)
  local trait = model.shapes["x#S"].traits["aws.api#service"]
  return trait ~= nil and trait.sdkId == "Foo"
end

---@class fuzz.HostileModel
---@field model table
---@field words string[] of the command line, behind `run model.json`
---@field environment table<string, string>
---@field endpoint? string that the user gave this service
---@field is_trusted boolean
---@field answers table[]

---@param random fuzz.Random
---@param ports table<string, integer>
---@return fuzz.HostileModel
function M.make(random, ports)
  local auths = { random:of(auth_kinds) }
  local second = random:of(auth_kinds)
  if second ~= auths[1] and random:once_in(4) then auths[2] = second end
  local members, given = make_members(random, ports)
  local made = { answers = make_answers(random, ports), environment = {}, is_trusted = random:once_in(3),
    endpoint = not random:once_in(3) and random:of(own_endpoints(ports)) or nil,
    words = { "Ready" } }
  made.model = { smithy = "2.0", shapes = {
    ["x#S"] = { type = "service", version = "1", operations = { { target = "x#Get" } },
      traits = service_traits(random, ports, auths) },
    ["x#Get"] = { type = "operation", input = { target = "x#In" }, output = { target = "x#Out" },
      traits = operation_traits(random, ports, auths) },
    ["x#In"] = { type = "structure", members = members }, ["x#Out"] = { type = "structure", members = object {} },
  } }
  local words = made.words
  local function add(...) for _, word in ipairs { ... } do words[#words + 1] = word end end
  for _, kind in ipairs(auths) do
    if kind == "bearer" then add("--bearer", "@env:TOKEN") end
    if kind == "basic" then add("--basic", "@env:BASIC") end
    if kind == "key" then add("--api-key", "@env:KEY") end
    if kind == "sigv4" then add("--region", "eu-west-1") end
  end
  if made.endpoint and random:once_in(4) then
    local name = random:of { "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_FOO" }
    made.environment[name] = made.endpoint
    if name:find "_FOO$" and not is_foo(made.model) then made.endpoint = nil end
  elseif made.endpoint then
    add("--endpoint", made.endpoint)
  end
  if made.is_trusted then add "--trust-model" end
  for _, pair in ipairs(given) do add(pair[1] .. "=" .. pair[2]:gsub("%z", "")) end
  return made
end

return M
