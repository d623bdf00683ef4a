---What the waiters of the bundled recipes make of answers, by what their operations return. The last member of a row is the
---input of the wait, if it counts. "unmatchedOutput" is an answer that no acceptor matches, after which the wait continues.

local running = { State = { Status = "running", Running = true, Restarting = false } }
local exited = { State = { Status = "exited", Running = false, Restarting = false, ExitCode = 1 } }
local done = { State = { Status = "exited", Running = false, Restarting = false, ExitCode = 0 } }
local function health(status)
  return { State = { Status = "running", Running = true, Restarting = false, Health = { Status = status } } }
end

local function conditions(...)
  return { metadata = { generation = 1 }, status = { observedGeneration = 1, conditions = { ... } } }
end

---An object that has conditions and is being deleted.
local function deleted(...)
  local object = conditions(...)
  object.metadata.deletionTimestamp = "2026-11-28T00:00:00Z"
  return object
end

local no_health = { State = { Status = "running", Running = true, Restarting = false, Health = { Status = "none" } } }
local node = { running = true, mem_alarm = false, disk_free_alarm = false, partitions = {}, being_drained = false }

---@type table<string, { [1]: string, [2]: any, [3]: table? }[]>
return {
  ["clickhouse RowFound"] = { { "success", { data = { { 1 } } } }, { "unmatchedOutput", { data = {} } } },
  ["clickhouse RowGone"] = { { "success", { data = {} } }, { "unmatchedOutput", { data = { { 1 } } } } },
  ["commit_checks ChecksPassed"] = { { "success", { state = "passed" } }, { "failure", { state = "failed", failed = { "a" } } },
    { "unmatchedOutput", { state = "pending" } } },
  ["compose ProjectGone"] = { { "success", { left = "none" } }, { "unmatchedOutput", { left = "web" } } },
  ["compose ProjectReady"] = { { "success", { state = "ready" } }, { "failure", { state = "failed" } },
    { "unmatchedOutput", { state = "starting" } } },
  ["connections ConnectionsDrained"] = { { "success", { drained = true } }, { "unmatchedOutput", { drained = false } } },
  ["consul ConsulReady"] = { { "success", "127.0.0.1:8300" }, { "unmatchedOutput", "" } },
  ["consul ServiceGone"] = { { "success", {} }, { "unmatchedOutput", { { ID = "web" } } } },
  ["consul ServicePassing"] = { { "success", { { ID = "web" } }, { count = 1 } },
    { "unmatchedOutput", { { ID = "web" } }, { count = 2 } } },
  ["docker ContainerExited"] = { { "success", done }, { "failure", exited }, { "unmatchedOutput", running } },
  ["docker ContainerHealthy"] = { { "success", health "healthy" }, { "failure", health "unhealthy" }, { "failure", exited },
    { "failure", no_health }, { "unmatchedOutput", health "starting" } },
  ["docker ContainerRunning"] = { { "success", running }, { "failure", exited } },
  ["elasticsearch DocumentsFound"] = { { "success", { state = "found" } }, { "unmatchedOutput", { state = "none" } } },
  ["elasticsearch DocumentsGone"] = { { "success", { complete = true, count = 0, exists = true } },
    { "unmatchedOutput", { complete = true, count = 0, exists = false } },
    { "success", { complete = true, count = 0, exists = false }, { missing = true } } },
  ["elasticsearch ElasticsearchHealthy"] = { { "success", { state = "ready" } }, { "unmatchedOutput", { state = "red" } } },
  ["elasticsearch IndexGone"] = { { "success", { exists = false } }, { "unmatchedOutput", { exists = true } } },
  ["etcd EtcdHealthy"] = { { "success", { health = "true" } }, { "unmatchedOutput", { health = "false" } } },
  ["file FilesCounted"] = { { "success", { enough = true } }, { "unmatchedOutput", { enough = false } } },
  ["file FilesGone"] = { { "success", { gone = true } }, { "unmatchedOutput", { gone = false } } },
  ["grpc GrpcServing"] = { { "success", { status = "SERVING" } }, { "unmatchedOutput", { status = "NOT_SERVING" } } },
  ["influxdb InfluxdbHealthy"] = { { "success", { status = "pass" } }, { "unmatchedOutput", { status = "fail" } } },
  ["kafka KafkaReady"] = { { "success", { ready = true } }, { "unmatchedOutput", { ready = false } } },
  ["kafka TopicGone"] = { { "success", { gone = true } }, { "unmatchedOutput", { gone = false } } },
  ["kafka TopicReady"] = { { "success", { ready = true } }, { "unmatchedOutput", { ready = false } } },
  ["kubernetes ObjectReady"] = { { "success", { wait = { state = "done" } } }, { "failure", { wait = { state = "failed" } } },
    { "unmatchedOutput", { wait = { state = "not ready" } } } },
  ["kubernetes_job JobComplete"] = { { "success", conditions { type = "Complete", status = "True" } },
    { "failure", conditions { type = "Failed", status = "True" } },
    { "unmatchedOutput", conditions { type = "Complete", status = "False" } },
    { "unmatchedOutput", deleted { type = "Complete", status = "True" } },
    { "unmatchedOutput", deleted { type = "Failed", status = "True" } } },
  ["kubernetes_rollout RolledOut"] = {
    { "success", { metadata = { generation = 1 }, spec = { replicas = 1 },
      status = { observedGeneration = 1, replicas = 1, updatedReplicas = 1, availableReplicas = 1 } } },
    { "failure", conditions { type = "Progressing", reason = "ProgressDeadlineExceeded" } },
    { "unmatchedOutput", conditions { type = "Progressing", reason = "ReplicaSetUpdated" } },
    { "unmatchedOutput", deleted { type = "Progressing", reason = "ProgressDeadlineExceeded" } } },
  ["ldap EntryExists"] = { { "success", { entry = { dn = "dc=a" } } }, { "retry", {} } },
  ["ldap EntryGone"] = { { "retry", { entry = { dn = "dc=a" } } }, { "retry", {} } },
  ["ldap LdapReady"] = { { "success", { entry = { dn = "" } } }, { "retry", {} } },
  ["mongodb MongodbReady"] = { { "success", { state = "standalone" } }, { "success", { state = "primary" } },
    { "success", { state = "secondary" } }, { "success", { state = "router" } }, { "unmatchedOutput", { state = "other" } } },
  ["mongodb PrimaryElected"] = { { "success", { state = "primary" } }, { "success", { state = "secondary", primary = "a:1" } },
    { "failure", { state = "standalone" } }, { "failure", { state = "router" } },
    { "unmatchedOutput", { state = "secondary" } } },
  ["mysql RowFound"] = { { "success", { rows = 1 } }, { "unmatchedOutput", { rows = 0 } } },
  ["mysql RowGone"] = { { "success", { rows = 0 } }, { "unmatchedOutput", { rows = 1 } } },
  ["nginx RequestsDrained"] = { { "success", { drained = true } }, { "unmatchedOutput", { drained = false } } },
  ["postgres RowFound"] = { { "success", { rows = 1 } }, { "unmatchedOutput", { rows = 0 } } },
  ["postgres RowGone"] = { { "success", { rows = 0 } }, { "unmatchedOutput", { rows = 1 } } },
  ["prometheus ResultEmpty"] = { { "success", { failed = {}, result = {} } }, { "failure", { failed = { 1 }, result = {} } },
    { "unmatchedOutput", { failed = {}, result = {}, unproven = true } },
    { "unmatchedOutput", { failed = {}, result = { 1 } } } },
  ["prometheus ResultFound"] = { { "success", { failed = {}, result = { 1 } } },
    { "failure", { failed = { 1 }, result = {} } },
    { "unmatchedOutput", { failed = {}, result = {} } } },
  ["rabbitmq ClusterHealthy"] = { { "success", { nodes = { node } }, { nodes = 1 } },
    { "unmatchedOutput", { nodes = { node } }, { nodes = 2 } } },
  ["rabbitmq QueueDrained"] = { { "success", { messages = 0, state = "running" } }, { "failure", { state = "crashed" } },
    { "unmatchedOutput", { messages = 1, state = "running" } } },
  ["redis ReplicaLinked"] = { { "success", { role = "slave", link = "up" } }, { "failure", { role = "master" } },
    { "unmatchedOutput", { role = "slave", link = "down" } } },
  ["redis_sentinel MasterReady"] = { { "success", { flags = "master", role = "master" } },
    { "unmatchedOutput", { flags = "master", role = "slave" } } },
  ["systemd UnitActive"] = { { "success", { LoadState = "loaded", ActiveState = "active" } },
    { "failure", { LoadState = "not-found" } }, { "failure", { ActiveState = "failed" } },
    { "unmatchedOutput", { ActiveState = "activating" } } },
  ["systemd UnitFinished"] = { { "success", { LoadState = "loaded", finished = true } },
    { "failure", { LoadState = "not-found" } }, { "failure", { ActiveState = "failed" } },
    { "unmatchedOutput", { finished = false } } },
  ["systemd UnitInactive"] = { { "success", { LoadState = "loaded", ActiveState = "inactive" } },
    { "failure", { LoadState = "not-found" } }, { "failure", { ActiveState = "failed" } },
    { "unmatchedOutput", { ActiveState = "deactivating" } } },
  ["vault VaultActive"] = { { "success", { active = true } }, { "failure", { removed = true } },
    { "unmatchedOutput", { active = false } } },
  ["vault VaultReady"] = { { "success", { ready = true } }, { "failure", { removed = true } },
    { "unmatchedOutput", { ready = false } } },
  ["vault VaultSealed"] = { { "success", { initialized = true, sealed = true } },
    { "failure", { initialized = true, sealed = true, removed = true } },
    { "unmatchedOutput", { initialized = true, sealed = false } } },
  ["vault VaultUnsealed"] = { { "success", { initialized = true, sealed = false } }, { "failure", { removed = true } },
    { "unmatchedOutput", { initialized = false, sealed = false } } },
}
