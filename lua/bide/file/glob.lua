---Finds files by a pattern, as a shell does: `*` is any text, `?` one character, `[a-z]` one of a set and `[!a-z]` one
---that is not in it; `\` takes the special meaning from a character. None of them is a "/", or a "." at the beginning of
---a name. Each name takes a time that is proportional to its length and the pattern's.
---
---    local glob = require "bide.file.glob"
---    return { Count = { call = glob.count, input = glob.inputs(), waitable = { … } } }

local breath = require "bide.tasks.breath"
local system = require "bide.file.system"

local M = {}

local AT_ONCE = 1000 -- names until other tasks continue

-- ---- names -------------------------------------------------------------------------------------

---One character, of UTF-8 if it is that.
local CHARACTER = ".[\x80-\xBF]*"

---Reads what one name is made of: "*", or a Lua pattern that is anchored where it is tried.
---@param pattern string
---@return string piece
---@return integer next
local function piece_at(pattern, at)
  local letter = pattern:sub(at, at)
  local negation, members = pattern:match("^%[([!^]?)(%]?[^%]]*)%]", at)
  if letter == "*" then return "*", at + 1 end
  if letter == "?" then return "^" .. CHARACTER, at + 1 end
  if members and members ~= "" then
    return ("^[%s%s]"):format(negation ~= "" and "^" or "", members:gsub("[%%%]%[^]", "%%%0")),
      at + #negation + #members + 2
  end
  if letter == "\\" and at < #pattern then at, letter = at + 1, pattern:sub(at + 1, at + 1) end
  return "^" .. letter:gsub("%p", "%%%0"), at + 1
end

local function pieces_of(pattern)
  local pieces, at = {}, 1
  while at <= #pattern do pieces[#pieces + 1], at = piece_at(pattern, at) end
  return pieces
end

---Reports whether a name fits. Of several ways to match, only the last "*" is ever tried again.
local function fits(name, pieces)
  local at, number, star, again = 1, 1, nil, nil
  while at <= #name do
    local piece = pieces[number]
    local _, last = nil, nil
    if piece and piece ~= "*" then _, last = name:find(piece, at) end
    if piece == "*" then
      star, again, number = number, at, number + 1
    elseif last then
      at, number = last + 1, number + 1
    elseif star then
      again = again + 1
      at, number = again, star + 1
    else
      return false
    end
  end
  while pieces[number] == "*" do number = number + 1 end
  return number > #pieces
end

---Reports whether a path has a pattern in it.
---@param path string
---@return boolean
function M.is_pattern(path)
  return path:find "[*?[\\]" ~= nil
end

-- ---- folders -----------------------------------------------------------------------------------

---Adds the paths in a folder whose names fit.
local function add_fitting(paths, folder, part)
  local names, failure = system.list(folder == "" and "." or folder)
  if failure and not system.is_missing(failure) then system.fail(folder, failure) end
  local pieces, shows_hidden = pieces_of(part), part:find "^\\?%." ~= nil
  for number, name in ipairs(names or {}) do
    if number % AT_ONCE == 0 then breath() end
    if (shows_hidden or name:sub(1, 1) ~= ".") and fits(name, pieces) then paths[#paths + 1] = folder .. name end
  end
end

---Returns the paths for a pattern, in the order of their bytes. A part without a pattern is taken as it is, whether there
---is such a file or not.
local function paths_of(pattern)
  local paths = { pattern:match "^/*" }
  for part, slashes in pattern:gmatch "([^/]+)(/*)" do
    local found = {}
    for _, folder in ipairs(paths) do
      if M.is_pattern(part) then add_fitting(found, folder, part) else found[#found + 1] = folder .. part end
    end
    for number, path in ipairs(found) do found[number] = path .. slashes end
    paths = found
  end
  table.sort(paths)
  return paths
end

---@class bide.file.GlobInput
---@field path string
---@field stable? number seconds since the last write to a file, at least
---@field age? number seconds since the last write to a file, at most

---Returns the files that fit a pattern, as bide.file inspects them, in the order of their paths. A folder that may not be
---listed raises PermissionDenied; one that does not exist has no files.
---@param given bide.file.GlobInput
---@return bide.file.Result[]
function M.files(given)
  system.check(given.path)
  local files = {}
  for _, path in ipairs(paths_of(given.path)) do
    local result, failure = system.inspect(path)
    if failure and not system.is_missing(failure) then system.fail(path, failure) end
    if result and result.age >= (given.stable or 0) and result.age <= (given.age or math.huge) then
      files[#files + 1] = result
    end
  end
  return files
end

-- ---- a recipe's ----------------------------------------------------------------------------------

---Returns the declarations of the inputs of `count`.
---@return table<string, bide.InputMember>
function M.inputs()
  return {
    path = { type = "string", required = true, positional = 1, example = "/in/*.csv",
      documentation = "The pattern: `*` is any text, `?` a character, `[a-z]` one of a set, within one part of a path." },
    count = { type = "integer", asks = true, default = 1, minimum = 1, documentation = "The least number of files." },
    stable = { type = "duration", asks = true, documentation = "Counts only files that have stayed unchanged for this time." },
    age = { type = "duration", asks = true, documentation = "Counts only files that were written to within this time." },
  }
end

---Counts the files that fit a pattern.
---@param input table
---@return { count: integer, enough: boolean, first: bide.file.Result?, last: bide.file.Result? }
function M.count(input)
  local files = M.files(input)
  return { count = #files, enough = #files >= input.count, first = files[1], last = files[#files] }
end

return M
