---What services answer to the second question, by which recipes know them before a success counts: for a recipe, the answer to
---a request, or nothing if the request is another one.

local json = require("bide").json

local REVISION = { error = "etcdserver: mvcc: required revision is a future revision", code = 11 }

local UNKNOWN = { status = 400, error = { type = "illegal_argument_exception",
  reason = "request [/orders/_count] contains unrecognized parameter: [bide_witness]" } }

local NO_QUEUES = { items = json.array {}, page = 1, total_count = 1, filtered_count = 0 }

local ONE = { status = "success",
  data = { resultType = "vector", result = { { metric = { a = "b" }, value = { 1, "1" } } } } }

local ROW = { meta = { { name = "1", type = "UInt8" } }, data = { { ["1"] = 1 } }, rows = 1 }

local SEAL = { type = "shamir", initialized = true, sealed = true, t = 3, n = 5, progress = 0 }

local function answer(value, status)
  return { status = status or 200, body = json.encode(value), headers = { ["Content-Type"] = "application/json" } }
end

---@type table<string, fun(request: table): table?>
return {
  etcd = function(request)
    if request.target == "/version" then return answer { etcdserver = "3.5.1", etcdcluster = "3.5.0" } end
    return request.body:find "revision" and answer(REVISION, 400) or nil
  end,
  elasticsearch = function(request) return request.target:find "bide_witness" and answer(UNKNOWN, 400) or nil end,
  rabbitmq = function(request)
    return request.target:find "^/api/queues" and not request.target:find("jobs", 1, true) and answer(NO_QUEUES) or nil
  end,
  prometheus = function(request) return request.target:find "vector" and answer(ONE) or nil end,
  clickhouse = function(request) return request.target:find "SELECT%%201" and answer(ROW) or nil end,
  vault = function(request) return request.target:find("seal-status", 1, true) and answer(SEAL) or nil end,
}
