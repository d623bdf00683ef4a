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
  { "DocumentsGone index=orders missing=true", { "no shard to count", "no index to count" }, 0, COUNT .. "%2A",
    "after 2 attempts" },
  { "DocumentsGone index=orders --max-attempts 2", { "no shard to count", "no index to count" }, 4, COUNT .. "%2A",
    "after 2 attempts" },
  { "DocumentsGone index=orders --max-attempts 1", { "no index pattern to count" }, 4, COUNT .. "%2A", "after 1 attempt " },
  { "IndexGone index=orders", { "no documents", "no shard to count", "no index to count" }, 0, COUNT .. "%2A",
    "after 3 attempts" },
  { "IndexGone index=orders --max-attempts 1", { "no index pattern to count" }, 4, COUNT .. "%2A", "after 1 attempt " },
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

---The answer of both to a parameter that they do not know, as their BaseRestHandler has it.
local unknown_parameter = { status = 400, headers = { ["content-type"] = "application/json" },
  body = '{"error":{"root_cause":[],"type":"illegal_argument_exception",'
    .. '"reason":"request [/orders/_count] contains unrecognized parameter: [bide_witness]"},"status":400}' }

local function is_witness(request)
  return request.target:find("_count?bide_witness=1", 1, true)
end

---An answer in the form of Elasticsearch with its own security, which the registries do not have.
local function refused(status, why)
  return { status = status, headers = { ["content-type"] = "application/json" },
    body = ('{"error":{"root_cause":[{"type":"security_exception","reason":"%s"}],"type":"security_exception"}}'):format(why) }
end

