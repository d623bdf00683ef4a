---Waits until objects of Kubernetes are ready: a Deployment is rolled out, a Job complete, a Pod Ready … Or, with
---condition, until they have one; with for=deletion, until they are gone. Any kind of the cluster will do.
---The API server says when an object changes, and it is looked at then. An API server may be far, and serves the whole
---cluster: the delays are 2 s to 10 s. While changes are reported, they are 2 m.
---
---    bide run kubernetes deployment/web --max-wait 10m
---    bide run kubernetes deployment/web condition=Available --context staging --max-wait 10m
---    bide run kubernetes pod -l app=web condition=Ready --max-wait 5m
---    bide run kubernetes job/migrate --max-wait 30m
---    bide run kubernetes pod/web-0 pod/web-1 --max-wait 5m
---    bide run kubernetes pod/web-0 for=deletion --max-wait 5m
---
---An object that does not exist yet is waited for; its kind too, with for=creation or a condition.
---A Job that has failed, and pods of the newest revision that will not become ready, are failures: an image that cannot be
---pulled, a crash loop, no node, a quota. An object that is being deleted is not ready. The cluster is that of the
---kubeconfig, or of the pod.

local acceptor = require "bide.acceptor"
local kubernetes = require "bide.kubernetes"

return {
  Look = {
    prepare = kubernetes.prepare_inspect,
    watch = kubernetes.watch,
    watch_key = kubernetes.watch_key,
    watch_name = kubernetes.watch_name,
    input = kubernetes.object_inputs,
    waitable = {
      ObjectReady = {
        documentation = "Waits until objects are ready, have a condition, or are gone.",
        countsAsReady = "the API gives the object itself, of that kind and group and not being deleted, and its status says "
          .. "so of the newest specification; with for=deletion, a Status that says NotFound of that name, or a list "
          .. "without items",
        minDelay = 2, maxDelay = 10,
        acceptors = {
          acceptor.output("failure", "wait.state", "failed", "wait.reason"),
          acceptor.output("success", "wait.state", "done"),
          acceptor.error("retry", "NotFound"),
          acceptor.transient "NotCurrent",
        },
      },
    },
  },
}
