---Signatures of recipes: of the manifest of a bundle, by ssh-keygen, in the namespace bide-recipe.

local chunk = require "bide.recipe.file.chunk"
local exec = require "bide.exec"
local luv = require "luv"

local M = {}

local NAMESPACE = "bide-recipe"

---The bounds of a signature in bytes, and of what ssh-keygen takes in seconds.
local MOST, PATIENCE = 64 * 1024, 10

---Runs ssh-keygen. Must run in a task.
---@param arguments string[]
---@param text string its standard input
---@return string? output
---@return string? mistake
local function run(arguments, text)
  local ok, done = pcall(exec, { "ssh-keygen", table.unpack(arguments) }, { stdin = text, timeout = PATIENCE })
  if not ok then return nil, "ssh-keygen: " .. (type(done) == "table" and done.message or tostring(done)) end
  if done.code == 0 then return done.stdout end
  return nil, "ssh-keygen: " .. (done.stderr:match "^[^\r\n]+" or ("exit code %s"):format(done.code))
end

---Signs a manifest by a private key, or by a public one whose private key an agent has.
---@param manifest string
---@param key string a file
---@return string? signature
---@return string? mistake
function M.sign(manifest, key)
  local _, missing = chunk.read(key)
  if missing then return nil, missing end
  return run({ "-Y", "sign", "-f", key, "-n", NAMESPACE }, manifest)
end

---Returns why a file of allowed signers does not have the key of a signature; nil if it has it, for this namespace and time.
---@param manifest string
---@param signed string the file with the signature
---@param signers string
---@return string?
local function mistake_of_file(manifest, signed, signers)
  local principals, mistake = run({ "-Y", "find-principals", "-s", signed, "-f", signers }, "")
  for principal in (principals or ""):gmatch "[^\r\n]+" do
    local _, refusal = run({ "-Y", "verify", "-f", signers, "-I", principal, "-n", NAMESPACE, "-s", signed }, manifest)
    if not refusal then return nil end
    mistake = refusal
  end
  return mistake or "no signer fits"
end

---Returns why no key of a file of allowed signers has signed a bundle; nil if one has. Must run in a task.
---@param bundle bide.record.Bundle
---@param signers string a file, as ssh-keygen reads it
---@return string?
function M.mistake(bundle, signers)
  local signature = bundle.signature
  if not signature then return "it is not signed" end
  if #signature > MOST then return "its signature is too long" end
  local descriptor, file = luv.fs_mkstemp((os.getenv "TMPDIR" or "/tmp") .. "/bide-signature-XXXXXX")
  if not descriptor then return "its signature: " .. tostring(file) end
  local written = luv.fs_write(descriptor, signature)
  luv.fs_close(descriptor)
  local mistake = written == #signature and mistake_of_file(bundle.manifest, file, signers) or written ~= #signature
    and "its signature cannot be written into a file" or nil
  luv.fs_unlink(file)
  return mistake and ("its signature: %s: %s"):format(signers, mistake) or nil
end

return M
