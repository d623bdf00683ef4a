---Opens a store by its URL: `sqlite:FILE` or a path for a file of this machine, `postgres://…` for a database.

local option = require "bide.text.option"
local verbs = require "bide.record.store.verbs"

local M = {}

---@class bide.record.Opening
---@field must_exist? boolean whether a file that is missing is a mistake; else it is made
---@field before_connecting? fun(hosts: bide.postgres.session.Host[]) called for a database, once all files were read that a
---connection needs; may not return

---The functions that open stores, by the schemes of their URLs.
---@type table<string, fun(url: string, rest: string, opening: bide.record.Opening): bide.Store?, string?>
local openers = {
  sqlite = function(url, file, opening) return require("bide.record.store.sqlite").open(url, file, opening) end,
  postgres = function(url, _, opening) return require("bide.record.store.postgres").open(url, opening) end,
}
openers.postgresql = openers.postgres

---Returns the scheme of a URL and what follows it. A text without a scheme is a path, and so is one that begins with a dot
---or a slash.
---@param url string
---@return string scheme
---@return string rest
local function split(url)
  local scheme, rest = url:match "^(%a[%w+.-]*):(.*)$"
  if scheme then return scheme:lower(), rest end
  return "sqlite", url
end

---Reports whether something can be the name of a file, or a database.
---@param rest string
---@return boolean
local function is_name(rest)
  return rest:find "%S" ~= nil and not rest:find("\0", 1, true)
end

---Returns the file of a store; nil for a database.
---@param url string
---@return string? file
function M.file(url)
  local scheme, rest = split(url)
  return scheme == "sqlite" and is_name(rest) and rest or nil
end

---@param url string
---@param opening? bide.record.Opening
---@return bide.Store?
---@return string? mistake
function M.open(url, opening)
  local scheme, rest = split(url)
  local open = openers[scheme]
  if not open or not is_name(rest) then
    return nil, option.expected("sqlite:FILE, a path, or postgres://HOST/DATABASE", url)
  end
  local store, mistake = open(url, rest, opening or {})
  if not store then return nil, mistake end
  for _, name in ipairs(verbs.names) do assert(store[name], name) end
  return store
end

return M
