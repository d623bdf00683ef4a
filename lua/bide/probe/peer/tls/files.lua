---The PEM files of certificates and keys that options and inputs name.

local whole_file = require "bide.text.whole_file"

local M = {}

local LARGEST = 4 * 1024 * 1024 -- bytes

local refusal

---Lets no script name a file from now on; the sandbox calls it.
---@param reason string
function M.forbid(reason)
  refusal = reason
end

---Reads a file. It does not wait for a descriptor: its caller may hold a socket, for which others wait.
---@param path string
---@return string? text
---@return string? failure
function M.read(path)
  local text, failure = whole_file.read_now(path, LARGEST)
  if text then return text end
  if not failure then return nil, ("expected at most %d bytes: %s"):format(LARGEST, path) end
  return nil, failure:find(path, 1, true) and failure or ("%s: %s"):format(failure, path)
end

---Returns the lack of descriptors that a failure is about.
---@param failure string
---@return string? lack "EMFILE: too many open files"
function M.lack_in(failure)
  return failure:match "EMFILE: too many open files" or failure:match "ENFILE: file table overflow"
end

-- ---- inputs ---------------------------------------------------------------------------------------

---The inputs and options that name a PEM file, the content that it must have, and a word of the first line of that.
local rows = {
  { "ca", "a certificate", "CERTIFICATE" }, { "certificate", "a certificate", "CERTIFICATE" },
  { "key", "a private key", "PRIVATE KEY" },
}

---@param file string
---@param noun string
---@param word string
---@return string? mistake
local function mistake_of_file(file, noun, word)
  local text, mistake = whole_file.read(file, LARGEST)
  if not text then return mistake end
  if not text:find("%-%-%-%-%-BEGIN [%w ]*" .. word .. "%-%-%-%-%-") then
    return ("%s: expected %s in PEM, found none"):format(file, noun)
  end
end

---Returns the mistake of inputs that name files.
---@param input { ca: string?, certificate: string?, key: string? }
---@return string? mistake
function M.mistake(input)
  local mistake = M.refusal(input)
  if mistake then return mistake end
  for _, row in ipairs(rows) do
    local name, file = row[1], input[row[1]]
    mistake = file and mistake_of_file(file, row[2], row[3])
    if mistake then return ("%s: %s"):format(name, mistake) end
  end
end

---Returns why a script may not name the files that it names; nil if it names none, or may.
---@param given { ca: string?, certificate: string?, key: string? }
---@return string? mistake
function M.refusal(given)
  for _, row in ipairs(rows) do
    if refusal and given[row[1]] ~= nil then return ("%s: %s"):format(row[1], refusal) end
  end
end

return M
