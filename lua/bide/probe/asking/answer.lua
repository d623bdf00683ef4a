---Reads the answers of services and programs. Their JSON is read leniently, and the note of the attempt says what was replaced
---or is there twice; options, inputs and recipes, which a person can correct, are read strictly. A status of 300 or above
---becomes an operation error, whose type is the service's own if it gives one.

local core = require "bide.core"
local retry_after = require("bide.text.http_date").retry_after
local retries = require "bide.task.retries"

local json = core.json

local M = {}

local lenient = { lenient = true }

---@param text string
---@return any value
---@return bide.Failure? failure if value is nil
function M.decode(text)
  local value, failure, note, repeated = json.decode(text, lenient)
  if note then retries.repaired(note, repeated) end
  return value, failure
end

---@param text string
---@return bide.Document? document
---@return bide.Failure? failure
function M.read(text)
  local document, failure, note, repeated = json.read(text, lenient)
  if note then retries.repaired(note, repeated) end
  return document, failure
end

local announcing = { ["application/json"] = true, ["text/json"] = true }

---Reports whether the content type of an answer says that its body is JSON.
---@param response bide.http.Response
---@return boolean
function M.is_announced_as_json(response)
  local media_type = response:media_type()
  if not media_type then return false end
  return announcing[media_type] or media_type:find("^application/x%-amz%-json%-") ~= nil
    or media_type:find("+json", -5, true) ~= nil
end

---The standard phrases (RFC 9110 and the registry). A status without one is named by its number.
local phrases = {
  [300] = "Multiple Choices", [301] = "Moved Permanently", [302] = "Found", [303] = "See Other",
  [304] = "Not Modified", [305] = "Use Proxy", [307] = "Temporary Redirect",
  [308] = "Permanent Redirect",
  [400] = "Bad Request", [401] = "Unauthorized", [402] = "Payment Required", [403] = "Forbidden",
  [404] = "Not Found", [405] = "Method Not Allowed", [406] = "Not Acceptable",
  [407] = "Proxy Authentication Required", [408] = "Request Timeout", [409] = "Conflict",
  [410] = "Gone", [411] = "Length Required", [412] = "Precondition Failed",
  [413] = "Content Too Large", [414] = "URI Too Long", [415] = "Unsupported Media Type",
  [416] = "Range Not Satisfiable", [417] = "Expectation Failed", [421] = "Misdirected Request",
  [422] = "Unprocessable Content", [423] = "Locked", [424] = "Failed Dependency",
  [425] = "Too Early", [426] = "Upgrade Required", [428] = "Precondition Required",
  [429] = "Too Many Requests", [431] = "Request Header Fields Too Large",
  [451] = "Unavailable For Legal Reasons",
  [500] = "Internal Server Error", [501] = "Not Implemented", [502] = "Bad Gateway",
  [503] = "Service Unavailable", [504] = "Gateway Timeout", [505] = "HTTP Version Not Supported",
  [506] = "Variant Also Negotiates", [507] = "Insufficient Storage", [508] = "Loop Detected",
  [510] = "Not Extended", [511] = "Network Authentication Required",
}

---The most bytes of a plain text that is taken as a message.
local LONGEST_TEXT = 300

---Returns the type that a text names: Foo for `aws.protocols#Foo:http://example.com/`; nil if the text is not a name, but
---a number or a sentence.
local function bare_name(text)
  return type(text) == "string" and core.wait.error_name(text):match("^%a[%w._%-]*$") or nil
end

---The header x-amzn-query-error is a type, a semicolon, and the side at fault.
local function from_headers(headers)
  local query_error = headers["x-amzn-query-error"]
  return bare_name(headers["x-amzn-errortype"]) or bare_name(query_error and query_error:match("^[^;]*"))
end

local function non_empty(text)
  return type(text) == "string" and text ~= "" and text or nil
end

---Returns the type that an object names by the first of some members, or that member if its value is in doubt.
---@param object table
---@param members string[]
---@return string? name
---@return string? repeated
local function name_in(object, members)
  for _, member in ipairs(members) do
    local name = bare_name(object[member])
    if object[member] ~= nil and retries.is_repeated(member) then return nil, member end
    if name then return name end
  end
