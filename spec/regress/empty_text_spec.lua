---An empty text, as of a variable that is not set, made many questions trivial: an empty command succeeds, every text
---contains an empty one, no id asks for all objects, and an address without its host is that of this machine.

local bide = require "bide"
local inputs = require "bide.recipe.input.inputs"
local recipe_path = require "bide.recipe.file.path"
local Workspace = require "spec.support.workspace"

---The inputs of bundled recipes for which an empty text means something.
local may_be_empty = { body = true, proxy = true }

describe("an empty text", function()
  it("is a mistake for every input of every bundled recipe, unless it means something", function()
    local count = 0
    for _, name in ipairs(recipe_path.names()) do
      for _, waiter in pairs(bide.load(name).waiters) do
        for input, member in pairs(waiter.inputs or {}) do
          for _, text in ipairs { "", " ", "\t\n" } do
            local value, mistake = inputs.of_text(waiter.inputs, input, text)
            assert.equal(may_be_empty[input] or nil, member.empty, ("%s %s %s"):format(name, waiter.name, input))
            if member.empty then
              assert.equal(text, value)
            else
              assert.is_nil(value)
              assert.matches("^" .. input .. ": expected ", mistake)
            end
            count = count + 1
          end
        end
      end
    end
    assert.is_true(count > 1000)
  end)
end)

