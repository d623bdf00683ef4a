---No waiter of AWS succeeds because of an answer that no service of AWS gave. Every waiter of the packed data is asked, so a
---new one is asked by itself. The yeses that remain are listed, each with its reason.

local Server = require "spec.support.server"
local process = require "spec.support.process"

local html, typed, xml, plain = { ["Content-Type"] = "text/html" }, { ["Content-Type"] = "application/json" },
  { ["Content-Type"] = "text/xml" }, { ["Content-Type"] = "text/plain" }
local problem = { ["Content-Type"] = "application/problem+json" }

local page = "<html><body>It works!</body></html>"
local denied = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>"

---@return table<string, string>
local function of_aws(kind)
  return { ["Content-Type"] = "application/json", ["x-amzn-ErrorType"] = kind, ["x-amzn-RequestId"] = "1" }
end

---The status, the headers and the body of answers: of pages, portals, proxies, gateways and load balancers, of services of
---another kind, and of AWS itself to a request that it does not know.
local answers = {
  { 200, html, page }, { 200, {}, "" }, { 200, typed, '{"status":"ok"}' }, { 200, typed, "{}" }, { 200, typed, "[]" },
  { 200, typed, "null" }, { 200, typed, '{"items":[],"status":"UP","state":"running"}' }, { 200, plain, "OK" },
  { 200, xml, "<R/>" }, { 200, xml, "<Response/>" }, { 200, xml, denied }, { 204, {}, "" }, { 206, typed, "{}" },
  { 301, { Location = "/" }, "" }, { 302, { Location = "/" }, "" }, { 307, { Location = "/login" }, page },
  { 400, {}, "" }, { 400, typed, '{"code":"BadRequest","message":"no"}' },
  { 401, typed, '{"error":"unauthorized"}' }, { 403, html, page }, { 403, of_aws "MissingAuthenticationTokenException",
    '{"message":"Missing Authentication Token"}' },
  { 404, {}, "" }, { 404, html, page }, { 404, plain, "404 page not found" }, { 404, typed, '{"message":"Not Found"}' },
  { 404, typed, '{"code":"NotFound","message":"no such route"}' }, { 404, typed, '{"code":404,"message":"no"}' },
  { 404, typed, '{"error":{"code":"NotFound","message":"no"}}' }, { 404, typed, '{"error":{"code":404,"status":"NOT_FOUND"}}' },
  { 404, typed, '{"error":{"type":"NotFoundException","message":"no"}}' },
  { 404, typed, '{"error":{"type":"ResourceNotFoundException"}}' },
  { 404, typed, '{"type":"NotFoundException","error":"Not Found","statusCode":404}' },
  { 404, typed, '{"Code":"NotFound","Message":"no"}' },
  { 404, typed, '{"kind":"Status","reason":"NotFound","code":404}' },
  { 404, problem, '{"type":"about:blank","title":"Not Found","status":404}' },
  { 404, of_aws "UnknownOperationException", '{"__type":"UnknownOperationException"}' },
  { 404, xml, "<Error><Code>NotFound</Code><Message>no</Message></Error>" }, { 405, html, page }, { 407, html, page },
  { 410, typed, '{"code":"Gone"}' }, { 429, {}, "" }, { 500, typed, '{"code":"InternalError"}' }, { 502, html, page },
  { 503, plain, "no healthy upstream" }, { 504, {}, "" }, { 511, html, page },
}

local of_head = "S3 answers a HEAD without a body, so that the status is all of its word"
local of_status = "AWS's acceptor takes an error of any name that has the status"

---What a waiter may take for its success: its service and name, the status, and the reason.
local excused = {
  ["s3 BucketExists"] = { [200] = of_head, [301] = of_head, [403] = "a bucket of another account exists" },
  ["s3 ObjectExists"] = { [200] = of_head },
  ["s3 BucketNotExists"] = { [404] = of_head }, ["s3 ObjectNotExists"] = { [404] = of_head },
  ["route53-recovery-control-config ClusterDeleted"] = { [404] = of_status },
  ["route53-recovery-control-config ControlPanelDeleted"] = { [404] = of_status },
  ["route53-recovery-control-config RoutingControlDeleted"] = { [404] = of_status },
}

describe("the waiters of AWS", function()
  local answer
  local server = Server.of_block(function() return { status = answer[1], headers = answer[2], body = answer[3] } end)

  for _, row in ipairs(answers) do
    local named = row[2]["x-amzn-ErrorType"] and " of AWS" or ""
    it(("stay closed before %d%s with %s"):format(row[1], named, row[3] == "" and "an empty body" or row[3]), function()
      answer = row
      local done = process.run({ process.bide, "exec", "--quiet", "spec/support/aws/foreign.lua", server.url }, { env = {
        AWS_ACCESS_KEY_ID = "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY = "the-key-of-the-spec", AWS_SESSION_TOKEN = false,
        AWS_ENDPOINT_URL = false, AWS_PROFILE = false } })
      assert.equal(0, done.code, done.stderr)
      local opened, count = {}, nil
      for line in done.stdout:gmatch "[^\n]+" do
        local name = line:match "^([%w-]+ %w+):"
        count = count or tonumber(line)
        if name and not (excused[name] or {})[row[1]] then opened[#opened + 1] = line end
      end
      assert.equal("", table.concat(opened, "\n"))
      assert.is_true(count >= 363, count)
    end)
  end
end)
