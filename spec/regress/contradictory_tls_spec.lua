---`rediss://cache tls=false` spoke in clear, and `smtp mail starttls=false ca=ca.pem` used TLS all the same.

local Workspace = require "spec.support.workspace"
local tls = require "bide.tls"

local function by_scheme(member, scheme)
  return ("%s: expected true or nothing, since the URL begins with %s://; found false"):format(member, scheme)
end

local function by_input(member, other)
  return ("%s: expected true or nothing, since %s is given; found false"):format(member, other)
end

describe("inputs that ask for TLS and refuse it", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs {
    { "redis rediss://cache tls=false", by_scheme("tls", "rediss") },
    { "redis host=RedisS://cache tls=false", by_scheme("tls", "rediss") },
    { "redis_sentinel rediss://one,two tls=false", by_scheme("tls", "rediss") },
    { "amqp amqps://bus tls=false", by_scheme("tls", "amqps") },
    { "nats tls://bus tls=false", by_scheme("tls", "tls") },
    { "kafka kafka+ssl://one tls=false", by_scheme("tls", "kafka+ssl") },
    { "grpc https://api tls=false", by_scheme("tls", "https") },
    { "grpc grpcs://api tls=false", by_scheme("tls", "grpcs") },
    { "redis cache tls=false insecure=true", by_input("tls", "insecure") },
    { "cassandra db tls=false server_name=db", by_input("tls", "server_name") },
    { "mongodb db tls=false insecure=true", by_input("tls", "insecure") },
    { "mongodb mongodb://db/?tls=false server_name=db", by_input("tls", "server_name") },
    { "smtp mail starttls=false insecure=true", by_input("starttls", "insecure") },
    { "imap mail starttls=false server_name=mail", by_input("starttls", "server_name") },
    { "ldap directory starttls=false server_name=mail", by_input("starttls", "server_name") },
  } do
    it("are a mistake: " .. row[1], function()
      local words = { "run", "--max-wait", "1s" }
      for word in row[1]:gmatch "%S+" do words[#words + 1] = word end
      workspace:bide(words):says(2, row[2])
    end)
  end

  it("are none where they agree", function()
    for _, input in ipairs { { url = "redis://cache", tls = false }, { url = "rediss://cache", tls = true },
      { url = "rediss://cache" }, { host = "smtps://mail", starttls = false, insecure = true },
      { host = "mail", starttls = false }, { host = "cache", tls = false, insecure = false } } do
      assert.is_nil(tls.check()(input))
    end
  end)
end)
