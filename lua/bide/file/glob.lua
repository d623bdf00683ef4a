---Finds files by a pattern, as a shell does: `*` is any text, `?` one character, `[a-z]` one of a set and `[!a-z]` one
---that is not in it; `\` takes the special meaning from a character. None of them is a "/", or a "." at the beginning of
---a name. Each name takes a time that is proportional to its length and the pattern's. What some shells read otherwise,
---`**`, `{a,b}` and `[[:alpha:]]`, is a mistake, since it would fit no file.
---
---    local glob = require "bide.file.glob"
---    return { Count = { prepare = glob.prepare, input = glob.inputs(), waitable = { … } } }

local yield = require "bide.task.yield"
local option = require "bide.text.option"
local retries = require "bide.task.retries"
local system = require "bide.probe.file.system"

local M = {}

local AT_ONCE = 1000 -- names until other tasks continue

-- ---- names -------------------------------------------------------------------------------------

---A part of a name: "*", "?", or the characters of which one may be there. A character by itself is the only one of them.
---@alias bide.file.Piece "*"|"?"|bide.file.Characters

---@class bide.file.Characters
---@field is_negated boolean whether all others are meant
---@field [integer] { first: string, last: string } ranges, in the order of their bytes, which is that of the characters

---Returns the character at a position, of UTF-8 if it is that.
local function character_at(text, at)
  return text:match("^[\xC2-\xF4][\x80-\xBF]+", at) or text:sub(at, at)
end

---Raises a mistake in a pattern, which `parts_of` catches.
local function refuse(wanted, pattern)
  error({ mistake = option.expected(wanted, pattern) }, 0)
end

---Returns the character of a pattern at a position, which a backslash may precede, and the position after it.
local function member_at(pattern, at)
  if pattern:sub(at, at) == "\\" and at < #pattern then at = at + 1 end
  local character = character_at(pattern, at)
  return character, at + #character
end

---Reads a set: what is between "[" and "]". A "]" that comes first is a member.
---@return bide.file.Characters set
---@return integer next
local function set_at(pattern, at)
  local negation, first = pattern:match("^%[([!^]?)()", at)
  local set = { is_negated = negation ~= "" }
  at = first
  while at == first or pattern:sub(at, at) ~= "]" do
    if at > #pattern then refuse("] at the end of a set", pattern) end
    if pattern:find("^%[[:.=]", at) then refuse("the characters of a set themselves, as in [a-z], and no class", pattern) end
    local from, last
    from, at = member_at(pattern, at)
    last = from
    if pattern:find("^%-[^%]]", at) then last, at = member_at(pattern, at + 1) end
    if last < from then refuse(("%s-%s in place of %s-%s in a set"):format(last, from, from, last), pattern) end
    set[#set + 1] = { first = from, last = last }
  end
  return set, at + 1
end

---@param pattern string
---@return bide.file.Piece piece
---@return integer next
local function piece_at(pattern, at)
  local letter = pattern:sub(at, at)
  if letter == "[" then return set_at(pattern, at) end
  if pattern:find("^%*%*", at) then refuse("one * for each folder: ** is not read", pattern) end
  if letter == "*" or letter == "?" then return letter, at + 1 end
  if pattern:find("^[!+@]%([^()]*%)", at) then
    refuse(("no patterns of ksh, which are not read (\\%s is the character)"):format(letter), pattern)
  end
  if pattern:find("^{[^{}]*,[^{}]*}", at) or pattern:find("^{[^{}]*%.%.[^{}]*}", at) then
    refuse("no braces, which are not expanded (\\{ is the character)", pattern)
  end
  local character, next = member_at(pattern, at)
  return { is_negated = false, { first = character, last = character } }, next
end

---@return bide.file.Piece[]
local function pieces_of(pattern)
  local pieces, at = {}, 1
  while at <= #pattern do pieces[#pieces + 1], at = piece_at(pattern, at) end
  return pieces
end

---Returns the last byte of what a piece other than "*" takes of a name; nil if it does not fit.
---@return integer?
local function take(piece, name, at)
  local character, is_in = character_at(name, at), piece == "?"
  for _, range in ipairs(piece ~= "?" and piece or {}) do
    is_in = is_in or character >= range.first and character <= range.last
  end
  if piece ~= "?" and piece.is_negated then is_in = not is_in end
  return is_in and at + #character - 1 or nil
end

---Reports whether a name fits. Of several ways to match, only the last "*" is ever tried again.
local function fits(name, pieces)
  local at, number, star, again = 1, 1, nil, nil
  while at <= #name do
    local piece = pieces[number]
    local last = piece and piece ~= "*" and take(piece, name, at)
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

---A part of a path: what is between two slashes.
---@class bide.file.Part
---@field text string
---@field slashes string behind it
---@field pieces bide.file.Piece[]? of a pattern
---@field shows_hidden boolean whether names that begin with a "." may fit

---Reads a pattern.
---@param path string
---@return bide.file.Part[]? parts
---@return string? mistake
local function parts_of(path)
  local parts = {}
  for text, slashes in path:gmatch "([^/]+)(/*)" do
    local ok, pieces = pcall(pieces_of, text)
    if not ok then return nil, pieces.mistake or error(pieces, 0) end
    parts[#parts + 1] = {
      text = text, slashes = slashes, pieces = M.is_pattern(text) and pieces or nil, shows_hidden = text:find "^\\?%." ~= nil,
    }
  end
  return parts
end

---Returns what is wrong with a pattern, which would fit no file.
---@param path string
---@return string? mistake
function M.mistake(path)
  return select(2, parts_of(path))
end

---Returns a function that reports whether a name fits one part of a path, a pattern or a name; no name fits a wrong
---pattern.
---@param text string without a slash
---@return fun(name: string): boolean
function M.fitting(text)
  local part = (parts_of(text) or {})[1]
  if not part then return function() return false end end
  if not part.pieces then return function(name) return name == text end end
  return function(name)
    return (part.shows_hidden or name:sub(1, 1) ~= ".") and fits(name, part.pieces)
  end
end

---Adds the paths in a folder whose names fit.
---@param part bide.file.Part
local function add_fitting(paths, folder, part)
  local names, failure = system.list(folder == "" and "." or folder)
  if failure and not system.is_missing(failure) then system.fail(folder, failure) end
  if failure then retries.note(("there is no folder %s"):format(folder)) end
  for number, name in ipairs(names or {}) do
    if number % AT_ONCE == 0 then yield() end
    local may_fit = part.shows_hidden or name:sub(1, 1) ~= "."
    if may_fit and fits(name, part.pieces) then paths[#paths + 1] = folder .. name end
  end
end

---Returns the paths for a pattern, in the order of their bytes. A part without a pattern is taken as it is, whether there
---is such a file or not.
---@param root string the slashes that it begins with
---@param parts bide.file.Part[]
local function paths_of(root, parts)
  local paths = { root }
  for _, part in ipairs(parts) do
    local found = {}
    for _, folder in ipairs(paths) do
      if part.pieces then add_fitting(found, folder, part) else found[#found + 1] = folder .. part.text end
    end
    for number, path in ipairs(found) do found[number] = path .. part.slashes end
    paths = found
  end
  table.sort(paths)
  return paths
end

---@class bide.file.GlobInput
---@field path string
---@field stable? number seconds since the last write to a file, at least
---@field age? number seconds since the last write to a file, at most

---Finds the files that fit the parts of a pattern.
---@param given bide.file.GlobInput
---@param parts bide.file.Part[]
---@return bide.file.Result[] files
---@return integer others
local function find(given, parts)
  system.check(given.path)
  local files, others = {}, 0
  for _, path in ipairs(paths_of(given.path:match "^/*", parts)) do
    local result, failure = system.inspect(path)
    if failure and not system.is_missing(failure) then system.fail(path, failure) end
    if not result then
      others = others + (system.remains(path) and 1 or 0)
    elseif result.age <= (given.age or math.huge) then
      local is_stable = result.age >= (given.stable or 0)
      if is_stable then files[#files + 1] = result else others = others + 1 end
    end
  end
  return files, others
end

---Returns the files that fit a pattern, as bide.file inspects them, in the order of their paths. A folder that may not be
---listed raises PermissionDenied; one that does not exist has no files.
---@param given bide.file.GlobInput
---@return bide.file.Result[] files
---@return integer others names that fit and are not counted: links that lead to no file, and files that are not stable
function M.files(given)
  local parts, mistake = parts_of(given.path)
  if not parts then system.refuse("InvalidPath", given.path, mistake) end
  return find(given, parts)
end

-- ---- a recipe's ----------------------------------------------------------------------------------

---The check of an operation with such inputs that has no `prepare`.
---@param input table
---@return string? mistake
function M.check(input)
  local mistake = M.mistake(input.path)
  return mistake and "path: " .. mistake or nil
end

---Returns the declarations of the inputs of `count`.
---@return table<string, bide.InputMember>
function M.inputs()
  return {
    path = { type = "path", required = true, positional = 1, example = "/in/*.csv",
      documentation = "The pattern: `*` is any text, `?` a character, `[a-z]` one of a set, within one part of a path." },
    count = { type = "integer", asks = true, default = 1, minimum = 1, documentation = "The least number of files." },
    stable = { type = "duration", asks = true, documentation = "Counts only files that have stayed unchanged for this time." },
    age = { type = "duration", asks = true, documentation = "Counts only files that were written to within this time." },
  }
end

---@class bide.file.Count
---@field count integer
---@field enough boolean
---@field gone boolean whether no name fits: a link that leads to no file is one, and so is a file that is not stable yet
---@field first? bide.file.Result
---@field last? bide.file.Result

---@return bide.file.Count
local function count_of(input, files, others)
  retries.remark(("%d file%s the pattern"):format(#files, #files == 1 and " fits" or "s fit"))
  return {
    count = #files, enough = #files >= (input.count or 1), gone = #files + others == 0, first = files[1], last = files[#files],
  }
end

---Counts the files that fit a pattern.
---@param input table
---@return bide.file.Count
function M.count(input)
  return count_of(input, M.files(input))
end

---Reads a pattern once: returns a function that counts the files that fit it. For the `prepare` of an operation.
---@param input table
---@return (fun(): bide.file.Count)?
---@return string? mistake
function M.prepare(input)
  local parts, mistake = parts_of(input.path)
  if not parts then return nil, "path: " .. mistake end
  return function() return count_of(input, find(input, parts)) end
end

return M
