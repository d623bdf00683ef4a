---An unset variable asked Kubernetes for all objects, whose answer was taken for the object: `service ""` was ready, and
---`pod -l "" condition=Ready` waited for every pod. A name that cannot be was gone at once.

local Server = require "spec.support.server"
local process = require "spec.support.process"

---Words, and a part of the message.
local rows = {
  { { "service", "" }, "name" },
  { { "service", "  " }, "name" },
  { { "pod", "name=", "for=creation" }, "name" },
  { { "pod", "name:=\"\"", "for=creation" }, "name: expected a name of lower-case letters" },
  { { "service", ".." }, "names: expected a name of lower-case letters" },
  { { "service/." }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "services.v1./.." }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "things.example.com/.." }, "resource: expected KIND/NAME with a name without / and blanks" },
  { { "things/a b" }, "resource: expected KIND/NAME with a name without / and blanks" },
  { { "pod/web-*", "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod/Web", "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod/web-", "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod/web_0", "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod/web%2F0", "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod/" .. ("a"):rep(254), "for=deletion" }, "resource: expected KIND/NAME with a name of lower-case letters" },
  { { "pod", "-l", "" }, "selector" },
  { { "pod", "-l", " " }, "selector" },
  { { "pod", "selector:=\"\"", "for=deletion" }, "selector: expected labels such as app=web" },
  { { "pod", "-l", "app=", "for=deletion" }, 'app has no value: expected labels such as app=web, found "app="; app in ()' },
  { { "pod", "-l", "app= ,tier=x" }, "app has no value" },
  { { "pod", "-l", "tier=x,example.com/app==" }, "example.com/app has no value" },
  { { "pod", "-l", "app!=" }, "app has no value" },
  { { "pod/x", "-n", "" }, "namespace" },
  { { "pod/x", "namespace:=\"\"" }, "namespace: expected a name of lower-case letters" },
  { { "pod/x", "-n", ".." }, "namespace: expected a name of lower-case letters" },
  { { "pod/x", "-n", "a.b" }, "namespace: expected a name of lower-case letters" },
  { { "" }, "resource" },
  { { "pod/" }, "resource: expected KIND/NAME" },
  { { "/x" }, "resource: expected KIND/NAME" },
  { { "pod,svc/x" }, "resource: expected a kind such as pod" },
  { { "../x" }, "resource: expected a kind such as pod" },
  { { "pod/x", "condition:=\"\"" }, "condition: expected NAME or NAME=STATUS" },
  { { "pod/x", "condition:=\" \"" }, "condition: expected NAME or NAME=STATUS" },
  { { "pod/x", "condition=Ready=" }, "condition: expected NAME or NAME=STATUS" },
  { { "kubernetes_job", "" }, "name" },
  { { "kubernetes_job", ".." }, "name: expected a name of lower-case letters" },
  { { "kubernetes_rollout", "name:=\"\"" }, "name: expected a name of lower-case letters" },
  { { "kubernetes_rollout", "web", "namespace:=\"\"" }, "namespace: expected a name of lower-case letters" },
}

---Words that are sent, and the path that they become.
local good = {
  { { "pod/web-0.a" }, "/api/v1/namespaces/default/pods/web-0.a" },
  { { "clusterroles/system:node" }, "/apis" },
  { { "apiservice/v1." }, "/apis/apiregistration.k8s.io/v1/apiservices/v1." },
  { { "pod", "-l", "app in (),tier!=x,!old" }, "/api/v1/namespaces/default/pods" },
}

describe("a name or selector of Kubernetes", function()
  local server = Server.of_block(function() return { status = 403, body = "{}" } end)

  local function run(words)
    local recipe = words[1]:find "^kubernetes" and words[1]
    local command = { process.bide, "run", recipe or "kubernetes", "server=" .. server.url, "--max-wait", "50s", "--quiet" }
    for position = recipe and 2 or 1, #words do command[#command + 1] = words[position] end
    return process.run(command)
  end

  for _, row in ipairs(rows) do
    it(("is a mistake before anything is sent: %s"):format(table.concat(row[1], " "):sub(1, 60)), function()
      local count = #server.requests
      run(row[1]):says(2, row[2])
      assert.equal(count, #server.requests)
    end)
  end

  for _, row in ipairs(good) do
    it("is sent: " .. table.concat(row[1], " "), function()
      local count = #server.requests
      assert.equal(3, run(row[1]).code)
      local sent = server.requests[count + 1]
      assert.equal(row[2], sent.path == "/api/v1" and server.requests[count + 2] and "/apis" or sent.path)
    end)
  end
end)
