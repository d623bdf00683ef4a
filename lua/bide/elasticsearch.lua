---Elasticsearch and OpenSearch over HTTP: the health of a cluster or of an index, and the number of documents that a
---search finds.
---
---    local elasticsearch = require "bide.elasticsearch"
---    elasticsearch.health { url = "localhost:9200", index = "orders", status = "green", nodes = 3 }
---    elasticsearch.count { url = "localhost:9200", index = "orders", query = "state:done" }

local core = require "bide.core"
local fail = require "bide.text.fail"
local http = require "bide.http"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local M = {}

local TIMEOUT = 408 -- of the server's own: it did not wait for an index to come
local NOT_FOUND, UNAUTHORIZED, BAD_REQUEST = 404, 401, 400

local reason_of = assert(core.jmespath.compile "not_null(error.root_cause[0].reason, error.reason)")

---@class bide.elasticsearch.Inputs the members of bide.http.service_inputs as well
---@field index? string a name, an alias, a pattern, or several with commas between them
---@field status? "yellow"|"green" the least one
---@field nodes? integer the least number
---@field query? string in the syntax of query strings
---@field count? integer the least number of documents
---@field unseen? boolean whether indices that the user may not read count as gone

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

---Returns a count of the server; refuses what is not one.
---@param value any
---@return integer
local function count_of(value)
  local number = type(value) == "number" and math.tointeger(value)
  return number and number >= 0 and number or refuse()
end

---Reports whether a name is that of one index or alias of this cluster, and nothing that the server expands: no pattern, no
---list, no index of another cluster, no date. An answer then names it as it was asked for.
---@param name string
local function is_plain(name)
  return name ~= "_all" and not name:find "^%-" and not name:find "[*,:<%%]"
end

---Refuses the absence of another index than the one that was asked for.
---@param name string?
---@param body table
local function check_name(name, body)
  if not name or not is_plain(name) then return end
  local found = type(body.error) == "table" and (body.error.index or body.error["resource.id"])
  if found ~= name then fail("InvalidAnswer", "the answer is not about the index " .. name) end
end

---Reports whether an answer says that there is no such index.
---@param name string? the index
local function is_absence(response, body, name)
  if response.status == TIMEOUT then return body.timed_out == true end
  local is_absent = response.status == NOT_FOUND and response:operation_error().type == "index_not_found_exception"
  if is_absent then check_name(name, body) end
  return is_absent
end

---The status of a whole answer; a part of one (206) may lack what says that something is wrong.
local OK <const> = 200

---Returns a function that sends a request. It returns the body, an object, and the status, which is 200, or 404 or 408 for
---an index that does not exist.
---@param input bide.elasticsearch.Inputs
---@param path string
---@param query table<string, string>
---@param name string? the index
---@return fun(): table, integer
local function asking(input, path, query, name)
  local send = http.prepare(http.request_of(input, path, query))
  return function()
    local response = send()
    local body = response:document() and response:json()
    local is_answer = tables.is_object(body) and (response.status == OK or is_absence(response, body, name))
    if is_answer then return body, response.status end
    if response.ok then refuse() end
    raise(response, body, input)
  end
end

---The form of the name of an index, for the declaration of an input. A list of names has it as well.
M.index = { pattern = "^[^/?#%s]+$", expected = "a name without blanks, '/', '?' and '#'" }

---Finds what is wrong with the index of an input. The server takes an empty name, by itself or in a list, for all indices.
---@param index any
---@return string? mistake
local function mistake_of(index)
  local expected
  if type(index) ~= "string" or not index:find(M.index.pattern) then
    expected = M.index.expected
  elseif ("," .. index .. ","):find(",,", 1, true) then
    expected = "a name between two commas"
  end
  return expected and "index: " .. option.expected(expected, index)
end

