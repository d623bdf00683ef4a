---Any 404, and any JSON object, met a wait for the deletion of an object; any JSON met other goals. A list without `items`
---was an empty one, and elements without names were not counted. A part of an answer was the whole of it.

local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

local JSON, HTML = "application/json", "text/html"

---@return table answer
local function say(status, body, media_type)
  return { status = status, body = body, headers = { ["Content-Type"] = media_type or JSON } }
end

local function status_of(name, plural, reason)
  return say(404, json.encode { kind = "Status", apiVersion = "v1", status = "Failure", code = 404,
    reason = reason or "NotFound", message = "not found", details = { name = name, kind = plural } })
end

local function object_of(kind, name, more)
  return say(200, ('{"kind":"%s","metadata":{"name":"%s","generation":1}%s}'):format(kind, name, more or ""))
end

---A Pod, as the API says it of a namespace.
local function of_namespace(namespace)
  return say(200, ('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"%s"}}'):format(namespace))
end

---A Deployment with two updated pods, and numbers that may be wrong.
---@param numbers { generation: any, wanted: any, replicas: any }
local function deployment(numbers)
  return say(200, ([[{"kind":"Deployment","metadata":{"name":"x","generation":%s},"spec":{"replicas":%s},"status":
    {"observedGeneration":2,"replicas":%s,"updatedReplicas":2,"availableReplicas":2}}]]):format(numbers.generation,
    numbers.wanted, numbers.replicas))
end

local deletion, creation = "for=deletion", "for=creation"

local ready = ',"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}'

---What another program may answer to any request, and whether it may be an answer that passes.
local foreign = {
  say(200, '{"status":"ok"}'), say(200, '{"kind":"Deployment2","metadata":{"name":"x"}}'), say(200, "<html>", HTML), say(200, ""),
  say(200, "[]"), say(200, "null"), say(200, '"x"'), say(200, '{"items":[]}'), say(200, '{"kind":"List","items":[]}'),
  say(200, '{"kind":"Status","status":"Success","metadata":{"name":"x"}}'), say(200, '{"kind":{"a":1},"items":[]}'),
  say(404, "<html>nginx</html>", HTML), say(404, ""), say(404, "404 page not found\n", "text/plain"),
  say(404, '{"message":"Not Found"}'), say(404, '{"kind":"Error","reason":"NotFound","details":{"name":"x"}}'),
  say(410, ""), say(204, ""), say(301, ""), say(401, "", HTML), say(403, "<html>"), say(500, "{}"), say(502, "<html>", HTML),
}

local questions = {
  { "pod/x", deletion }, { "pod/x", creation }, { "pod/x" }, { "pod/x", "condition=Ready" }, { "service/x" },
  { "configmap/x" }, { "pod", "-l", "app=x", deletion }, { "pod", "all=true" }, { "things/x", deletion },
  { "things", "all=true", deletion },
}

