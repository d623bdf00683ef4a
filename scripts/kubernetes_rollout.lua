---Waits until a Kubernetes Deployment is rolled out, by the rules of `kubectl rollout status`; also one that
---does not exist yet.
---The API server says when it changes, and it is looked at then. An API server may be far, and serves the whole cluster:
---the delays are 2 s to 10 s. While changes are reported, they are 2 m.
---
---    bide run kubernetes_rollout web -n shop --context staging --max-wait 10m
---    bide run kubernetes_rollout web server=https://10.0.0.1:6443 token_file=token ca=ca.crt --max-wait 10m
---
---Without a server, the cluster is that of the kubeconfig, or of the pod. `bide kubernetes` does the same and more.

local acceptor = require "bide.acceptor"
local kubernetes = require "bide.kubernetes"

local watched = kubernetes.watch_get "deployment"

---The rest of the status counts only once the controller has seen the newest specification, and not while the Deployment
---is being deleted. Without a number, one replica is wanted.
local current = "!(metadata.deletionTimestamp) && metadata.generation <= status.observedGeneration && "
local progress = "status.conditions[?type == 'Progressing']"
local rolled_out = current .. "(status.updatedReplicas || `0`) >= not_null(spec.replicas, `1`)"
  .. " && (status.replicas || `0`) == (status.updatedReplicas || `0`)"
  .. " && (status.availableReplicas || `0`) >= (status.updatedReplicas || `0`)"
local stuck = current .. "contains(" .. progress .. ".reason || `[]`, 'ProgressDeadlineExceeded')"

return {
  GetDeployment = {
    prepare = kubernetes.prepare_get("apis/apps/v1", "deployments"),
    watch = watched.watch,
    watch_key = watched.watch_key,
    watch_name = watched.watch_name,
    fact = "'the Deployment is rolled out'",
    input = kubernetes.inputs,
    waitable = {
      RolledOut = {
        documentation = "Waits until a Deployment is rolled out.",
        countsAsReady = "the API gives the Deployment itself, which is not being deleted; its controller has seen the newest "
          .. "specification, and all replicas are updated and available",
        minDelay = 2, maxDelay = 10,
        acceptors = {
          acceptor.output("failure", stuck, nil, progress .. ".message"),
          acceptor.output("success", rolled_out),
          acceptor.error("retry", "NotFound"),
          acceptor.transient "NotCurrent",
        },
      },
    },
  },
}
