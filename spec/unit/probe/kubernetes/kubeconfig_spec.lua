local Directory = require "spec.support.directory"
local kubeconfig = require "bide.probe.kubernetes.kubeconfig"

local PEM = "LS0tLS1CRUdJTiBYLS0tLS0K" -- "-----BEGIN X-----"

describe("a kubeconfig", function()
  local directory = Directory.of_each()

  local function connection(text, context)
    directory:write("config", text)
    return kubeconfig.connection { kubeconfig = directory.path .. "/config", context = context }
  end

  local whole = [[
current-context: a
clusters: [{name: c, cluster: {server: "https://h:1", certificate-authority: ca.pem, proxy-url: "http://p:2"}}]
contexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]
users: [{name: u, user: {client-certificate-data: %s, client-key: /abs/key, as: other}}]
]]

  it("resolves paths beside its file, and decodes what it holds", function()
    local found = assert(connection(whole:format(PEM)))
    assert.same({ server = "https://h:1", namespace = "n", ca = directory.path .. "/ca.pem", proxy = "http://p:2",
      certificate = "-----BEGIN X-----\n", key = "/abs/key", as = "other" }, found)
  end)

  it("is nothing without a file, unless a context is wanted", function()
    local home = os.getenv "HOME"
    if os.getenv "KUBECONFIG" or io.open(home .. "/.kube/config") then return end
    assert.is_nil((kubeconfig.connection {}))
    assert.is_nil(select(2, kubeconfig.connection {}))
    assert.matches("context=x: there is no kubeconfig", select(2, kubeconfig.connection { context = "x" }), 1, true)
  end)

  local wrong = {
    ["current-context: expected a name, found 5"] = "current-context: 5",
    ["clusters: expected a list, found 5"] = "clusters: 5",
    ["users[0]: expected an entry with a name"] = "users: [5]",
    ["contexts[0].context: expected a table, found 5"] = "contexts: [{name: a, context: 5}]",
    ["expected a kubeconfig, found \"text\""] = "text",
    ["there is no current-context; give for example context=b"] = "contexts: [{name: b}]",
    ['no context is called "z"'] = "current-context: z",
    ["the context a has no cluster"] = "current-context: a\ncontexts: [{name: a}]",
    ['no cluster is called "prud", did you mean "prod"?'] = "current-context: a\n"
      .. "contexts: [{name: a, context: {cluster: prud}}]\nclusters: [{name: prod}]",
    ["the cluster has no server"] = "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c}]",
    ["client-certificate-data: expected PEM in Base64"] = whole:format "aGk=",
    ["server: expected a string, found a list"] = whole:format(PEM):gsub('"https://h:1"', "[1]"),
    ["auth-provider: Kubernetes 1.26 removed it"] = whole:format(PEM):gsub("as: other", "auth-provider: {name: gcp}"),
    ["line 2, column 1"] = "a: [",
  }
  for message, text in pairs(wrong) do
    it(("is refused: %s"):format(message), function()
      local found, mistake = connection(text)
      assert.is_nil(found)
      assert.matches(message, mistake, 1, true)
    end)
  end
end)