---Calls a function of `prepare`, and what it returns, for a script.
local function once(name, prepare, input)
  local ask, mistake = prepare(input)
  if not ask then error(("elasticsearch.%s: %s"):format(name, mistake), 3) end
  return ask()
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
  local least = ranks[input.status or "yellow"]
  for name, index in pairs(input.index and health.indices or {}) do
    local status = type(index) == "table" and type(index.status) == "string" and index.status or refuse()
    if (ranks[status] or 0) < least then return ("the status of %s is %s"):format(name, status) end
  end
  if (ranks[health.status] or 0) < least then return "the status is " .. health.status end
  return nodes < (input.nodes or 1) and ("%d of %d nodes"):format(nodes, input.nodes or 1) or "ready"
end

---Reads an input once: returns a function that returns the server's answer. Its member `state` is "ready", or what is not.
---An index that does not exist is not ready, and neither is a pattern that fits none, which is green for the server.
---@param input bide.elasticsearch.Inputs
---@return (fun(): table)?
---@return string? mistake
function M.prepare_health(input)
  local mistake = input.index and mistake_of(input.index)
  if mistake then return nil, mistake end
  local path = "/_cluster/health" .. (input.index and "/" .. input.index or "")
  local ask = asking(input, path, { timeout = "0s", level = input.index and "indices" or nil }, input.index)
  return function()
    local health = ask()
    health.state = judge(health, input)
    return health
  end
end

---Asks once, as the function of `elasticsearch.prepare_health`.
---@param input bide.elasticsearch.Inputs
---@return table health
function M.health(input)
  return once("health", M.prepare_health, input)
end

-- ---- documents ---------------------------------------------------------------------------------

---@class bide.elasticsearch.Count
---@field state string "found", or what is missing
---@field count integer
---@field exists boolean whether there is such an index; for several, whether there is one of them
---@field complete boolean whether each shard has counted: OpenSearch does not report those that it does not reach

---@class bide.elasticsearch.Sums
---@field count integer
---@field exists boolean
---@field complete boolean

---Reads how many documents and shards an answer counts. Without a shard, nothing has counted.
---@param body table
---@return bide.elasticsearch.Sums
local function sums_of(body)
  local shards = type(body._shards) == "table" and body._shards or refuse()
  local total = count_of(shards.total)
  local is_complete = total > 0 and count_of(shards.successful) == total and count_of(shards.failed or 0) == 0
  return { count = count_of(body.count), exists = true, complete = is_complete }
end

---Reports whether a name is a pattern, which may fit no index.
local function is_pattern(name)
  return name == "_all" or name:find("*", 1, true) ~= nil
end

---Reports whether an input names several indices, or a pattern.
local function is_wide(input)
  return is_pattern(input.index) or input.index:find(",", 1, true) ~= nil
end

local CLOSED = "index_closed_exception"

---Returns a function that counts the documents of one name. For a pattern, closed and hidden indices are asked too, and it is
---an error of the server that no index fits: otherwise they are left out, without a word.
---@param input bide.elasticsearch.Inputs
---@param name string
---@return fun(): bide.elasticsearch.Sums
local function counting_strictly(input, name)
  local query = { q = input.query or "*" }
  if is_pattern(name) then query.allow_no_indices, query.expand_wildcards = "false", "all" end
  local ask = asking(input, "/" .. name .. "/_count", query, name)
  return function()
    local ok, body, status = pcall(ask)
    if not ok and type(body) == "table" and body.type == CLOSED then return { count = 0, exists = true, complete = false } end
    if not ok then error(body, 0) end
    return status == NOT_FOUND and { count = 0, exists = false, complete = true } or sums_of(body)
  end
end

---The words of servers that know no privileges: OpenSearch, and Elasticsearch without its security.
local no_privileges = { "no handler found", "Security must be explicitly enabled", "Security is not enabled" }