---The words, the answer, the exit code, a part of the sentence.
local rows = {
  { { "pod/x", deletion }, status_of("x", "pods"), 0, '"done"' },
  { { "pod/x", deletion }, status_of("y", "pods"), 3, "found a Status that says" },
  { { "pod/x", deletion }, status_of("x", "namespaces"), 3, "found a Status that says" },
  { { "pod/x", deletion }, status_of("x", "pods", "Expired"), 3, "found a Status that says" },
  { { "pod/x", deletion }, say(404, '{"kind":"Status","reason":"NotFound","details":{}}'), 3, "found a Status that says" },
  { { "pod/x", deletion }, say(200, status_of("x", "pods").body), 124, 'expected Pod "x", found a Status that says' },
  { { "pod/x", deletion }, object_of("Pod", "x"), 124, "it exists" },
  { { "pod/x", deletion }, say(404, "<html>nginx</html>", HTML), 3,
    'InvalidResponse (404): this is no answer of Kubernetes: expected Pod "x", found text/html without JSON' },
  { { "pod/x", creation }, status_of("x", "pods"), 124, "it does not exist" },
  { { "pod/x", creation }, object_of("Pod", "y"), 124, 'expected Pod "x", found Pod "y"' },
  { { "pod/x", creation }, object_of("PodList", "x"), 124, 'expected Pod "x", found PodList "x"' },
  { { "pod/x", creation }, object_of("Pod", "x"), 0, '"done"' },
  { { "pod/x", creation }, say(206, object_of("Pod", "x").body), 124, 'expected Pod "x", found a part of an answer (206)' },
  { { "pod", "all=true", deletion }, say(206, '{"kind":"PodList","items":[]}'), 124, "found a part of an answer (206)" },
  { { "service/x" }, say(200, '{"kind":"Service","apiVersion":"serving.knative.dev/v1","metadata":{"name":"x"}}'), 124,
    'found Service of serving.knative.dev/v1 "x"' },
  { { "service/x" }, object_of("Service", "x", ',"spec":{"type":"ClusterIP"}'), 0, '"done"' },
  { { "service/x" }, object_of("Service", "x"), 124, "its type is not known" },
  { { "service/x" }, object_of("Service", "x", ',"spec":{"type":"loadbalancer"}'), 124, "its type is not known" },
  { { "pod/x", deletion }, say(404, (status_of("x", "pods").body:gsub("Failure", "Success"))), 3, "found a Status" },
  { { "pod/x", creation }, of_namespace("other"), 124, 'found Pod of v1 "x" in the namespace "other"' },
  { { "pod/x", creation }, of_namespace("n"), 0, '"done"' },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","metadata":{"remainingItemCount":2},"items":[]}'), 124,
    "expected a complete PodList" },
  { { "pod", "-l", "a=b" }, say(200, '{"kind":"PodList","items":[{"metadata":{"name":"a","namespace":"b"}' .. ready .. "}]}"),
    124, "expected a complete PodList" },
  { { "pod/x" }, object_of("Pod", "x", ready), 0, '"done"' },
  { { "pod/x" }, object_of("Pod", "x", (ready:gsub("Running", "Unknown"))), 124, "the phase is Unknown" },
  { { "pod/x" }, object_of("Pod", "x", (ready:gsub("Running", "Failed"))), 1, "the pod has failed" },
  { { "pod/x", "condition=Ready" }, object_of("Pod", "x", (ready:gsub("Running", "Failed"))), 1, "the pod has failed" },
  { { "deployment/x" }, deployment { generation = 1, wanted = 2, replicas = 2 }, 0, '"done"' },
  { { "deployment/x" }, deployment { generation = 1.5, wanted = 2, replicas = 2 }, 124, "newest specification" },
  { { "deployment/x" }, deployment { generation = 1, wanted = '"3"', replicas = 2 }, 124, "2 of 9223372036854775807" },
  { { "deployment/x" }, deployment { generation = 1, wanted = 2.5, replicas = 2 }, 124, "2 of 9223372036854775807" },
  { { "deployment/x" }, deployment { generation = 1, wanted = 2, replicas = "null" }, 124, "2 of 0 replicas are updated" },
  { { "kubernetes_rollout" }, deployment { generation = 1, wanted = 2, replicas = 2 }, 0, "succeeded" },
  { { "kubernetes_rollout" }, deployment { generation = 1, wanted = 2, replicas = 1 }, 124, "last seen" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","items":[]}'), 0, '"done"' },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","items":null}'), 124, "expected a complete PodList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList"}'), 124, "expected a complete PodList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","items":{}}'), 124, "expected a complete PodList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"ServiceList","items":[]}'), 124, "found ServiceList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","items":[{"metadata":{}}]}'), 124, "expected a complete" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","items":[5]}'), 124, "expected a complete PodList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","metadata":{"continue":"abc"},"items":[]}'), 124,
    "expected a complete PodList" },
  { { "pod", "-l", "a=b", deletion }, say(200, '{"kind":"PodList","metadata":{"continue":""},"items":[]}'), 0, '"done"' },
  { { "pod", "-l", "a=b" }, say(200, '{"kind":"PodList","items":[{"metadata":{"name":"a"}' .. ready .. '},{"metadata":{}}]}'),
    124, "expected a complete PodList" },
  { { "pod", "-l", "a=b" }, say(200, '{"kind":"PodList","items":[{"kind":"Node","metadata":{"name":"a"}' .. ready .. "}]}"),
    124, "expected a complete PodList" },
  { { "pod", "-l", "a=b" }, say(200, '{"kind":"PodList","items":[{"metadata":{"name":"a","labels":{"a":"b"}}' .. ready .. "}]}"),
    0, '"done"' },
  { { "kubernetes_job" }, object_of("Deployment", "x", ',"status":{"conditions":[{"type":"Complete","status":"True"}]}'), 124,
    'expected Job "x", found Deployment "x"' },
  { { "kubernetes_job" }, say(200, '{"status":{"conditions":[{"type":"Complete","status":"True"}]}}'), 124,
    "JSON without a kind" },
  { { "kubernetes_job" }, object_of("Job", "x", ',"status":{"conditions":[{"type":"Complete","status":"True"}]}'), 0,
    "succeeded" },
  { { "kubernetes_job" }, say(200, '{"kind":"Job","metadata":{"name":"x","deletionTimestamp":"2026-01-01T00:00:00Z"},'
    .. '"status":{"conditions":[{"type":"Complete","status":"True"}]}}'), 124, "gave up" },
  { { "kubernetes_rollout" }, object_of("Deployment", "x", ',"spec":{"replicas":0},"status":{"observedGeneration":1}'), 0,
    "succeeded" },
  { { "kubernetes_rollout" }, object_of("Deployment", "x", ',"spec":{},"status":{"observedGeneration":1}'), 124, "gave up" },
  { { "kubernetes_rollout" }, say(200, '{"kind":"Deployment","metadata":{"name":"x","generation":1,"deletionTimestamp":"now"},'
    .. '"spec":{"replicas":0},"status":{"observedGeneration":1}}'), 124, "gave up" },
  { { "kubernetes_rollout" }, say(404, "{}"), 3, "InvalidResponse (404)" },
}

describe("an answer that Kubernetes does not give", function()
  local answer
  local server = Server.of_block(function() return answer end)

  local function run(words)
    local recipe = words[1]:find "^kubernetes" and words[1]
    local command = { process.bide, "run", recipe or "kubernetes", "server=" .. server.url, "namespace=n", "--max-wait",
      "1s", "--no-watch",
      "--quiet", recipe and "x" }
    for position = recipe and 2 or 1, #words do command[#command + 1] = words[position] end
    return process.run(command)
  end

  for number, row in ipairs(rows) do
    it(("decides as it should: %d, %s"):format(number, table.concat(row[1], " ")), function()
      answer = row[2]
      local done = run(row[1])
      assert.equal(row[3], done.code, done.stdout .. done.stderr)
      assert.matches(row[4], done.stdout .. done.stderr, 1, true)
    end)
  end

  for _, words in ipairs(questions) do
    it("is no yes for " .. table.concat(words, " "), function()
      for _, other in ipairs(foreign) do
        answer = other
        local done = run(words)
        assert.is_true(done.code == 124 or done.code == 3, ("%d %s: %d %s%s"):format(other.status, other.body, done.code,
          done.stdout, done.stderr))
      end
    end)
  end
end)
