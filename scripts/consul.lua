---Waits until Consul has a leader. Or, with ServicePassing, until a service has instances whose checks all pass; with
---ServiceGone, until it has none. Consul says when the instances of a service change, and they are asked for then.
---Consul is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---While changes are reported, they are 2 m.
---
---    bide run consul localhost:8500 --max-wait 1m
---    bide run consul ServicePassing localhost:8500 web count=3 tag=v2 bearer=@env:CONSUL_HTTP_TOKEN --max-wait 5m

local acceptor = require "bide.acceptor"
local bide = require "bide"
local http = require "bide.http"
local json = require("bide").json
local service = require "bide.service"

local operation = service { http = "localhost:8500", transient = { "NoLeader" } }

local function refuse(why)
  error({ type = "InvalidAnswer", message = "this is not an answer of Consul" .. why }, 0)
end

---Reports whether a list has a text, in any letter case.
local function has(list, text)
  for _, each in ipairs(type(list) == "table" and list or {}) do
    if type(each) == "string" and each:lower() == text:lower() then return true end
  end
  return false
end

---Refuses instances that were not asked for, as where a proxy leaves out the query: of another service or datacenter, without
---the tag, or with a check that does not pass. Consul takes capital letters for small ones.
local function check_instances(instances, input)
  local known = {}
  for _, instance in ipairs(instances) do
    local service_of = instance.Service
    if not has({ service_of.Service }, input.service) then refuse ": it has instances of another service" end
    if input.dc and not has({ instance.dc }, input.dc) then refuse(": it has instances outside of " .. input.dc) end
    if input.tag and not has(service_of.Tags, input.tag) then refuse(": it has instances without the tag " .. input.tag) end
    if not instance.passes then refuse ": it has instances whose checks do not pass" end
    if known[instance.key] then refuse ": it has an instance twice" end
    known[instance.key] = true
  end
end

---The instances, with their keys: the name of an instance is its own within its node alone.
local INSTANCES = "type(@) == 'array' && length(@) == length([?Service.Service]) && {list: [*].{Service: Service, "
  .. "key: to_string([Node.Node, Service.ID]), dc: Node.Datacenter, "
  .. "passes: type(Checks) == 'array' && length(Checks) == length(Checks[?Status == 'passing'])}}"

---The statuses by which an agent reports the health of a service: that of its checks, or that it has no such service.
local of_agent = { [200] = true, [404] = true, [429] = true, [503] = true }

---Raises what the agent says where it does not report the health of the service, as where the token may not read it.
---@return boolean is_hidden whether the agent has the service, and leaves out its instances
local function check_agent(response)
  if response.status >= 300 and not of_agent[response.status] then error(response:operation_error()) end
  local list = of_agent[response.status] and response:document() and response:json()
  if type(list) ~= "table" or not json.is_array(list) then refuse ": the agent's is no list" end
  if response.status == 404 and #list > 0 then refuse ": the agent lists instances of a service that it does not have" end
  return response.status ~= 404 and #list == 0
end

---An empty list is an answer of many programs, and Consul leaves out what may not be read. Without a token, only the agent
---says so.
local function prepare_service(input)
  local get_instances = http.prepare(http.request_of(input, "/v1/health/service/" .. input.service,
    { passing = "true", tag = input.tag, dc = input.dc }))
  local ask_agent = http.prepare(http.request_of(input, "/v1/agent/health/service/name/" .. input.service))
  return function()
    local response = get_instances()
    local instances = http.find(response, INSTANCES, "Consul").list
    if not (response:header "x-consul-index" or ""):find "^[1-9]%d*$" then refuse ": it has no X-Consul-Index" end
    check_instances(instances, input)
    if response:header "x-consul-knownleader" ~= "true" then
      error { type = "NoLeader", message = "Consul has no leader, and may not know all instances" }
    end
    local is_filtered = response:header "x-consul-results-filtered-by-acls" == "true"
    local is_open = response:header "x-consul-default-acl-policy" == "allow" and not is_filtered
    if response.body:find "[^%s%[%]]" or is_open then return response end
    local is_hidden = check_agent(ask_agent())
    return not is_filtered and not is_hidden and response
      or error { type = "AccessDenied", message = "the token lacks node:read" }
  end
end

-- ---- changes of a service ------------------------------------------------------------------------

local HELD = 25 -- seconds for which Consul holds a request while nothing changes
local SHORTEST = 5 -- seconds: an answer without a change that comes sooner was not held
local PAUSE = 0.1 -- seconds between two requests, where changes follow one another

---Raises the operation error of an answer that is not what a request for changes gets.
local function end_watch(message)
  error({ type = "WatchFailed", message = message }, 0)
end

---Asks for the instances, which Consul gives when they are no longer those of an index, or after a while.
---@return integer index of the answer
local function await_change(input, index)
  local request = http.request_of(input, "/v1/health/service/" .. input.service,
    { dc = input.dc, index = index, wait = HELD .. "s" })
  request.timeout = HELD * 17 / 16 + input.timeout -- Consul adds up to a sixteenth
  local response = http.request(request)
  if response.status ~= 200 then end_watch(("the watch was answered with %d"):format(response.status)) end
  local found = math.tointeger(tonumber(response:header "x-consul-index" or nil))
  return found and found > 0 and found or end_watch "this is no answer of Consul: it has no X-Consul-Index"
end

local function watch(input, wake)
  local index
  while true do
    local began = bide.now()
    local found = await_change(input, index)
    wake.healthy()
    if found == index then
      if bide.now() - began < SHORTEST then end_watch "the server has not held the request" end
    else
      if index then wake() end
      bide.sleep(PAUSE)
    end
    index = found
  end
end

---The address of the leader is a text, HOST:PORT, which is empty if there is none.
local function prepare_leader(input)
  local get_leader = http.prepare(http.request_of(input, "/v1/status/leader"))
  return function()
    local response = get_leader()
    http.find(response, "type(@) == 'string'", "Consul")
    local leader = response:json()
    if leader ~= "" and not leader:find "^[%w.:%[%]_-]+:%d+$" then refuse "" end
    return response
  end
end

return {
  GetLeader = operation {
    prepare = prepare_leader,
    default = "ConsulReady",
    waitable = {
      ConsulReady = {
        documentation = "Waits until Consul has a leader.",
        countsAsReady = "/v1/status/leader names the leader, as HOST:PORT",
        acceptors = { acceptor.input_output("success", "type(output) == 'string' && output != ''") },
      },
    },
  },
  GetService = operation {
    prepare = prepare_service,
    watch = watch,
    inputs = {
      service = {
        type = "string", required = true, positional = 2, pattern = "^[%w._-]+$",
        expected = "a name of letters, digits, '.', '_' and '-'", documentation = "The service's name.",
      },
      count = {
        type = "integer", asks = true, minimum = 1, default = 1, documentation = "The least number of instances.",
      },
      dc = { type = "string", example = "dc1", documentation = "The datacenter. Default: the agent's." },
      tag = { type = "string", asks = true, example = "v2", documentation = "Count only instances with this tag." },
    },
    waitable = {
      ServicePassing = {
        documentation = "Waits until a service passes its checks.",
        countsAsReady = "/v1/health/service lists as many instances whose checks all pass",
        opposite = "ServiceGone",
        acceptors = { acceptor.input_output("success", "length(output) >= input.count") },
      },
      ServiceGone = {
        documentation = "Waits until no instance passes.",
        countsAsGone =
          "/v1/health/service is an empty list with X-Consul-Index, a known leader, nothing left out by ACLs",
        acceptors = { acceptor.input_output("success", "length(output) == `0`") },
      },
    },
  },
}
