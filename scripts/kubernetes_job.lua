---Waits until a Kubernetes Job is Complete, also one that does not exist yet. A Job that has Failed is a failure.
---The API server says when it changes, and it is looked at then. An API server may be far, and serves the whole cluster:
---the delays are 2 s to 10 s. While changes are reported, they are 2 m.
---
---    bide run kubernetes_job migration -n shop --context staging --max-wait 30m
---    bide run kubernetes_job migration server=https://10.0.0.1:6443 token_file=token ca=ca.crt --max-wait 30m
---
---Without a server, the cluster is that of the kubeconfig, or of the pod. `bide kubernetes` does the same and more.

local acceptor = require "bide.acceptor"
local kubernetes = require "bide.kubernetes"

local watched = kubernetes.watch_get "job"

---A Job that is being deleted neither completes nor fails; one of its name may come after it.
local function is(condition)
  return ("!(metadata.deletionTimestamp) && contains(status.conditions[?status == 'True'].type || `[]`, '%s')")
    :format(condition)
end

return {
  GetJob = {
    prepare = kubernetes.prepare_get("apis/batch/v1", "jobs"),
    watch = watched.watch,
    watch_key = watched.watch_key,
    watch_name = watched.watch_name,
    input = kubernetes.inputs,
    waitable = {
      JobComplete = {
        documentation = "Waits until a Job is complete.",
        countsAsReady = "the API gives the Job itself, which is not being deleted and has the condition Complete",
        minDelay = 2, maxDelay = 10,
        acceptors = {
          acceptor.output("failure", is "Failed", nil, "status.conditions[?type == 'Failed'].message"),
          acceptor.output("success", is "Complete"),
          acceptor.error("retry", "NotFound"),
          acceptor.transient "NotCurrent",
        },
      },
    },
  },
}
