---No waiter of AWS succeeds because of an answer that no service of AWS gave. Every waiter of the packed data is asked, so a
---new one is asked by itself. The yeses that remain are listed, each with its reason.

local Server = require "spec.support.server"
local process = require "spec.support.process"

local html, typed, xml = { ["Content-Type"] = "text/html" }, { ["Content-Type"] = "application/json" },
  { ["Content-Type"] = "text/xml" }

local page = "<html><body>It works!</body></html>"
local denied = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>"

---The status, the headers and the body of answers.
local answers = { { 200, html, page }, { 200, {}, "" }, { 200, typed, '{"status":"ok"}' }, { 200, typed, "{}" },
  { 200, xml, "<R/>" }, { 200, xml, denied }, { 302, { Location = "/" }, "" }, { 400, {}, "" }, { 403, html, page },
  { 404, {}, "" }, { 404, html, page }, { 404, typed, '{"message":"Not Found"}' }, { 429, {}, "" }, { 502, html, page } }

local of_head = "S3 answers a HEAD without a body, so that the status is all of its word"

---What a waiter may take for its success: its service and name, the status, and the reason.
local excused = {
  ["s3 BucketExists"] = { [200] = of_head, [403] = "a bucket of another account exists" },
  ["s3 ObjectExists"] = { [200] = of_head },
  ["s3 BucketNotExists"] = { [404] = of_head }, ["s3 ObjectNotExists"] = { [404] = of_head },
}

describe("the waiters of AWS", function()
  local answer
  local server = Server.of_block(function() return { status = answer[1], headers = answer[2], body = answer[3] } end)

  for _, row in ipairs(answers) do
    it(("stay closed before %d with %s"):format(row[1], row[3] == "" and "an empty body" or row[3]), function()
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
