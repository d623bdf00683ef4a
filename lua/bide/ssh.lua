---Asks an SSH server for its greeting, and for its keys by ssh-keyscan. A server that shows a key need not have the private
---half of it: the proof is made when ssh logs in.
---
---    local ssh = require "bide.ssh"
---    ssh.ask { host = "host", port = 22 }                              --> { banner = "SSH-2.0-OpenSSH_9.2p1" }
---    ssh.ask { host = "host", port = 22, host_key = "SHA256:nThb…" }   --> { banner = …, fingerprint = "SHA256:nThb…" }
---
---Raises the operation errors of bide.tcp and bide.exec, and these:
---
---    InvalidAnswer      the server does not speak the protocol
---    HostKeyMismatch    it has other keys
---    HostKeyNotFound    ssh-keyscan got none

local base64 = require "bide.base64"
local digest = require "bide.digest"
local exec = require "bide.exec"
local fail = require "bide.text.fail"
local option = require "bide.text.option"
local tcp = require "bide.tcp"
local uv = require "luv"

local M = {}

---The most lines that may come before the greeting (RFC 4253, 4.2).
local MOST_LINES = 32

---The base64 of a key, of any type, as a word of a line.
local KEY = "%f[%S]AAAA[%w+/]+=*"

---A comment of ssh-keyscan: it has the greeting, in which a server may write anything.
local COMMENT = "%f[^\n\0]#[^\n]*"

local FINGERPRINT = "^SHA256:[%w+/]+$"

---@class bide.ssh.Options
---@field host string
---@field port integer
---@field host_key? string a fingerprint, or a line of known_hosts or of a public key
---@field timeout? number seconds

---@class bide.ssh.Result
---@field banner string
---@field fingerprint? string

---@return string banner
local function read_banner(dialogue)
  local line
  for _ = 1, MOST_LINES do
    line = dialogue:read_line()
    if line:find "^SSH%-2%.0%-" or line:find "^SSH%-1%.99%-" then return line end
  end
  fail("InvalidAnswer", "this is not the protocol of SSH: " .. option.describe(line))
end

---@param key string base64
---@return string? fingerprint nil if it is not base64
local function fingerprint_of(key)
  local bytes = base64.decode(key)
  return bytes and "SHA256:" .. base64.encode(digest.sha256(bytes)):gsub("=", "")
end

---@param text string
---@return string? fingerprint
local function wanted_of(text)
  local key = text:match(KEY)
  return text:match(FINGERPRINT) or key and fingerprint_of(key) or nil
end

---@param given bide.ssh.Options
---@return string fingerprint
local function compare(given)
  local wanted, found = wanted_of(given.host_key), {}
  local command = { "ssh-keyscan", "-T", "5", "-p", ("%d"):format(given.port), given.host }
  for key in exec(command, { timeout = given.timeout }).stdout:gsub(COMMENT, ""):gmatch(KEY) do
    found[#found + 1] = fingerprint_of(key)
    if found[#found] == wanted then return wanted end
  end
  if #found == 0 then fail("HostKeyNotFound", "ssh-keyscan got no key") end
  fail("HostKeyMismatch", ("expected %s, found %s"):format(wanted, table.concat(found, ", ")))
end

---@param given bide.ssh.Options
---@return bide.ssh.Result
function M.ask(given)
  local banner = tcp({ host = given.host, port = given.port, timeout = given.timeout, talk = read_banner }).answer
  return { banner = banner, fingerprint = given.host_key and compare(given) }
end

local function is_installed(program)
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    if uv.fs_access(folder .. "/" .. program, "X") then return true end
  end
  return false
end

---Returns what is wrong with a host key; nil if it can be asked for.
---@param text? string
---@return string? mistake
function M.mistake(text)
  if not text then return nil end
  if not wanted_of(text) then
    return "host_key: expected SHA256:… or a line of a public key, found " .. option.describe(text)
  end
  if not is_installed "ssh-keyscan" then return "host_key: ssh-keyscan is missing: install the package openssh-client" end
end

return M
