---Waits until etcd is healthy. Or, with KeyExists, until a key exists; with KeyDeleted, until it does not.
---etcd says when a key changes, and it is asked for then. etcd is near, and a poll is cheap:
---the delays are 50 ms to 5 s, 5 % of the time waited. While changes are reported, they are 2 m.
---
---    bide run etcd localhost:2379 --max-wait 30s
---    bide run etcd KeyExists localhost:2379 /jobs/1 value=done failed=broken --max-wait 5m
---    bide run etcd KeyDeleted localhost:2379 /locks/deploy --max-wait 10m
---    bide run etcd https://etcd:2379 ca=ca.pem certificate=client.pem certificate_key=client.key --max-wait 1m

local acceptor = require "bide.acceptor"
local base64 = require "bide.base64"
local http = require "bide.http"
local json = require("bide").json
local service = require "bide.service"

local operation = service { http = "localhost:2379" }

---Returns etcd's answer to a GET; nil if there is none by that path.
local function get(input, path)
  local response = http.request(http.request_of(input, path))
  if response.ok or response.status == 404 then return response.ok and response or nil end
  error(response:operation_error())
end

---Another program may say that it is healthy, too. etcd has its version where its clients are, and its metrics where it has only
---those and its health.
local function is_etcd(context)
  local version = get(context.input, "/version")
  local metrics = not version and get(context.input, "/metrics")
  if version and http.find(version, "type(etcdserver) == 'string' && type(etcdcluster) == 'string'", "etcd") then return true end
  if metrics and ("\n" .. metrics.body):find("\netcd_server_has_leader 1\n", 1, true) then return true end
  error { type = "InvalidAnswer", message = "this is not etcd: it has no version, and no metrics" }
end

---Numbers are texts, and what is empty or 0 is left out.
local FOUND = "type(header.revision) == 'string' && type(not_null(kvs, `[]`)) == 'array' && {revision: header.revision, "
  .. "listed: length(not_null(kvs, `[]`)), count: count, key: kvs[0].key, value: not_null(kvs[0].value, '')}"

---The last revision there can be.
local LAST_REVISION = tostring(math.maxinteger)

---Returns a question about a key.
local function range_of(input, revision)
  local request = http.request_of(input, "/v3/kv/range")
  request.method, request.json = "POST", { key = base64.encode(input.key), revision = revision }
  return request
end

---In a revision that is to come there is no key, and etcd says why; up to 3.5 as `error`, too.
local function knows_revisions(context)
  local response = http.request(range_of(context.input, LAST_REVISION))
  local answer = response.status == 400 and response:document() and response:json()
  local words = type(answer) == "table" and (answer.message or answer.error)
  if tostring(words):find("future revision", 1, true) then return true end
  error { type = "InvalidAnswer", message = "this is not etcd: it has answered about a revision that is to come" }
end

---A key whose name says secret keeps its value to itself.
local function prepare_key(input)
  local request = range_of(input)
  local get_range = http.prepare(request)
  return function()
    local found = http.find(get_range(), FOUND, "etcd")
    local has_count = found.count == json.null or found.count == tostring(found.listed)
    if not has_count or found.listed > 1 or not found.revision:find "^[1-9]%d*$" then
      error { type = "InvalidAnswer", message = "this is not etcd's answer about one key" }
    end
    if found.listed == 0 then
      error { type = "KeyNotFound", message = "there is no key " .. input.key }
    end
    local value = found.key == request.json.key and type(found.value) == "string" and base64.decode(found.value)
      or error { type = "InvalidAnswer", message = "this is not etcd's answer about that key" }
    local output = { [input.key] = value }
    local problem = value == input.failed and "KeyFailed" or value ~= (input.value or value) and "UnexpectedValue"
    return problem and error { type = problem, message = json.encode(output, { redact = true }) } or output
  end
end

-- ---- changes of a key ---------------------------------------------------------------------------

local LIFE = 25 -- seconds of one request for changes; that the next one is answered is the sign that etcd is there
local LINE = 4 * 1024 * 1024 -- bytes of one answer

---Returns the revision that follows an answer to a watch.
---@return string
local function following(answer)
  local result = type(answer.result) == "table" and answer.result or {}
  if result.canceled then error({ type = "WatchFailed", message = tostring(result.cancel_reason) }, 0) end
  local revision = type(result.header) == "table" and math.tointeger(tonumber(result.header.revision))
  if not revision then error({ type = "InvalidResponse", message = "this is no watch of etcd" }, 0) end
  return tostring(revision + 1)
end

---Hears the changes of a key, until the time of the request is over.
---@param creation table of the watch; gets the revision to continue from
---@param begun fun()
local function hear(request, creation, wake, begun)
  request.json = { create_request = creation }
  local stream <close> = http.stream(request)
  for answer in stream:events(LINE) do
    creation.start_revision = following(answer)
    begun()
    wake.healthy()
    if answer.result.events then wake() end
  end
  error({ type = "WatchFailed", message = "the server ended the watch" }, 0)
end

local function watch(input, wake)
  local request = http.request_of(input, "/v3/watch")
  request.method, request.timeout, request.connect_timeout = "POST", LIFE, input.timeout
  local creation = { key = base64.encode(input.key) }
  while true do
    local has_begun = false
    local _, failure = pcall(hear, request, creation, wake, function() has_begun = true end)
    if not has_begun or type(failure) ~= "table" or failure.type ~= "RequestTimeout" then error(failure, 0) end
  end
end

return {
  GetHealth = operation {
    prepare = function(input) return http.prepare(http.request_of(input, "/health")) end,
    witness = is_etcd,
    inputs = { key = false },
    default = "EtcdHealthy",
    waitable = {
      EtcdHealthy = {
        documentation = "Waits until etcd is healthy.",
        countsAsReady = '/health answers {"health":"true"}, for which etcd asks the cluster, and /version names etcd; of the '
          .. "address of the metrics, /metrics has etcd_server_has_leader 1",
        acceptors = { acceptor.output("success", "health", "true") },
      },
    },
  },
  GetKey = operation {
    prepare = prepare_key,
    witness = knows_revisions,
    fact = "'the key is there'",
    watch = watch,
    inputs = {
      key = {
        type = "string", required = true, positional = 2, example = "/jobs/1", documentation = "The key.",
        pattern = "^[^*]*$", expected = "the name of one key, which is no pattern",
      },
      value = { type = "string", asks = true, documentation = "The value to wait for. Default: any." },
      failed = { type = "string", documentation = "A value that means failure." },
    },
    waitable = {
      KeyExists = {
        documentation = "Waits until a key exists.",
        countsAsReady = "the answer to a range over the key has it, with the value that is asked for; one in a revision that is "
          .. "to come is refused",
        opposite = "KeyDeleted",
        acceptors = {
          acceptor.success(),
          acceptor.error("failure", "KeyFailed"),
          acceptor.error("retry", "KeyNotFound"),
          acceptor.error("retry", "UnexpectedValue"),
        },
      },
      KeyDeleted = {
        documentation = "Waits until a key is gone.",
        countsAsGone = "the answer to a range over the key has a revision of the cluster, and no key; one in a revision that "
          .. "is to come is refused",
        acceptors = {
          acceptor.error("success", "KeyNotFound"),
          acceptor.success "retry",
          acceptor.error("retry", "KeyFailed"),
          acceptor.error("retry", "UnexpectedValue"),
        },
      },
    },
  },
}
