---Every example that `--help` prints works: those of the commands are run with the files and the services that they name,
---those of the recipes as far as their first attempt.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local certificates = require "spec.support.certificates"
local base64 = require "bide.base64"
local bide = require "bide"
local commands = require "bide.cli.commands"
local manual = require "bide.cli.help.manual"
local process = require "spec.support.process"
local recipe_path = require "bide.recipe.file.path"
local uv = require "luv"

local directory = Directory.of_block()
local server

---Runs a line of shell in the folder of the examples.
---@param line string
---@param folder string with the program bide
---@param env? table<string, string>
---@return spec.Process
local function run(line, folder, env)
  env = env or {}
  env.PATH, env.HOME, env.THINGS = folder .. ":" .. os.getenv "PATH", directory.path, server.url
  return process.run({ "bash", "-c", line }, { cwd = directory.path, env = env, tool = true })
end

---@param text string of a help
---@return string[] lines the examples
local function examples_in(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line:match "^ +(bide %l.*)$" end
  return lines
end

setup(function()
  server = Server.start(function(request)
    if request.body and request.body:find "DescribeStacks" then
      return { body = "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
        .. "<StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks>"
        .. "</DescribeStacksResult></DescribeStacksResponse>", headers = { ["Content-Type"] = "text/xml" } }
    end
    return { body = '{"status":"success"}', headers = { ["Content-Type"] = "application/json" } }
  end)
end)

teardown(function() server:close() end)

-- ---- commands ----------------------------------------------------------------------------------

local acceptors = '[{"state": "success", "matcher": {"output": {"path": "status", "comparator": "stringEquals", '
  .. '"expected": "success"}}}]'

local files = {
  ["things.lua"] = [[
    local acceptor, http = require "bide.acceptor", require "bide.http"
    return { GetThing = { call = function(input) return http.get(os.getenv "THINGS" .. "/things/" .. input.name) end,
      waitable = { ThingExists = { acceptors = { acceptor.output("success", "status", "success") } } } } }]],
  ["things.smithy"] = ([[
    $version: "2.0"
    namespace example.things
    @smithy.waiters#waitable(ThingExists: { documentation: "Waits.", acceptors: %s })
    operation GetThing { output := { status: String } }]]):format(acceptors:gsub('"(%l+)":', "%1:"), nil),
  ["things.wait.lua"] = [[return { recipe = "./things.lua", { name = "comes", answers = { { output = { status = "success" } } },
    expect = { state = "success", attempts = 1 } } }]],
  ["answers.jsonl"] = '{"output": {"status": "pending"}}\n{"output": {"status": "success"}}\n',
  ["waiters-2.json"] = [[{"version": 2, "waiters": {"ThingExists": {"operation": "GetThing", "delay": 2, "maxAttempts": 5,
    "acceptors": [{"state": "success", "matcher": "path", "argument": "status", "expected": "success"}]}}}]],
  ["answer.json"] = '{"Reservations": [{"Instances": [{"State": {"Name": "running"}}]}]}',
  ["deploy.lua"] = 'print("deploys to " .. ...)',
  ["start"] = "#!/bin/sh\necho started\n",
}

---What the example of each command prints, by the command; "" for that of bide itself.
local printed = {
  [""] = "^started\n$",
  run = "^it exists\n$",
  aws = "^StackCreateComplete succeeded after 1 attempt ",
  replay = "^ThingExists succeeded after 2 attempts ",
  plan = "\nRetry +Delay +Cumulative time",
  advise = "^ThingExists: 30 ended\n.*\nsooner  minDelay ",
  check = "^$",
  convert = "ThingExists = {",
  list = "^things.lua\n +ThingExists +GetThing",
  show = "ThingExists.*success",
  query = '"running"',
  exec = "^deploys to staging\n$",
  journal = "ThingExists",
  step = '^{"outcome": ',
  store = "^BEGIN;\n.*CREATE SCHEMA bide .*\nCOMMIT;\n$",
  test = "^1 case, 0 failed; 1 of 1 acceptors decided; ",
  completion = "^$",
  submit = "^1\n$",
  watch = "^ThingExists succeeded after 1 attempt ",
  worker = "^$",
  jobs = "\n +1 +success +.- +ThingExists +",
  workers = "^$",
  init = "^wrote deploy.lua and deploy.wait.lua\n",
  doctor = "\n  name localhost +%S",
}

---A store with a run that has ended.
local worked = "rm -f waits.db*; bide run things.lua name=foo --max-wait 5m --store waits.db --work >/dev/null 2>&1; "

---Recordings of waits that ended after 1 to 30 seconds.
local recorded = [[mkdir -p runs; for n in $(seq 30); do printf '%s\n' '{"at": 0, "output": {"status": "pending"}, "wait":
  {"format": 1, "recipe": "things.lua", "waiter": "ThingExists", "input": {"name": "foo"}, "maxWait": 60}}' | tr -d '\n'
  printf '\n{"at": %s, "output": {"status": "success"}}\n' $n; done | split -l 2 --additional-suffix .jsonl - runs/; ]]

