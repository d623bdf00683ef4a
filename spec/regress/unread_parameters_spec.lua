---Parameters of a URL that a recipe does not read were ignored: `mysql://db?socket=/run/mysqld.sock` asked db by TCP, and a
---misspelt one changed nothing. Now the socket of a mysql URL is read, beside the host localhost.

local Workspace = require "spec.support.workspace"

describe("a parameter in the URL of a recipe", function()
  local workspace = Workspace.of_block()

  local function run(words)
    local line = { "run", table.unpack(words) }
    return workspace:bide(table.move({ "--max-attempts", "1", "--max-wait", "50s", "--quiet" }, 1, 5, #line + 1, line))
  end

  for words, name in pairs {
    [{ "mysql", "mysql://a@localhost/db?unix_socket=/tmp/mysql.sock" }] = "unix_socket",
    [{ "mysql", "mysql://a@127.0.0.1:1/db?nonsense=1" }] = "nonsense",
    [{ "mysql", "RowFound", "mariadb://127.0.0.1:1?charset=utf8&nonsense", "SELECT 1" }] = "nonsense",
    [{ "postgres", "postgres://bob@db/mydb?host=/tmp/nosock" }] = "host",
    [{ "postgres", "postgresql://db/?options=-csearch_path%3Dshop" }] = "options",
    [{ "postgres", "postgres://db/?channel_binding=require" }] = "channel_binding",
    [{ "mongodb", "mongodb://one,two/?replicaSett=rs0" }] = "replicaSett",
    [{ "redis", "redis://cache?name=x" }] = "name",
    [{ "redis_sentinel", "redis-sentinel://one?master=x", "main" }] = "master",
    [{ "amqp", "amqp://bus?auth_mechanism=external" }] = "auth_mechanism",
    [{ "nats", "nats://bus?name=x" }] = "name",
    [{ "kafka", "kafka://one,two?acks=all" }] = "acks",
    [{ "cassandra", "cassandra://db?keyspace=x" }] = "keyspace",
    [{ "ldap", "ldap://db/dc=shop?uid?sub" }] = "uid?sub",
    [{ "grpc", "grpc://db?service=x" }] = "service",
    [{ "imap", "imap://mail?x=y" }] = "x",
    [{ "smtp", "smtp://mail?x=y" }] = "x",
    [{ "ssh", "ssh://host?x=y" }] = "x",
    [{ "memcached", "memcached://cache?x=y" }] = "x",
  } do
    it("is a mistake if it is not read: " .. words[#words], function()
      run(words):says(2, ("the parameter %s is not read: "):format(name))
    end)
  end

  it("is not let pass by the former name of the list, which was for TLS alone", function()
    assert.error_matches(function() require("bide.address").read("x://db?ssl=true", { schemes = { "x" }, tls = {} }) end,
      "tls: it is called parameters now")
  end)

  it("names the nearest one that is read", function()
    for url, name in pairs {
      ["mongodb://one/?replicaSett=rs0"] = "replicaset", ["postgres://db/?aplication_name=x"] = "application_name",
      ["mysql://db?char_set=utf8"] = "charset",
    } do
      assert.matches(('did you mean "%s"?'):format(name), run({ url:match "^%a+", url }).stderr, 1, true)
    end
    assert.matches("leave it out, or give an input in its place", run({ "mysql", "mysql://db?zzz=x" }).stderr, 1, true)
  end)

  for _, words in ipairs {
    { "mysql", "mysql://127.0.0.1:1/db?charset=utf8mb4&ssl-mode=DISABLED" },
    { "postgres", "postgres://127.0.0.1:1/db?sslmode=disable&application_name=shop&connect_timeout=3" },
    { "mongodb", "mongodb://127.0.0.1:1/?retryWrites=true&w=majority&authSource=admin&appName=shop" },
    { "redis", "redis://127.0.0.1:1/0?db=3" },
    { "amqp", "amqp://127.0.0.1:1/shop?heartbeat=30" },
    { "tls", "https://127.0.0.1:1/page?of=a&site" },
  } do
    it("is none if it changes nothing in what is asked: " .. words[2], function()
      assert.equal(4, run(words).code)
    end)
  end
end)
