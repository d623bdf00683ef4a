---Smithy's own protocol tests, of clients or both, of all protocols.

local base64 = require "bide.base64"
local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local data = require "spec.support.data"
local models = require "spec.support.models"
local protocol = require "bide.model.protocol.service"
local protocols = require "spec.support.protocols"

---How many cases of a file or of the packages pass: the files have some of AWS's cases, and those of a later RPC.
local passing = { ["aws/protocol-tests.json"] = 446, ["aws/protocol-tests-rpcv2.json"] = 83, ["smithy/jars"] = 811 }
local json = core.json
local FORM = "application/x-www-form-urlencoded"

---The cases that bide does not pass, and why. Some of them are not among the data, but in Smithy's own files of 1.74.1.
local compression, checksum = "request compression", "checksums"
local bucket = "a bucket moves into the host where the endpoint is known"
local custom = "what SDKs add to the requests of one service; bide adds what a waiter needs where the endpoint is known"
local digits = "a number of the data is a double, and has no more digits than that"
local unsupported = {
  SDKAppliedContentEncoding_awsJson1_0 = compression, SDKAppliedContentEncoding_awsJson1_1 = compression,
  SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsJson1_0 = compression,
  SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsJson1_1 = compression,
  SDKAppliedContentEncoding_awsQuery = compression, SDKAppliedContentEncoding_restJson1 = compression,
  SDKAppendedGzipAfterProvidedEncoding_restJson1 = compression,
  SDKAppendsGzipAndIgnoresHttpProvidedEncoding_awsQuery = compression,
  SDKAppliedContentEncoding_ec2Query = compression,
  SDKAppendsGzipAndIgnoresHttpProvidedEncoding_ec2Query = compression,
  SDKAppliedContentEncoding_restXml = compression, SDKAppendedGzipAfterProvidedEncoding_restXml = compression,
  RestJsonHttpChecksumRequired = checksum, GlacierMultipartChecksums = checksum,
  S3DefaultAddressing = bucket, S3VirtualHostAddressing = bucket, S3VirtualHostDualstackAddressing = bucket,
  S3VirtualHostAccelerateAddressing = bucket, S3VirtualHostDualstackAccelerateAddressing = bucket,
  S3OperationAddressingPreferred = bucket, S3EscapeObjectKeyInUriLabel = bucket, S3EscapePathObjectKeyInUriLabel = bucket,
  S3PreservesLeadingDotSegmentInUriLabel = bucket, S3PreservesEmbeddedDotSegmentInUriLabel = bucket,
  ApiGatewayAccept = custom, GlacierVersionHeader = custom, GlacierAccountId = custom, GlacierChecksums = checksum,
  MachinelearningPredictEndpoint = "a member of this input replaces the endpoint",
  AwsJson10ClientErrorCorrectsWhenServerFailsToSerializeRequiredValues = "what is absent stays absent for acceptors",
  RpcV2JsonRequestBigDecimalHighPrecision = digits, RpcV2JsonRequestBigDecimalNegativeHighPrecision = digits,
  RpcV2JsonRequestBigDecimalLargeWithFraction = digits, RpcV2JsonRequestBigIntegerNegativeLargeValue = digits,
}

---The token that the cases expect.
local TOKEN = "00000000-0000-4000-8000-000000000000"