end

local naming, naming_within = { "__type", "code", "Code" }, { "__type", "code", "type" }

---@param object table
---@param is_flat boolean? whether an inner object names nothing
---@return string? name
---@return string? message
---@return string? repeated
local function from_object(object, is_flat)
  local has_inner = not is_flat and type(object.error) == "table"
  local inner = has_inner and object.error or {}
  local name, repeated = name_in(object, naming)
  if not name and not repeated then
    repeated = has_inner and retries.is_repeated "error" and "error" or nil
    if not repeated then name, repeated = name_in(inner, naming_within) end
  end
  local message = non_empty(object.message) or non_empty(object.Message)
    or non_empty(inner.message) or non_empty(inner.Message)
    or non_empty(object.error_description) or non_empty(object.error)
  return name, message, repeated
end

---Returns an error in plain text: one short line, as services in Go write it, some of them without a type.
local function from_text(response)
  local media_type, body = response.headers["content-type"] or "text/plain", response.body
  if #body > LONGEST_TEXT or media_type:lower():match "^[^;%s]*" ~= "text/plain" then return nil end
  return body:match "^%s*([^%c]*[^%c%s])%s*$"
end

---@param response bide.http.Response
---@param is_flat boolean?
local function from_body(response, is_flat)
  local body = response.body
  if body:find("^%s*<") then
    local code, message = require "bide.probe.asking.xml_error"(body)
    return bare_name(code), message
  end
  if not body:find("^%s*{") then return nil, from_text(response) end
  if not response:document() then return nil end
  return from_object(response:json(), is_flat)
end

---Returns the operation error of a response, and whether its type is the service's own word.
---@param response bide.http.Response whose status is 300 or above
---@param is_flat boolean? whether its JSON names the type beside the message, and not in an inner object, as that of AWS does
---@return bide.OperationError
---@return boolean is_named false if the type was made of the status
function M.named_error(response, is_flat)
  local status = response.status
  local phrase = phrases[status]
  local name, message, repeated = from_body(response, is_flat)
  name = from_headers(response.headers) or name
  if not name and repeated then name, message = "InvalidResponse", retries.words_of_repeated(repeated) end
  return retries.with_tries({
    type = name or (phrase and phrase:gsub(" ", "")) or "Http" .. status,
    message = message or phrase or ("the status is " .. status),
    status = status,
    retryAfter = retry_after(response.headers),
  }, retries.of_response(response)), name ~= nil
end

---@param response bide.http.Response
---@return bide.OperationError? error nil if the status is below 300
function M.operation_error(response)
  if response.status < 300 then return nil end
  return (M.named_error(response))
end

---Warns of an answer that a cache has given, and not the service itself.
---@param age string? the header Age
function M.warn_of_age(age)
  local seconds = age and age:match "^0*([1-9]%d*)$"
  if not seconds then return end
  retries.caution(("the answer is %s s old, from a cache, and the service itself may be down"):format(seconds))
end

local PARTIAL <const> = 206 -- which nothing has asked for

---Returns what an expression finds in the JSON of a good answer. Raises the operation error of another status, and
---InvalidAnswer if it finds null or false: then another program than the expected one has answered.
---@param response bide.http.Response
---@param expression string
---@param service string its name, for the message
---@return any
function M.find(response, expression, service)
  local failure, document = response:operation_error(), nil
  if not failure then document, failure = response:document() end
  if failure then error(failure, 0) end
  local found = assert(core.jmespath.compile(expression)):search(document)
  if found and found ~= json.null and response.status ~= PARTIAL then return found end
  error({ type = "InvalidAnswer", message = "this is not an answer of " .. service }, 0)
end

---Adds operation_error to the methods of responses, and makes the methods that read the body put replacements into the
---attempt's note.
---@param methods table<string, function>
function M.extend(methods)
  local read_document, read_json = methods.document, methods.json

  function methods.document(response)
    local document, failure, note, repeated = read_document(response)
    if note then retries.repaired(note, repeated) end
    return document, failure
  end

  function methods.json(response)
    local value, _, note, repeated = read_json(response)
    if note then retries.repaired(note, repeated) end
    return value
  end
  methods.operation_error = M.operation_error
end

return M