---Returns a function that raises an error if the user may not read every index that a pattern may fit. Elasticsearch leaves
---those out of a pattern.
---@param input bide.elasticsearch.Inputs
---@param names string[]
---@return fun()
local function checking_privileges(input, names)
  local request = http.request_of(input, "/_security/user/_has_privileges")
  request.method, request.json = "POST", { index = { { names = names, privileges = { "read" } } } }
  local send = http.prepare(request)
  return function()
    local response = send()
    local body = response:document() and response:json()
    if response.status == OK and type(body) == "table" and body.has_all_requested == true then return end
    if response.ok then
      if type(body) ~= "table" or body.has_all_requested ~= false then refuse() end
      error({ type = "Forbidden", status = 403, message = ("the user may not read every index of %s, and those are hidden "
        .. "(unseen=true takes them for gone)"):format(input.index) }, 0)
    end
    for _, words in ipairs(no_privileges) do
      if response.body:find(words, 1, true) then return end
    end
    raise(response, body, input)
  end
end

---Returns a function that counts the documents of each name by itself. Of several names in one request, a missing one hides
---the others.
---@param input bide.elasticsearch.Inputs
---@return fun(): bide.elasticsearch.Sums
local function counting_each(input)
  local names, counts, has_pattern = {}, {}, false
  for name in input.index:gmatch "[^,]+" do
    names[#names + 1], counts[#counts + 1] = name, counting_strictly(input, name)
    has_pattern = has_pattern or is_pattern(name)
  end
  local check_privileges = has_pattern and not input.unseen and checking_privileges(input, names)
  return function()
    local all = { count = 0, exists = false, complete = true }
    for position, name in ipairs(names) do
      if name:sub(1, 1) == "-" then
        fail("InvalidInput", ("index: expected names and patterns, found %s, which leaves indices out"):format(name))
      end
      local found = counts[position]()
      all.count, all.exists, all.complete = all.count + found.count, all.exists or found.exists, all.complete and found.complete
    end
    if check_privileges and all.count == 0 then check_privileges() end
    return all
  end
end

---Reads an input once: returns a function that counts the documents of an index that a query finds. If there are none, it
---asks more closely what hides them: closed and hidden indices, those that the user may not read, and a name that is missing
---beside others.
---@param input bide.elasticsearch.Inputs
---@return (fun(): bide.elasticsearch.Count)?
---@return string? mistake
function M.prepare_count(input)
  local mistake = mistake_of(input.index)
  if mistake then return nil, mistake end
  local ask = asking(input, "/" .. input.index .. "/_count", { q = input.query or "*" }, input.index)
  local count_each = is_wide(input) and counting_each(input)
  local wanted = input.count or 1
  return function()
    local body, status = ask()
    local found = status == NOT_FOUND and { count = 0, exists = false, complete = true } or sums_of(body)
    if found.count == 0 and count_each then found = count_each() end
    local state = found.count >= wanted and "found" or ("%d of %d documents"):format(found.count, wanted)
    return {
      state = found.exists and state or "there is no such index", count = found.count, exists = found.exists,
      complete = found.complete,
    }
  end
end

---A parameter that no server knows.
local UNKNOWN <const> = "bide_witness"

---Confirms that it is Elasticsearch or OpenSearch that has counted, for the `witness` of an operation: it knows no such
---parameter, and says so before it looks at any index. Other programs answer a question with it as they do without it.
---@param context { input: bide.elasticsearch.Inputs }
---@return boolean
function M.confirm_count(context)
  local request = http.request_of(context.input, "/" .. context.input.index .. "/_count", { [UNKNOWN] = "1" })
  local response = http.request(request)
  local body = response:document() and response:json()
  local failure = type(body) == "table" and body.error
  local words = response.status == BAD_REQUEST and type(failure) == "table" and failure.reason
  if type(words) == "string" and words:find(("unrecognized parameter: [%s]"):format(UNKNOWN), 1, true) then return true end
  refuse()
end

---Counts once, as the function of `elasticsearch.prepare_count`.
---@param input bide.elasticsearch.Inputs
---@return bide.elasticsearch.Count
function M.count(input)
  return once("count", M.prepare_count, input)
end

return M
