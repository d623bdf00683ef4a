---The functions and modules that scripts find in bide, beside those in lua/bide/init.lua. Each public file of lua/bide has a
---row. It says on which floor the file is, and whether the sandbox gives it out. A function or module without a row, or
---whose row does not say, is refused there.

---@class bide.RegistryRow
---@field module? string the module that has the function under its name; nil if `bide.NAME` is the function itself
---@field floor? string that of the file lua/bide/NAME.lua, or its room; nil with `module`
---@field sandbox? "given"|"wrapped" "given" unchanged, a module as a copy; "wrapped" by sandbox/modules.lua
---@field refused? string the reason why the sandbox does not give it out

local M = {}

---The functions of `bide`. One that is a module by itself may be required by name as well.
---@type table<string, bide.RegistryRow>
M.functions = {
  all = { module = "bide.wait.fleet", sandbox = "wrapped" },
  any = { module = "bide.wait.fleet", sandbox = "wrapped" },
  some = { module = "bide.wait.fleet", sandbox = "wrapped" },

  spawn = { module = "bide.task.script_tasks", sandbox = "wrapped" },
  current = { module = "bide.task.script_tasks", sandbox = "wrapped" },
  timeout = { module = "bide.task.script_tasks", sandbox = "given" },
  wake = { module = "bide.wait.begun", refused = "it wakes the waits of other files" },
  send = { module = "bide.task.mailbox", sandbox = "wrapped" },
  send_after = { module = "bide.task.mailbox", sandbox = "wrapped" },
  receive_next = { module = "bide.task.mailbox", sandbox = "given" },

  limit_rate = { floor = "probe/asking", sandbox = "given" },
  once = { floor = "record", refused = "it reads and writes the journal" },
  poller = { floor = "wait", sandbox = "given" },
  retry = { module = "bide.probe.asking.retry", sandbox = "given" },

  amqp = { floor = "probe", sandbox = "given" },
  cassandra = { floor = "probe", sandbox = "given" },
  dns = { floor = "probe", sandbox = "given" },
  exec = { floor = "probe/exec", refused = "it runs programs" },
  file = { floor = "probe/file", refused = "it reads files" },
  grpc = { floor = "probe", sandbox = "given" },
  imap = { floor = "probe", sandbox = "given" },
  kafka = { floor = "probe", sandbox = "given" },
  mongodb = { floor = "probe", sandbox = "given" },
  ldap = { floor = "probe", sandbox = "given" },
  mysql = { floor = "probe", sandbox = "given" },
  nats = { floor = "probe", sandbox = "given" },
  postgres = { floor = "probe", sandbox = "given" },
  redis = { floor = "probe", sandbox = "given" },
  service = { floor = "recipe", sandbox = "wrapped" },
  smtp = { floor = "probe", sandbox = "given" },
  store = { floor = "cli/store", refused = "it opens stores of waits" },
  tcp = { floor = "probe/peer", sandbox = "given" },
  udp = { floor = "probe/peer", sandbox = "given" },
  unix = { floor = "probe/peer", refused = "it connects to sockets of this machine" },
}

---The modules that scripts require by name, and that are not functions of `bide`.
---@type table<string, bide.RegistryRow>
M.modules = {
  acceptor = { floor = "recipe", sandbox = "wrapped" },
  address = { floor = "text", sandbox = "given" },
  aws = { floor = "model/aws", refused = "it reads files with credentials" },
  ["aws.credentials"] = { floor = "model/aws", refused = "it reads files with credentials" },
  ["aws.endpoint"] = { floor = "model/aws", refused = "what is sent to AWS carries credentials" },
  ["aws.profiles"] = { floor = "model/aws", refused = "it reads files with credentials" },
  ["aws.region"] = { floor = "model/aws", refused = "it reads files with credentials" },
  ["aws.sigv4"] = { floor = "model/aws", refused = "it signs with credentials" },
  base64 = { floor = "text", sandbox = "given" },
  compose = { floor = "probe", refused = "it connects to sockets of this machine" },
  docker = { floor = "probe", refused = "it connects to sockets of this machine" },
  elasticsearch = { floor = "probe", sandbox = "wrapped" },
  error_class = { floor = "text", sandbox = "given" },
  connections = { floor = "probe/exec", refused = "it looks at the connections of this machine" },
  ["dns.answer"] = { floor = "probe", sandbox = "given" },
  expect = { floor = "wait", sandbox = "given" },
  ["exec.events"] = { floor = "probe/exec", refused = "it looks at the processes of this machine" },
  ["file.events"] = { floor = "probe/file", refused = "it watches files" },
  ["file.follow"] = { floor = "probe/file", refused = "it reads files" },
  ["file.glob"] = { floor = "probe/file", refused = "it reads files" },
  http = { floor = "probe/http", sandbox = "wrapped" },
  input = { floor = "recipe", sandbox = "given" },
  kubernetes = { floor = "probe", refused = "it reads files with credentials" },
  model = { floor = "model", refused = "it reads files" },
  ["mongodb.deployment"] = { floor = "probe", sandbox = "given" },
  ["mysql.url"] = { floor = "probe", sandbox = "given" },
  ["postgres.session"] = { floor = "probe", refused = "it reads files with passwords" },
  processes = { floor = "probe/exec", refused = "it looks at the processes of this machine" },
  ssh = { floor = "probe", refused = "it runs programs" },
  systemd = { floor = "probe", refused = "it runs programs" },
  test = { floor = "cli", refused = "it reads files" },
  tls = { floor = "probe/peer", sandbox = "given" },
  version = { floor = "text", sandbox = "given" },
}

---Returns the row of the module that `require "bide.NAME"` returns.
---@param name string
---@return bide.RegistryRow?
function M.of_module(name)
  local row = M.modules[name] or M.functions[name]
  return row and not row.module and row or nil
end

---Returns the names by which scripts require bide's modules.
---@return string[]
function M.names()
  local names = {}
  for _, rows in ipairs { M.functions, M.modules } do
    for name, row in pairs(rows) do
      if not row.module then names[#names + 1] = "bide." .. name end
    end
  end
  return names
end

return M
