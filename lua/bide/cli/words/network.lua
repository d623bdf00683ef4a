---`--allow-net` and `--deny-net`: the addresses that recipes may connect to.

local network = require("bide.core").network
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"

local M = {}

local function read_rule(text)
  if network.is_rule(text) then return text end
  return nil, option.expected("private, a network such as 10.0.0.0/8, or NETWORK:PORT, without bits beyond its length", text)
end

---@param command table
function M.add_options(command)
  command:begin_section "Network"
  command:option("--allow-net", "Let recipes connect to NET although a wider rule denies it: private, 10.1.0.0/16, "
    .. "10.1.2.3:443, [fd00::/8]:443. The narrowest rule decides."):argname("NET"):count("*"):reads(read_rule)
  command:option("--deny-net", "Keep recipes from connecting to NET: an attempt to do so is a script error, exit code 5. "
    .. "Proxies of the environment are not used then."):argname("NET"):count("*"):reads(read_rule)
end

---Restricts the network, before any recipe is loaded; ends the process if the rules make no sense.
---@param options table of the command line
---@param is_closed boolean whether this machine and private networks are denied without a rule
function M.apply(options, is_closed)
  if not is_closed and #options.deny_net == 0 then
    if #options.allow_net > 0 then parser.fail "--allow-net: nothing is denied; add --deny-net NET" end
    return
  end
  network.restrict(is_closed)
  for _, rule in ipairs(options.deny_net) do network.deny(rule) end
  for _, rule in ipairs(options.allow_net) do network.allow(rule) end
end

return M