---@return string? difference
local function compare_body(case, request)
  local body = case.body
  if body == nil then return nil end
  local given, wanted = request.body, body
  if case.bodyMediaType == "application/json" then
    given, wanted = protocols.canonical(json.decode(given) or given), protocols.canonical(json.decode(wanted))
  elseif case.bodyMediaType == "application/xml" and body ~= "" then
    given, wanted = protocols.tree(given), protocols.tree(wanted)
  elseif case.bodyMediaType == "application/cbor" then
    local padded = wanted .. ("="):rep(-#wanted % 4) -- one case is without it
    given, wanted = protocols.canonical(cbor.decode(given)), protocols.canonical(cbor.decode(base64.decode(padded)))
  elseif case.bodyMediaType == "application/x-www-form-urlencoded" then
    given, wanted = protocols.pairs_of(given), protocols.pairs_of(wanted)
  end
  if given ~= wanted then return ("body: %s\n  expected %s"):format(given, wanted) end
end

local function compare_headers(case, headers)
  for name, value in pairs(case.headers or {}) do
    local given = protocols.header(headers, name)
    if value == FORM then given = given and given:gsub("; charset=utf%-8$", "") end -- as botocore sends it
    if given ~= value then return ("%s: %s, expected %s"):format(name, given, value) end
  end
  for _, name in ipairs(case.forbidHeaders or {}) do
    if protocols.header(headers, name) then return "has the header " .. name end
  end
end

local function compare_query(case, request)
  local given = "\n" .. protocols.joined(request.query) .. "\n"
  for _, parameter in ipairs(case.queryParams or {}) do
    local wanted = protocols.pairs_of(parameter)
    if not given:find("\n" .. wanted .. "\n", 1, true) then return ("query:%sexpected %s"):format(given, wanted) end
  end
  for _, name in ipairs(case.forbidQueryParams or {}) do
    if given:find("\n" .. name .. "=", 1, true) then return "has the parameter " .. name end
  end
end

local function check_request(opened, shape, case)
  local operation = assert(opened:operation(shape.id, { protocol = case.protocol }))
  local input = protocols.params(opened, operation.input.id, case.params or json.decode "{}")
  local request, mistake = operation:request(input)
  if not request then return mistake end
  if request.method ~= case.method then return "method: " .. request.method end
  local path = (case.host or ""):match "^[^/]*(.*)$" .. request.path -- that of the endpoint is before it
  if path ~= case.uri then return ("path: %s, expected %s"):format(path, case.uri) end
  if case.resolvedHost and (request.host_prefix or "") .. case.host ~= case.resolvedHost then
    return "host prefix: " .. tostring(request.host_prefix)
  end
  return compare_body(case, request) or compare_headers(case, request.headers) or compare_query(case, request)
end

local function response_of(case)
  local body = case.body or ""
  if case.bodyMediaType == "application/cbor" then body = base64.decode(body) end
  return { status = case.code, headers = case.headers or {}, body = body }
end

local function check_output(opened, shape, case)
  local operation = assert(opened:operation(shape.id, { protocol = case.protocol }))
  local output, failure = operation:answer(response_of(case))
  if not output then return failure.type .. ": " .. failure.message end
  local wanted = protocols.params(opened, operation.output.id, case.params or json.decode "{}")
  for name, value in pairs(wanted) do
    if value == json.null then wanted[name] = nil end
  end
  local given = protocols.canonical(output)
  wanted = protocols.canonical(wanted)
  if given ~= wanted then return ("output: %s\n  expected %s"):format(given, wanted) end
end

---An operation of the same service that has the error.
local function operation_with(opened, shape, id_of_protocol)
  for _, id in ipairs(opened.operation_ids) do
    local operation = opened:operation(id)
    for _, failure in ipairs(operation.errors) do
      if failure.id == shape.id then
        operation = opened:operation(id, { protocol = id_of_protocol })
        return operation
      end
    end
  end
end

local function check_error(opened, shape, case)
  local operation = operation_with(opened, shape, case.protocol)
  local output, failure = operation:answer(response_of(case))
  local name = shape.id:match "#(.*)$"
  if output or failure.type ~= name then return ("%s, expected the error %s"):format(output or failure.type, name) end
  local code = case.vendorParams and case.vendorParams.code
  if code and failure.code ~= code then return ("code: %s, expected %s"):format(failure.code, code) end
  for member, wanted in pairs(case.params and protocols.params(opened, shape.id, case.params) or {}) do
    local given, expected = protocols.canonical(failure[member]), protocols.canonical(wanted)
    if given ~= expected then return ("%s: %s, expected %s"):format(member, given, expected) end
  end
end

local function checks_of(shape)
  local checks = {}
  for _, case in ipairs(shape.traits["smithy.test#httpRequestTests"] or {}) do
    checks[#checks + 1] = { case, check_request, "request" }
  end
  for _, case in ipairs(shape.traits["smithy.test#httpResponseTests"] or {}) do
    checks[#checks + 1] = { case, shape.type == "operation" and check_output or check_error, "answer" }
  end
  return checks
end

---@return integer passed
---@return string[] failures
local function run(opened)
  local passed, failures = 0, {}
  for _, id in ipairs(opened.ids) do
    local shape = opened:shape(id)
    for _, check in ipairs(checks_of(shape)) do
      local case = check[1]
      if case.appliesTo ~= "server" and not unsupported[case.id] then
        local ok, difference = pcall(check[2], opened, shape, case)
        if ok and not difference then passed = passed + 1 else
          failures[#failures + 1] = ("%s %s %s: %s"):format(case.protocol:match "#(.*)$", check[3], case.id, difference)
        end
      end
    end
  end
  return passed, failures
end

describe("Smithy's protocol tests", function()
  local new_token = protocol.new_token
  setup(function() protocol.new_token = function() return TOKEN end end)
  teardown(function() protocol.new_token = new_token end)

  local is_absent = true
  for name, expected in pairs(passing) do
    local names = data.read(name) and { name } or data.files(name, "%.smithy$")
    if #names > 0 then
      is_absent = false
      it("of " .. name .. " pass, but for what is named", function()
        local passed, failures = run(models.of_data(names))
        assert.equal("", table.concat(failures, "\n"))
        assert.equal(expected, passed)
      end)
    end
  end
  if is_absent then pending("smithy/jars " .. data.hint) end
end)
