---Finds the socket of Docker's API where the input does not name it, as the docker command does: that of DOCKER_HOST, of the
---context which DOCKER_CONTEXT or the file config.json names, or the usual one. An API that is not at a socket is refused: what
---the daemon at the usual socket says of a container would be about another one.

local core = require "bide.core"
local digest = require "bide.digest"
local option = require "bide.text.option"
local variable = require "bide.text.environment"
local whole_file = require "bide.text.whole_file"

local M = {}

M.USUAL = "/var/run/docker.sock"

---The most bytes of a file, and the error of a file that is not there.
local LARGEST <const>, NO_SUCH_FILE <const> = 1024 * 1024, 2

---@param file string
---@return table? object nil if there is no such file
---@return string? mistake
local function read(file)
  local text, mistake, code = whole_file.read(file, LARGEST)
  if not text then return nil, code ~= NO_SUCH_FILE and mistake or nil end
  local object, failure = core.json.decode(text)
  if type(object) ~= "table" then return nil, ("%s: expected an object of JSON: %s"):format(file, tostring(failure or "")) end
  return object
end

---@param host any as DOCKER_HOST has it
---@param of string where it is from
---@return string? path
---@return string? mistake
local function path_of(host, of)
  local path = type(host) == "string" and host:match "^unix://(/.+)$"
  if path then return path end
  return nil, ("%s says where Docker is: %s"):format(of, option.expected("unix:///PATH, for bide asks a socket", host))
end

---@param name string of a context
---@param folder string? of Docker's configuration
---@param of string what names it
local function path_of_context(name, folder, of)
  local words = ("the context %s of %s"):format(option.describe(name), of)
  local hash = digest.sha256(name):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)
  local meta, mistake = read(("%s/contexts/meta/%s/meta.json"):format(folder or "", hash))
  if not meta then return nil, mistake or words .. " is not there" end
  local endpoints = type(meta.Endpoints) == "table" and meta.Endpoints or {}
  return path_of(type(endpoints.docker) == "table" and endpoints.docker.Host or nil, words)
end

---@return string? path
---@return string? mistake
local function find()
  local host, context, home = variable "DOCKER_HOST", variable "DOCKER_CONTEXT", variable "HOME"
  local folder = variable "DOCKER_CONFIG" or home and home .. "/.docker"
  if host and context then return nil, "DOCKER_HOST and DOCKER_CONTEXT are set: unset one of them" end
  if host then return path_of(host, "DOCKER_HOST") end
  local of = "DOCKER_CONTEXT"
  if not context and folder then
    local config, mistake = read(folder .. "/config.json")
    if mistake then return nil, mistake end
    context, of = config and config.currentContext, folder .. "/config.json"
  end
  if type(context) ~= "string" or context == "" or context == "default" then return M.USUAL end
  return path_of_context(context, folder, of)
end

local found, wrong

---Returns the path of the socket. It is looked for once.
---@param given? string one that is named
---@return string? path
---@return string? mistake
function M.of(given)
  if given then return given end
  if not found and not wrong then found, wrong = find() end
  return found, wrong and wrong .. "; or give socket=PATH"
end

return M