---What an example needs beside the files.
local prepared = {
  advise = recorded,
  journal = "rm -f waits.db*; bide run things.lua name=foo --max-wait 5m --journal waits.db >/dev/null 2>&1;",
  completion = "mkdir -p ~/.local/share/bash-completion/completions;",
  submit = "rm -f waits.db*; ",
  watch = worked, jobs = worked, workers = worked,
  init = "mkdir -p new; cd new; rm -f deploy.*; ",
  worker = worked .. "timeout --foreground --preserve-status 1 ",
}

describe("the example in the help of", function()
  local folder = assert(uv.fs_realpath(process.bide)):match "^(.*)/"

  setup(function()
    for name, text in pairs(files) do directory:write(name, text) end
    assert(uv.fs_chmod(directory.path .. "/start", 493))
  end)

  for _, command in ipairs { "", table.unpack(commands) } do
    if command ~= "help" then -- whose help is that of bide itself
      it("bide " .. command, function()
        local help = run(("bide %s --help"):format(command), folder).stdout
        local example = assert(examples_in(help:match "\nExample:\n(.*)$")[1], help)
        example = example:gsub("localhost:8080", (server.url:gsub("^http://", "")))
        local done = run((prepared[command] or "") .. example, folder, { AWS_ENDPOINT_URL = server.url,
          AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "secret", AWS_REGION = "eu-west-1" })
        assert.equal(0, done.code, done.stdout .. done.stderr)
        assert.matches(printed[command], done.stdout)
      end)
    end
  end
end)

-- ---- recipes -----------------------------------------------------------------------------------

---A bide that lets a wait have one attempt, and runs no COMMAND: a service of this machine may be what an example names.
local once = [[
#!/bin/bash
words=()
while [ $# -gt 0 ]; do
  case "$1" in
    --max-wait) words+=(--max-wait 1ms); shift 2 ;;
    --) break ;;
    *) words+=("$1"); shift ;;
  esac
done
exec "$BIDE" "${words[@]}" --quiet
]]

local env = { CLICKHOUSE = "default", CONSUL_HTTP_TOKEN = "token", ELASTIC = "elastic", PASSWORD = "password", PW = "password",
  PGPASSWORD = "password", TOKEN = "token" }

---The files that examples name, beside those of certificates.
local named = {
  token = "token", ["deploy-status"] = "#!/bin/sh\necho '{}'\n",
  ["ssh_host_ed25519_key.pub"] = "ssh-ed25519 " .. base64.encode(string.pack(">s4s4", "ssh-ed25519", ("k"):rep(32))),
}

local kubeconfig = [[
{clusters: [{name: here, cluster: {server: "%s"}}], users: [{name: me, user: {token: secret}}], current-context: staging,
 contexts: [{name: staging, context: {cluster: here, user: me}}]}
]]

describe("the page of the recipe", function()
  local folder

  setup(function()
    folder = directory.path .. "/path"
    assert(uv.fs_mkdir(folder, 493))
    directory:write("path/bide", once)
    assert(uv.fs_chmod(folder .. "/bide", 493))
    certificates(directory)
    for name, text in pairs(named) do directory:write(name, text) end
    directory:write("ca.crt", directory:read "ca.pem")
    env.BIDE, env.KUBECONFIG = assert(uv.fs_realpath(process.bide)), directory:write("config", kubeconfig:format(server.url))
  end)

  for _, name in ipairs(recipe_path.names()) do
    for _, example in ipairs(examples_in(table.concat(manual.page(name, assert(bide.load(name))), "\n"))) do
      if not example:find "^bide run %-%-help" then
        it(name .. " has: " .. example, function()
          local done = run(example, folder, env)
          local has_waited = done.code == 0 or done.code == 1 or done.code == 3 or done.code == 124
          assert.is_true(has_waited or done.code == 2 and done.stderr:find "is missing: install the package" ~= nil,
            ("exit code %d: %s%s"):format(done.code, done.stdout, done.stderr))
        end)
      end
    end
  end
end)
