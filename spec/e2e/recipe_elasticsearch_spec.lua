---Answers recorded from Elasticsearch 7.17.23 and from OpenSearch 2.19.4, the latter with its security plugin as well.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local recorded = require "spec.support.recorded"

local servers = {
  elasticsearch = recorded.rows "elasticsearch/elasticsearch-7.17.23",
  opensearch = recorded.rows "elasticsearch/opensearch-2.19.4",
}

local HEALTH, COUNT = "/_cluster/health?timeout=0s", "/orders/_count?q="

---The words behind `bide run elasticsearch`, the names of the answers in turn, the exit code, the target of the last
---request, and a part of what is printed.
local of_both = {
  { "", { "red", "yellow" }, 0, HEALTH, "after 2 attempts" },
  { "status=green", { "yellow", "green" }, 0, HEALTH, 'state is "ready"' },
  { "--max-attempts 2", { "green", "red" }, 0, HEALTH, "after 1 attempt " },
  { "nodes=2 --max-attempts 1", { "green" }, 4, HEALTH, 'state is "1 of 2 nodes"' },
  { "status=green --max-attempts 1", { "yellow" }, 4, HEALTH, 'state is "the status is yellow"' },
  { "index=orders", { "no index", "red index", "yellow index" }, 0, "/_cluster/health/orders?level=indices&timeout=0s",
    "after 3 attempts" },
  { "index=orders --max-attempts 1", { "no index" }, 4, "/_cluster/health/orders?level=indices&timeout=0s",
    'state is "there is no such index"' },
  { "index=orders status=green", { "yellow index", "green index" }, 0, "/_cluster/health/orders?level=indices&timeout=0s",
    "after 2 attempts" },
  { "DocumentsFound index=orders", { "no index to count", "no shard to count", "no documents", "two documents" }, 0,
    COUNT .. "%2A", 'state is "found"' },
  { "DocumentsFound index=orders query=state:done count=2 --max-attempts 2", { "no index to count", "one document" }, 4,
    COUNT .. "state%3Adone", 'state is "1 of 2 documents"' },
  { "DocumentsFound index=orders query=a:(", { "wrong query" }, 3, COUNT .. "a%3A%28", "Failed to parse query [a:(]" },
  { "DocumentsGone index=orders", { "two documents", "no documents" }, 0, COUNT .. "%2A", "after 2 attempts" },
  { "DocumentsGone index=orders", { "no shard to count", "no index to count" }, 0, COUNT .. "%2A", "after 2 attempts" },
  { "IndexGone index=orders", { "no documents", "no shard to count", "no index to count" }, 0, COUNT .. "%2A",
    "after 3 attempts" },
  { "IndexGone index=orders", { "no index pattern to count" }, 0, COUNT .. "%2A", "after 1 attempt " },
}

local of_one = {
  elasticsearch = {
    { "", { "no master", "state not recovered", "green" }, 0, HEALTH, "after 3 attempts" },
    { "IndexGone index=orders", { "state not recovered to count", "no index to count" }, 0, COUNT .. "%2A", "after 2 attempts" },
  },
  opensearch = {
    { "user=admin:admin", { "not initialized", "green with a user" }, 0, HEALTH, "after 2 attempts" },
    { "--max-attempts 1", { "not initialized" }, 4, HEALTH, "OpenSearch Security not initialized." },
    { "", { "no user" }, 1, HEALTH, "Unauthorized (401)" },
    { "user=admin:x", { "wrong password" }, 1, HEALTH, "Unauthorized (401)" },
    { "user=me:pw", { "no permission" }, 1, HEALTH, "no permissions for [cluster:monitor/health] and User [name=kibanaro" },
  },
}

---An answer in the form of Elasticsearch with its own security, which the registries do not have.
local function refused(status, why)
  return { status = status, headers = { ["content-type"] = "application/json" },
    body = ('{"error":{"root_cause":[{"type":"security_exception","reason":"%s"}],"type":"security_exception"}}'):format(why) }
end

---Runs a wait over answers. The last is given again for all later requests.
local function run(line, answers)
  local workspace, asked = Workspace.make(), 0
  local server = Server.start(function()
    asked = asked + 1
    return answers[math.min(asked, #answers)]
  end)
  local words = { "run", "elasticsearch" }
  for word in line:gmatch "%S+" do words[#words + 1] = word end
  for _, word in ipairs { "url=" .. server.url, "--interval", "1ms", "--max-wait", "9s" } do words[#words + 1] = word end
  local done = workspace:bide(words)
  server:close()
  workspace:remove()
  return done, server.requests[asked].target, asked
end

for server, responses in pairs(servers) do
  describe("the recipe elasticsearch, with " .. server, function()
    for _, row in ipairs(table.move(of_both, 1, #of_both, #of_one[server] + 1, of_one[server])) do
      local line, names, code, target, text = table.unpack(row)

      it(("%s: %s"):format(line, table.concat(names, ", ")), function()
        local answers = {}
        for position, name in ipairs(names) do answers[position] = assert(responses[name], name) end
        local done, last, asked = run(line, answers)
        assert.equal(code, done.code, done.stdout .. done.stderr)
        assert.equal(target, last)
        assert.matches(text, done.stdout, 1, true)
        if code ~= 0 then assert.equal(#answers, asked) end
      end)
    end
  end)
end

describe("the recipe elasticsearch", function()
  it("waits while the users are not known yet, and fails without one", function()
    local unknown, green = refused(401, "unable to authenticate user [app]"), servers.elasticsearch.green
    assert.equal(0, run("user=app:pw", { unknown, green }).code)
    local done = run("", { refused(401, "missing authentication credentials") })
    assert.equal(1, done.code)
    assert.matches("Unauthorized (401): missing authentication credentials", done.stdout, 1, true)
    assert.equal(1, run("user=app:pw", { refused(403, "no") }).code)
  end)

  it("survives answers of other types", function()
    for _, body in ipairs { "[]", '"green"', "{}", '{"status":5,"number_of_nodes":[]}', "<html>" } do
      local done = run("--max-attempts 2", { { status = 200, body = body } })
      assert.is_true(done.code == 3 or done.code == 4, done.stdout .. done.stderr)
      done = run("DocumentsGone index=orders --max-attempts 2", { { status = 200, body = body } })
      assert.is_true(done.code == 3 or done.code == 4, done.stdout .. done.stderr)
    end
  end)
end)
