---The functions and modules that scripts find in bide, beside those in lua/bide/init.lua. The row of each says whether the
---sandbox gives it out. A function or module without a row, or whose row does not say, is refused there.

---@class bide.RegistryRow
---@field module? string the module that has the function under its name; nil if `bide.NAME` is the function itself
---@field sandbox? "given"|"wrapped" "given" unchanged, a module as a copy; "wrapped" by sandbox/modules.lua
---@field refused? string the reason why the sandbox does not give it out

local script_error = require "bide.script_error"

local M = {}

---The functions of `bide`. One that is a module by itself may be required by name as well.
---@type table<string, bide.RegistryRow>
M.functions = {
  all = { module = "bide.fleet", sandbox = "wrapped" },
  any = { module = "bide.fleet", sandbox = "wrapped" },
  some = { module = "bide.fleet", sandbox = "wrapped" },

  spawn = { module = "bide.tasks", sandbox = "wrapped" },
  current = { module = "bide.tasks", sandbox = "wrapped" },
  timeout = { module = "bide.tasks", sandbox = "given" },
  send = { module = "bide.mailbox", sandbox = "wrapped" },
  send_after = { module = "bide.mailbox", sandbox = "wrapped" },
  receive_next = { module = "bide.mailbox", sandbox = "given" },

  limit_rate = { sandbox = "given" },
  once = { refused = "it reads and writes the journal" },
  poller = { sandbox = "given" },
  retry = { module = "bide.retry", sandbox = "given" },

  amqp = { sandbox = "given" },
  cassandra = { sandbox = "given" },
  dns = { sandbox = "given" },
  exec = { refused = "it runs programs" },
  file = { refused = "it reads files" },
  grpc = { sandbox = "given" },
  imap = { sandbox = "given" },
  kafka = { sandbox = "given" },
  mongodb = { sandbox = "given" },
  ldap = { sandbox = "given" },
  mysql = { sandbox = "given" },
  nats = { sandbox = "given" },
  postgres = { sandbox = "given" },
  redis = { sandbox = "given" },
  smtp = { sandbox = "given" },
  tcp = { sandbox = "given" },
  udp = { sandbox = "given" },
  unix = { refused = "it connects to sockets of this machine" },
}

---The modules that scripts require by name, and that are not functions of `bide`.
---@type table<string, bide.RegistryRow>
M.modules = {
  acceptor = { sandbox = "given" },
  address = { sandbox = "given" },
  aws = { refused = "it reads files with credentials" },
  ["aws.credentials"] = { refused = "it reads files with credentials" },
  ["aws.endpoint"] = { refused = "what is sent to AWS carries credentials" },
  ["aws.profiles"] = { refused = "it reads files with credentials" },
  ["aws.region"] = { refused = "it reads files with credentials" },
  ["aws.sigv4"] = { refused = "it signs with credentials" },
  base64 = { sandbox = "given" },
  compose = { refused = "it connects to sockets of this machine" },
  docker = { refused = "it connects to sockets of this machine" },
  elasticsearch = { sandbox = "wrapped" },
  error_class = { sandbox = "given" },
  expect = { sandbox = "given" },
  ["file.follow"] = { refused = "it reads files" },
  ["file.glob"] = { refused = "it reads files" },
  http = { sandbox = "wrapped" },
  input = { sandbox = "given" },
  kubernetes = { refused = "it reads files with credentials" },
  model = { refused = "it reads files" },
  ["mongodb.deployment"] = { sandbox = "given" },
  ["mysql.url"] = { sandbox = "given" },
  processes = { refused = "it looks at the processes of this machine" },
  ssh = { refused = "it runs programs" },
  systemd = { refused = "it runs programs" },
  tls = { sandbox = "given" },
  version = { sandbox = "given" },
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

script_error.modules = M.names

return M
