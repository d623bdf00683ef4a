---`--token T`: the idempotency token of the one request that is made.

local core = require "bide.core"
local parser = require "bide.cli.parser"

local M = {}

---@param command table
function M.add_option(command)
  command:option("--token", "The idempotency token of the request, in place of a new one."):argname("T")
end

---The input with the token that was given; does not return where it has no place in it.
---@param options table of the command line
---@param waiter bide.Waiter
---@param input userdata a document, an object
---@return userdata input
function M.apply(options, waiter, input)
  local token, member = options.token, waiter.token_member
  if not token then return input end
  if options.each then parser.fail("--token names one request, and --each makes many") end
  if token == "" then parser.fail("--token: found an empty token") end
  if not member then
    parser.fail(("--token: the operation of %s declares no idempotencyToken"):format(waiter.name))
  end
  local members = input:value()
  if members[member] ~= nil and members[member] ~= core.json.null and members[member] ~= token then
    parser.fail(("--token: the input has another %s"):format(member))
  end
  members[member] = token
  return assert(core.json.document(members))
end

return M