---Runs a wait over answers. The last is given again for all later requests, but for that of the witness.
local function run(line, answers)
  local workspace, asked, last = Workspace.make(), 0, nil
  local server = Server.start(function(request)
    if is_witness(request) then return unknown_parameter end
    asked, last = asked + 1, request.target
    return answers[math.min(asked, #answers)]
  end)
  local words = { "run", "elasticsearch" }
  for word in line:gmatch "%S+" do words[#words + 1] = word end
  for _, word in ipairs { "url=" .. server.url, "--interval", "1ms", "--max-wait", "50s" } do words[#words + 1] = word end
  local done = workspace:bide(words)
  server:close()
  workspace:remove()
  return done, last, asked
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
        assert.matches(text, done.stdout .. done.stderr, 1, true)
        if code ~= 0 then assert.equal(#answers, asked) end
      end)
    end
  end)
end

require "spec.support.proven"

describe("the recipe elasticsearch", function()
  it("waits while the users are not known yet, and fails without one", function()
    local unknown, green = refused(401, "unable to authenticate user [app]"), servers.elasticsearch.green
    assert.equal(0, run("user=app:pw", { unknown, green }).code)
    local done = run("", { refused(401, "missing authentication credentials") })
    done:writes(1, "Unauthorized (401): missing authentication credentials")
    assert.equal(1, run("user=app:pw", { refused(403, "no") }).code)
  end)

  ---Runs a wait over answers by the target of the request, without its query string.
  local function run_by_path(line, by_target)
    local workspace = Workspace.make()
    local server = Server.start(function(request)
      return is_witness(request) and unknown_parameter or by_target[request.target] or by_target[request.path]
    end)
    local words = { "run", "elasticsearch" }
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    for _, word in ipairs { "url=" .. server.url, "--max-attempts", "1", "--max-wait", "50s" } do words[#words + 1] = word end
    local done = workspace:bide(words)
    server:close()
    workspace:remove()
    return done
  end

  local recorded_rows = servers.elasticsearch
  local STRICT = "/_count?allow_no_indices=false&expand_wildcards=all&q=%2A"
  local PRIVILEGES = "/_security/user/_has_privileges"

  local function json(status, body)
    return { status = status, headers = { ["content-type"] = "application/json" }, body = body }
  end
  local nothing, missing = recorded_rows["no index pattern to count"], recorded_rows["no index to count"]
  local none, two = recorded_rows["no documents"], recorded_rows["two documents"]
  local closed = json(400, '{"error":{"root_cause":[{"type":"index_closed_exception","reason":"closed"}],'
    .. '"type":"index_closed_exception","reason":"closed"},"status":400}')
  ---Returns the recorded answer for an index of another name.
  local function missing_of(name)
    return { status = missing.status, headers = missing.headers, body = (missing.body:gsub("orders", name)) }
  end
  local function may(all) return json(200, ('{"username":"app","has_all_requested":%s,"cluster":{},"index":{}}'):format(all)) end
  local no_security = json(400, '{"error":"no handler found for uri [/_security/user/_has_privileges] and method [POST]"}')
  local basic = json(500, '{"error":{"root_cause":[],"type":"exception","reason":"Security must be explicitly enabled when '
    .. 'using a [basic] license."},"status":500}')

  ---The words, what answers to the pattern without its closed indices and with them, what says which privileges the user
  ---has, and the exit code. 4 is that of a wait that would go on.
  local patterns = {
    { "IndexGone index=logs-*", nothing, missing, may(true), 0 },
    { "IndexGone index=logs-*", nothing, missing, no_security, 0 },
    { "IndexGone index=logs-*", nothing, missing, basic, 0 },
    { "IndexGone index=logs-*", nothing, missing, may(false), 1 }, -- not permitted
    { "IndexGone index=logs-* unseen=true", nothing, missing, may(false), 0 },
    { "IndexGone index=logs-*", nothing, missing, refused(401, "missing"), 1 },
    { "IndexGone index=logs-*", nothing, missing, json(200, "{}"), 3 },
    { "IndexGone index=logs-*", nothing, missing, json(502, "<html>"), 4 },
    { "IndexGone index=logs-*", nothing, closed, may(true), 4 },
    { "IndexGone index=logs-*", nothing, none, may(true), 4 }, -- hidden
    { "IndexGone index=logs-*", nothing, nothing, may(true), 4 }, -- a server that does not know the parameters
    { "IndexGone index=_all", nothing, none, may(true), 4 },
    { "DocumentsGone index=logs-*", none, none, may(true), 0 },
    { "DocumentsGone index=logs-*", none, none, may(false), 1 },
    { "DocumentsGone index=logs-*", none, closed, may(true), 4 },
    { "DocumentsGone index=logs-*", none, two, may(true), 4 }, -- hidden
    { "DocumentsGone index=logs-*", nothing, missing, may(true), 4 },
    { "DocumentsGone index=logs-* missing=true", nothing, missing, may(true), 0 },
    { "DocumentsFound index=logs-*", two, closed, may(false), 0 },
  }

  for _, row in ipairs(patterns) do
    local line, open, all, privileges, code = table.unpack(row)
    local index = line:match "index=(%S+)"

    it(("ends %s with %d, by closer answers"):format(line, code), function()
      local path = "/" .. index:gsub("*", "%%2A")
      local done = run_by_path(line, { [PRIVILEGES] = privileges, ["/" .. index .. STRICT] = all, [path .. STRICT] = all,
        ["/" .. index .. "/_count"] = open, [path .. "/_count"] = open })
      assert.equal(code, done.code, done.stdout .. done.stderr)
    end)
  end

  it("asks for each of several names", function()
    local function run_for(line, a, b)
      return run_by_path(line, { ["/a,b/_count"] = missing, ["/a/_count"] = a, ["/b/_count"] = b, [PRIVILEGES] = may(true) }).code
    end
    assert.equal(4, run_for("IndexGone index=a,b", missing_of "a", none))
    assert.equal(4, run_for("IndexGone index=a,b", none, missing_of "b"))
    assert.equal(0, run_for("IndexGone index=a,b", missing_of "a", missing_of "b"))
    assert.equal(3, run_for("IndexGone index=a,b", missing_of "a", missing))
    assert.equal(4, run_for("DocumentsGone index=a,b", missing_of "a", two))
    assert.equal(0, run_for("DocumentsGone index=a,b", missing_of "a", none))
    assert.equal(1, run_for("IndexGone index=a,b", missing_of "a", refused(403, "no")))
    local done = run_by_path("IndexGone index=a*,-ab", { ["/a*,-ab/_count"] = nothing, ["/a*/_count"] = missing })
    done:writes(3, "InvalidInput: index: expected names and patterns, found -ab")
  end)

  it("waits for a closed index", function()
    for _, waiter in ipairs { "IndexGone", "DocumentsGone", "DocumentsFound" } do
      assert.equal(4, run_by_path(waiter .. " index=a", { ["/a/_count"] = closed }).code)
    end
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
