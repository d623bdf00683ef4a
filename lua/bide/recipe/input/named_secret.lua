---Secrets by name, in the inputs of waits that a store keeps: `password=@secret:NAME` on the line, and in JSON
---`{"$secret": "NAME", "prefix": "Bearer "}`. The store has the name; the worker puts the value in its place for an attempt.
---Where an input is only checked, as before it is submitted, a substitute takes the place of the value.

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

local MEMBER = "$secret"

---True if the waits of this command may have secrets by name.
local is_allowed = false

---Lets the waits of this command have secrets by name, since a store keeps them.
function M.allow()
  is_allowed = true
end

---Returns the mistake in the name of a secret, which is that of a file.
---@param name any
---@return string?
function M.mistake_of_name(name)
  if type(name) == "string" and name:find "^%w[%w._-]*$" and #name <= 63 and not name:find "%.grant$" then return nil end
  return option.expected("the name of a secret: up to 63 letters, digits, dots, - and _, which begins with a letter or a digit",
    name)
end

---Returns the name in `@secret:NAME`; nil for another text.
---@param text string
---@return string?
function M.name_in(text)
  return text:match "^@secret:(.*)$"
end

---Returns the form of a secret in an input.
---@param name string
---@return table
function M.of(name)
  return { [MEMBER] = name }
end

---@return string? mistake
local function mistake_of(reference)
  for member in pairs(reference) do
    if member ~= MEMBER and member ~= "prefix" then
      return ("%s: only prefix may be beside $secret"):format(tostring(member))
    end
  end
  local prefix = reference.prefix
  -- More would be a place for a secret: a prefix is kept as it is.
  local fits = prefix == nil or type(prefix) == "string" and #prefix <= 32 and prefix:find "^%a[%w_-]* $"
  if not fits then return 'prefix: expected a word and a blank, as "Bearer "' end
  return M.mistake_of_name(reference[MEMBER])
end

---@class bide.NamedSecret
---@field name string
---@field prefix string
---@field keys string[] the way to it, from the input on
---@field path string the same for a message: "headers.Authorization"

---@param keys string[]
---@param is_in_list boolean
---@param replace fun(secret: bide.NamedSecret): any, string?
---@return any value
---@return string? mistake
local function replace_one(reference, keys, is_in_list, replace)
  local path = table.concat(keys, ".")
  local mistake = is_in_list and "a secret by name is a member of an object, and cannot be in a list" or mistake_of(reference)
  local found
  if not mistake then
    found, mistake = replace {
      name = reference[MEMBER], prefix = reference.prefix or "", path = path, keys = tables.joined(keys),
    }
  end
  return found, mistake and ("%s: %s"):format(path == "" and "the input" or path, mistake)
end

---Puts another value in the place of each secret.
---@param keys string[] the way to the value
---@param is_in_list boolean at any depth
---@param replace fun(secret: bide.NamedSecret): any, string? the value, or nil and a mistake
---@return any value
---@return string? mistake
local function replaced(value, keys, is_in_list, replace)
  if type(value) ~= "table" or value == json.null then return value end
  local is_list = json.is_array(value)
  if not is_list and value[MEMBER] ~= nil then return replace_one(value, keys, is_in_list or #keys == 0, replace) end
  local names = is_list and {} or option.sorted_keys(value)
  for position = 1, is_list and #value or 0 do names[position] = position end
  for _, key in ipairs(names) do
    keys[#keys + 1] = tostring(key)
    local found, mistake = replaced(value[key], keys, is_in_list or is_list, replace)
    if mistake then return nil, mistake end
    value[key] = found
    keys[#keys] = nil
  end
  return value
end

---Reports whether an input may have secrets by name. Most have none, and are not walked through.
---@param document userdata
local function may_have(document)
  return document:type() == "object" and document:json():find('"$secret"', 1, true) ~= nil
end

---@param document userdata the input
---@param replace fun(secret: bide.NamedSecret): any, string?
---@return userdata? document
---@return string? mistake
local function document_with(document, replace)
  local value, mistake = replaced(document:value(), {}, false, replace)
  if mistake then return nil, mistake end
  return assert(json.document(value))
end

---Returns an input with the values of its secrets.
---@param document userdata
---@param find fun(name: string): string?, string? returns the value of a secret, or nil and a mistake
---@return userdata? document
---@return string? mistake
function M.fill(document, find)
  if not may_have(document) then return document end
  return document_with(document, function(secret)
    local text, mistake = find(secret.name)
    return text and secret.prefix .. text, mistake
  end)
end

---Returns an input with substitutes for its secrets; a mistake if there are some and they may not be.
---@param document userdata
---@param is_of_store? boolean whether it is that of a wait of a store, whatever the command is
---@return userdata? document
---@return string? mistake
function M.substitute(document, is_of_store)
  if not may_have(document) then return document end
  return document_with(document, function(secret)
    if not is_allowed and not is_of_store then
      return nil, "a secret by name is for the waits of a store, whose workers know it; here write "
        .. ("%s=@env:NAME or %s=@file:PATH"):format(secret.path, secret.path)
    end
    return ("%ssecret-%s"):format(secret.prefix, secret.name)
  end)
end

---Returns the secrets of an input; none if it has a mistake.
---@param document userdata
---@return bide.NamedSecret[]
function M.list(document)
  local list = {}
  if not may_have(document) then return list end
  document_with(document, function(secret)
    list[#list + 1] = secret
    return true
  end)
  return list
end

---Returns the members of an input without its secrets, to look for others.
---@param list bide.NamedSecret[]
---@param completed userdata the input with their substitutes
---@return table
function M.others(list, completed)
  local members = completed:value()
  for _, secret in ipairs(list) do
    local object = members
    for position = 1, #secret.keys - 1 do object = object[secret.keys[position]] end
    object[secret.keys[#secret.keys]] = nil
  end
  return members
end

return M