describe("bide, given an empty text,", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.lua", [[
      return { GetThing = { call = function(input) return input end,
        input = { name = { type = "string", positional = 1 }, note = { type = "string", empty = true, positional = 2 },
          names = { type = "list", of = { type = "string" } }, notes = { type = "list", empty = true,
          of = { type = "string", empty = true } }, any = { type = "any" }, token = { type = "string", secret = true } },
        waitable = { ThingExists = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
    workspace:write("open.lua", [[
      return { GetThing = { call = function(input) return input end,
        waitable = { ThingExists = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
    workspace:write("empty", "")
    workspace:write("blank", " \n")
    workspace:write("there", "text")
    workspace:write("key", "pem")
  end)

  local EMPTY = "expected a text that is not empty, found an empty text"
  local BLANK = "expected a text that is not empty, found blanks alone"

  local mistakes = {
    { 'command "$UNSET"', "run: " .. EMPTY .. '; run:="" says so on purpose' },
    { "command ' '", "run: " .. BLANK },
    { "command run=", "run: " .. EMPTY },
    { "command run=@file:empty", "run: " .. EMPTY },
    { "command run=@file:blank", "run: " .. BLANK },
    { "command run=@env:EMPTY", "run: " .. EMPTY },
    { "command true expect=", "expect: " .. EMPTY },
    { "command true matches=", "matches: " .. EMPTY },
    { "command true code=", 'code: expected a text that is not empty, found an empty text; code:=[] says so on purpose' },
    { "command true argv=", "argv: " .. EMPTY },
    { "http 127.0.0.1:1 expect=$UNSET", "expect: " .. EMPTY },
    { "http 127.0.0.1:1 failed=", "failed: " .. EMPTY },
    { "http 127.0.0.1:1 failed=a,,b", "failed[2]: " .. EMPTY },
    { "http 127.0.0.1:1 failed=a,", "failed[2]: " .. EMPTY },
    { "http 127.0.0.1:1 bearer=$UNSET", "bearer: " .. EMPTY },
    { "http 127.0.0.1:1 status=", "status: " .. EMPTY },
    { "http 127.0.0.1:1 headers=", "headers: " .. EMPTY },
    { "file there expect=", "expect: " .. EMPTY },
    { "file there expect=@file:empty", "expect: " .. EMPTY },
    { "file LineFound there ''", "matches: " .. EMPTY },
    { "file ''", "path: " .. EMPTY },
    { "tcp 127.0.0.1:1 expect=", "expect: " .. EMPTY },
    { "tcp 127.0.0.1:1 send=", "send: " .. EMPTY },
    { "tcp ''", "host: " .. EMPTY },
    { "tcp ' '", "host: " .. BLANK },
    { "udp 127.0.0.1:1 send=", "send: " .. EMPTY },
    { "process ''", "name: " .. EMPTY },
    { "process ProcessGone ''", "name: " .. EMPTY },
    { "git_ref RefGone . ''", "ref: " .. EMPTY },
    { "postgres RowFound postgres://a@127.0.0.1:1/b ''", "query: " .. EMPTY },
    { "amqp QueueGone amqp://127.0.0.1:1 ''", "queue: " .. EMPTY },
    { "ldap EntryExists 127.0.0.1:1 base=", "base: " .. EMPTY },
    { "compose ProjectGone ''", "project: " .. EMPTY },
    { "compose p services=$UNSET", "services: " .. EMPTY },
    { "compose p services:=[]", "services: expected at least one service, found none" },
    { "rabbitmq QueueExists 127.0.0.1:1 jobs vhost=$UNSET", "vhost: " .. EMPTY },
    { "rabbitmq QueueExists 127.0.0.1:1 jobs vhost:='\"\"'", "vhost: " },
    { "consul ServiceGone 127.0.0.1:1 web tag=", "tag: " .. EMPTY },
    { "docker ContainerGone ''", "container: " .. EMPTY },
    { "elasticsearch DocumentsGone 127.0.0.1:1 ''", "index: " .. EMPTY },
    { "kubernetes pod -l ''", "selector: " .. EMPTY },
    { "kubernetes pod/", "resource: expected KIND/NAME" },
    { "kubernetes pod/ ", "resource: expected KIND/NAME" },
    { "kubernetes pod '' for=deletion", "names: " .. EMPTY },
    { "kubernetes service/x -n ''", "namespace: " .. EMPTY },
    { "kubernetes pod name:='\"\"'", "name" },
    { "kubernetes pod selector:='\"\"'", "selector" },
    { "kubernetes service .. for=creation", "name" },
    { "kubernetes service/. for=creation", "resource: expected KIND/NAME" },
    { "run things.lua ''", "name: " .. EMPTY },
    { "run things.lua any=", "any: " .. EMPTY },
    { "run things.lua token=", "token: " .. EMPTY },
    { "run things.lua names=", "names: " .. EMPTY .. "; names:=[] says so on purpose" },
    { "run things.lua names=a,\\ ,b", "names[2]: " .. EMPTY },
    { "run open.lua name=", "name: " .. EMPTY },
    { "aws ec2 instance-running InstanceIds=$UNSET", "InstanceIds: " .. EMPTY },
    { "aws ec2 instance-running InstanceIds=i-1,", "InstanceIds[2]: " .. EMPTY },
    { "aws ecs services-stable cluster=c services=", "services: " .. EMPTY },
    { "aws iam role-exists RoleName=", "RoleName: " .. EMPTY },
    { "aws cloudformation stack-exists StackName=", "StackName: " .. EMPTY },
    { "aws iam role-exists RoleName:='\"\"'", "RoleName: expected" },
    { "aws dynamodb table-exists TableName:='\"\"'", "TableName: expected" },
    -- options
    { "command true --until ''", "--until: expected EXPRESSION, found an empty text" },
    { "command true --until=", "--until: expected EXPRESSION, found an empty text" },
    { "command true --fail ' '", "--fail: expected EXPRESSION, found blanks alone" },
    { "command true --until status=$UNSET", "--until: expected a text after status=, found an empty text; write status == ''" },
    { "command true --fail status=$UNSET", "--fail: expected a text after status=, found an empty text; write status == ''" },
    { "command true --fail 'status=  '", "--fail: expected a text after status=, found blanks alone" },
    { "command true --retry-on ''", "--retry-on: expected TYPE, found an empty text" },
    { "command true --max-attempts ''", "--max-attempts: expected N, found an empty text" },
    { "command true --with ''", "--with: expected FILE, found an empty text" },
    { "command true --events ''", "--events: expected FILE, found an empty text" },
    { "command true --journal ''", "--journal: expected FILE, found an empty text" },
    { "command --each ''", "--each: expected FILE, found an empty text" },
    { "command true --input ''", "--input: expected JSON, found an empty text" },
    { "command true --token ''", "--token: expected T, found an empty text" },
    { "aws iam role-exists RoleName=r --region ''", "--region: expected REGION, found an empty text" },
    { "aws iam role-exists RoleName=r --endpoint ''", "--endpoint: expected URL, found an empty text" },
    { "''", "expected a recipe or a command, found an empty text" },
    { "run ''", "expected a RECIPE, found an empty text" },
    { "command true -- ''", "no command after --" },
    -- addresses without their host
    { 'tcp "$UNSET:8791"', "host: no host before :8791; localhost:8791?" },
    { "http :8791/json", "url: no host before :8791; localhost:8791?" },
    { "http http://:8791/", "url: no host before :8791; localhost:8791?" },
    { "http https:///health", 'url: expected a URL such as http://localhost:8080/health, found "https:///health"' },
    { "http user:secret@:80/", "no host before :80; localhost:80?" },
    { "redis :6379", "url: no host before :6379; localhost:6379?" },
    { "redis redis://:6379/0", "url: no host before :6379; localhost:6379?" },
    { "redis redis://me:secret@:6379/0", "url: no host before :6379; localhost:6379?" },
    { "redis redis://", "url: expected HOST:PORT or a redis:// URL, found" },
    { "postgres postgres://app@:5432/shop", "url: no host before :5432; localhost:5432?" },
    { "postgres :5432", "no host before :5432; localhost:5432?" },
    { "mysql mysql://app@:3306/shop", "no host before :3306; localhost:3306?" },
    { "mongodb mongodb://:27017", "no host before :27017; localhost:27017?" },
    { "kafka a:9092,:9092", "no host before :9092; localhost:9092?" },
    { "cassandra :9042", "no host before :9042; localhost:9042?" },
    { "grpc :50051", "no host before :50051; localhost:50051?" },
    { "tls :443", "no host before :443; localhost:443?" },
    { "udp :53 send=x", "no host before :53; localhost:53?" },
    { "smtp :25", "no host before :25; localhost:25?" },
    { "kubernetes pod/x server=:8080", "no host before :8080; localhost:8080?" },
    { "http 127.0.0.1:1 proxy=:3128", "proxy: no host before :3128; localhost:3128?" },
  }

  local variables = "unset UNSET; EMPTY='' AWS_REGION=r AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b"

  for _, case in ipairs(mistakes) do
    it("names it: " .. case[1], function()
      local own, command = case[1]:match "^(.-)( %-%- .*)$"
      local done = workspace:shell(('%s "$BIDE" %s --max-wait 1s%s'):format(variables, own or case[1], command or ""))
      done:says(2, case[2])
      assert.falsy(done.stderr:find("secret", 1, true))
      assert.equal("", done.stdout)
    end)
  end

  ---What is said on purpose, and ports of this machine.
  local fine = {
    { "command run:='\"\"'", 0 },
    { "run things.lua name:='\"\"' names:=[] any:='\"\"' token:='\"\"'", 0 },
    { "run things.lua note= notes=", 0 },
    { "run things.lua x ''", 0 },
    { "run things.lua notes=a,,b", 0 },
    { [[run things.lua --input '{"name":"","names":[]}']], 0 },
    { "run open.lua name:='\"\"'", 0 },
    { "http 127.0.0.1:1 method=POST body= proxy= --max-attempts 1", 4 },
    { "tcp PortClosed 1", 0 },
    { "tcp PortClosed localhost:1", 0 },
  }

  for _, case in ipairs(fine) do
    it("takes what is said on purpose: " .. case[1], function()
      workspace:shell(('"$BIDE" %s --max-wait 5s'):format(case[1])):ends(case[2])
    end)
  end
end)
