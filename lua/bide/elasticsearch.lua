---Elasticsearch and OpenSearch over HTTP: the health of a cluster or of an index, and the number of documents that a
---search finds.
---
---    local elasticsearch = require "bide.elasticsearch"
---    elasticsearch.health { url = "localhost:9200", index = "orders", status = "green", nodes = 3 }
---    elasticsearch.count { url = "localhost:9200", index = "orders", query = "state:done" }

local core = require "bide.core"
local fail = require "bide.fail"
local http = require "bide.http"

local M = {}

local TIMEOUT = 408 -- of the server's own: it did not wait for an index to come
local NOT_FOUND, UNAUTHORIZED = 404, 401

local reason_of = assert(core.jmespath.compile "not_null(error.root_cause[0].reason, error.reason)")

---@class bide.elasticsearch.Inputs the members of bide.http.service_inputs as well
---@field index? string a name, an alias, a pattern, or several with commas between them
---@field status? "yellow"|"green" the least one
---@field nodes? integer the least number
---@field query? string in the syntax of query strings
---@field count? integer the least number of documents

---Returns why the server refuses, in its own words if it gives any.
---@param response bide.http.Response
---@param body any
---@return string?
local function reason(response, body)
  if response:media_type() == "text/plain" then return response.body:match "^%C+" end
  local text = body ~= nil and reason_of:search(body)
  return type(text) == "string" and text or nil
end

---Raises the operation error of an answer. If no user was given, its type is Unauthorized, as that of OpenSearch is;
---Elasticsearch has one type for that and for a user that it does not know yet.
---@param response bide.http.Response
---@param body any
---@param input bide.elasticsearch.Inputs
local function raise(response, body, input)
  local failure = response:operation_error()
  failure.message = reason(response, body) or failure.message
  local has_user = input.user or input.bearer or input.headers
  if response.status == UNAUTHORIZED and not has_user then failure.type = "Unauthorized" end
  error(failure, 0)
end

local function refuse()
  fail("InvalidAnswer", "this is not an answer of Elasticsearch")
end

---Returns a number of the server, which counts something.
---@param value any
---@return integer
local function count_of(value)
  local number = type(value) == "number" and math.tointeger(value)
  return number and number >= 0 and number or refuse()
end

---@param input bide.elasticsearch.Inputs
---@param path string
---@param query table<string, string>
---@return any body
---@return integer status below 300, or 404 and 408 for an index that does not exist
local function ask(input, path, query)
  local response = http.request(http.request_of(input, path, query))
  local body = response:document() and response:json()
  local is_object = type(body) == "table" and not core.json.is_array(body)
  local is_absent = is_object and (response.status == TIMEOUT and body.timed_out == true
    or response.status == NOT_FOUND and response:operation_error().type == "index_not_found_exception")
  if is_absent or response.ok and is_object then return body, response.status end
  if response.ok then refuse() end
  raise(response, body, input)
end

-- ---- health ------------------------------------------------------------------------------------

local ranks = { yellow = 1, green = 2 }

---@param health table
---@param input bide.elasticsearch.Inputs
---@return string state
local function judge(health, input)
  local nodes = count_of(health.number_of_nodes)
  if type(health.status) ~= "string" then refuse() end
  local has_indices = type(health.indices) == "table" and next(health.indices) ~= nil
  if input.index and (health.timed_out or not has_indices) then return "there is no such index" end
  if not ranks[health.status] or ranks[health.status] < ranks[input.status or "yellow"] then
    return "the status is " .. health.status
  end
  return nodes < (input.nodes or 1) and ("%d of %d nodes"):format(nodes, input.nodes or 1) or "ready"
end

---Returns the server's answer. Its member `state` is "ready", or what is not. An index that does not exist is not ready,
---and neither is a pattern that fits none, which is green for the server.
---@param input bide.elasticsearch.Inputs
---@return table health
function M.health(input)
  local path = "/_cluster/health" .. (input.index and "/" .. input.index or "")
  local health = ask(input, path, { timeout = "0s", level = input.index and "indices" or nil })
  health.state = judge(health, input)
  return health
end

-- ---- documents ---------------------------------------------------------------------------------

---@class bide.elasticsearch.Count
---@field state string "found", or what is missing
---@field count integer
---@field exists boolean whether there is such an index
---@field complete boolean whether each shard has counted: OpenSearch does not report those that it does not reach

---Counts the documents of an index that a query finds.
---@param input bide.elasticsearch.Inputs
---@return bide.elasticsearch.Count
function M.count(input)
  local body, status = ask(input, "/" .. input.index .. "/_count", { q = input.query or "*" })
  if status == NOT_FOUND then body = { count = 0, _shards = { total = 0, successful = 0 } } end
  local shards = type(body._shards) == "table" and body._shards or refuse()
  local count, wanted, total = count_of(body.count), input.count or 1, count_of(shards.total)
  local exists = total > 0
  local state = count >= wanted and "found" or ("%d of %d documents"):format(count, wanted)
  return { state = exists and state or "there is no such index", count = count, exists = exists,
    complete = count_of(shards.successful) == total }
end

return M
