---Waits until a Job of Kubernetes is Complete, or has Failed.
---
---    bide run kubernetes_job name=migration namespace=shop --max-wait 30m
---    bide run kubernetes_job name=migration server=https://10.0.0.1:6443 token_file=token ca=ca.crt --max-wait 30m
---
---Without a server, the cluster of the pod that it runs in, by its service account. Further inputs: account=FOLDER of a
---service account, certificate and key of a client, timeout=10, in seconds for one attempt.

local acceptor, kubernetes = require "bide.acceptor", require "bide.kubernetes"
local check = require "bide.input"(kubernetes.inputs)

local function get_job(input)
  check(input)
  return kubernetes.get("apis/batch/v1", "jobs", input)
end

local function is(condition)
  return ("contains(status.conditions[?status == 'True'].type || `[]`, '%s')"):format(condition)
end

return { GetJob = { call = get_job, waitable = {
  JobComplete = { documentation = "Waits until a Job is complete.", minDelay = 1, maxDelay = 10, acceptors = {
    acceptor.output("failure", is "Failed", nil, "status.conditions[?type == 'Failed'].message"),
    acceptor.output("success", is "Complete"), acceptor.passing(),
  } },
} } }
