---What services of AWS send back: keys, tokens and signatures of the request in every place of an answer. No output, event,
---journal or message of a run holds one.

local AwsHome = require "spec.support.aws.home"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local uv = require "luv"

local SECRET, TOKEN = "wJalrXUtnFEMI/K7MDENG+secret", "FwoGZXIvYXdzEXAMPLE+token/=="

---Returns everything of a request that must not be shown, as a service may word it.
local function echo_of(request)
  local headers = request.headers
  return ("secret %s, token %s, '%s', x-amz-security-token:%s"):format(SECRET, TOKEN, headers.authorization, TOKEN)
end

local function xml_error(code, message)
  return ("<ErrorResponse><Error><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>"):format(code, message)
end

---The answers, by what they are.
local answers = {
  ["a refusal"] = function(echo) return { status = 403, body = xml_error("AccessDenied", echo) } end,
  ["a wrong signature"] = function(echo) return { status = 403, body = xml_error("SignatureDoesNotMatch", echo) } end,
  ["expired keys"] = function(echo) return { status = 403, body = xml_error("ExpiredToken", echo) } end,
  ["a code of its own"] = function(echo) return { status = 400, body = xml_error(echo, "no") } end,
  ["a failure of the service"] = function(echo) return { status = 500, body = xml_error("Internal", echo) } end,
  ["an error of JSON"] = function(echo)
    return { status = 403, headers = { ["X-Amzn-ErrorType"] = echo },
      body = ('{"message": "%s", "__type": "%s"}'):format(echo, echo) }
  end,
  ["a redirect"] = function(echo) return { status = 301, headers = { Location = "http://127.0.0.1:1/?x=" .. echo } } end,
  ["garbage"] = function(echo) return { body = "<" .. echo } end,
  ["a text"] = function(echo) return { status = 503, headers = { ["Content-Type"] = "text/plain" }, body = echo } end,
  ["a header"] = function(echo)
    return { status = 503, headers = { ["Retry-After"] = echo, ["x-amzn-requestid"] = echo, Date = echo } }
  end,
  ["an output"] = function(echo)
    return { body = ("<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>%s</StackName>"
      .. "<StackStatusReason>%s</StackStatusReason><StackStatus>CREATE_FAILED</StackStatus></member></Stacks>"
      .. "</DescribeStacksResult></DescribeStacksResponse>"):format(echo, echo) }
  end,
}

local space = Workspace.of_each()
local home

local function run(url, output)
  return space:bide({ "aws", "cloudformation", "stack-create-complete", "StackName=web", "--endpoint", url,
    "--max-wait", "1500ms", "--interval", "1s", "--verbose", "--explain", "--journal", "journal", "--events", "events",
    "--output", output },
    { env = home:environment() })
end

---Fails if one of the texts is in something that runs have written.
local function assert_hidden(texts, ...)
  local written = { space:bide({ "journal", "show", "--journal", "journal" }).stdout }
  for _, done in ipairs { ... } do written[#written + 1] = done.stdout .. done.stderr end
  local scan = uv.fs_scandir(space.path)
  for name in uv.fs_scandir_next, scan do written[#written + 1] = space:read(name) end
  local all = table.concat(written, "\n")
  for _, name in ipairs { "journal", "events", "json" } do assert.is_true(#space:read(name) > 0, name) end
  for _, text in ipairs(texts) do assert.is_nil(all:find(text, 1, true), text) end
end

describe("a service of AWS that sends secrets back", function()
  before_each(function()
    home = AwsHome.make({ credentials = ("[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = %s\n"
      .. "aws_session_token = %s\n"):format(SECRET, TOKEN) }, { AWS_REGION = "eu-west-1" })
  end)

  after_each(function()
    home:remove()
  end)

  for name, answer in pairs(answers) do
    it("as " .. name, function()
      local server = Server.start(function(request) return answer(echo_of(request)) end)
      local done = { run(server.url, "json=json"), run(server.url, "junit=junit") }
      server:close()
      local hidden = { SECRET, TOKEN }
      for _, request in ipairs(server.requests) do
        hidden[#hidden + 1] = assert(request.headers.authorization:match "Signature=(%x+)")
      end
      assert.is_true(#server.requests > 0)
      assert_hidden(hidden, table.unpack(done))
    end)
  end

  it("or is not there", function()
    assert_hidden({ SECRET, TOKEN, "Signature=" }, run("http://127.0.0.1:" .. port.free(), "json=json"))
  end)
end)
