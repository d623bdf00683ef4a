---Reads the annotations (LuaCATS) of a file of Lua: what stands before its functions, and its classes.

local M = {}

---@class spec.api.Typed a parameter, a result or a field
---@field name string?
---@field is_optional boolean?
---@field type string
---@field text string

---@class spec.api.Function
---@field owner string the variable that has it, or "return" if the file returns it
---@field name string
---@field separator "."|":"
---@field arguments string
---@field text string
---@field params spec.api.Typed[]
---@field returns spec.api.Typed[]

---@class spec.api.Class
---@field name string
---@field parents string?
---@field alias string? the type that it is another name of
---@field words string? what an alias is
---@field text string
---@field fields spec.api.Typed[]
---@field methods spec.api.Function[]
---@field variable string? that has its methods

---@class spec.api.File
---@field text string of the file as a whole
---@field classes spec.api.Class[]
---@field functions spec.api.Function[]
---@field returned string? the variable that it returns
---@field called string? the function by which that can be called

---Cuts a type off the beginning of a text. Blanks belong to it within brackets and quotes, and beside `|`, `,` and `:`.
---@return string type
---@return string rest
local function cut_type(text)
  local depth, last, is_quoted = 0, "", false
  for at = 1, #text do
    local letter = text:sub(at, at)
    if letter:find "[%(%[{<]" then depth = depth + 1 elseif letter:find "[%)%]}>]" then depth = depth - 1 end
    if letter == '"' then is_quoted = not is_quoted end
    if letter == " " and depth == 0 and not is_quoted and not last:find "[|,:]" and not text:find("^%s*|", at) then
      return text:sub(1, at - 1), text:sub(at + 1)
    end
    if letter ~= " " then last = letter end
  end
  return text, ""
end

---Reads `name? type text`, or `type text` where there is no name.
---@return spec.api.Typed
local function typed(rest, has_name)
  local name
  if has_name then name, rest = rest:match "^(%S+)%s*(.*)$" end
  local kind, text = cut_type(rest)
  local shorter = name and name:match "^(.*)%?$"
  return { name = shorter or name, is_optional = shorter ~= nil, type = kind, text = text }
end

---Reads the lines of a comment: its text, and its tags with the lines that continue them.
---@return string text
---@return { tag: string, rest: string }[] tags
local function read_comment(lines)
  local text, tags = {}, {}
  for _, line in ipairs(lines) do
    local tag, rest = line:match "^%s*@(%a+)%s*(.*)$"
    if tag then
      tags[#tags + 1] = { tag = tag, rest = rest }
    elseif #tags > 0 then
      tags[#tags].rest = tags[#tags].rest .. " " .. line:match "^%s*(.*)$"
    else
      text[#text + 1] = line
    end
  end
  return table.concat(text, "\n"), tags
end

---Returns words behind a name as a sentence; none as they are.
local function as_sentence(words)
  return words == "" and "" or (words:gsub("^%l", string.upper):gsub("[^.]$", "%0."))
end

---@return spec.api.Class?
local function class_of(text, tags)
  local class
  for _, one in ipairs(tags) do
    if one.tag == "class" then
      local name, rest = one.rest:match "^([%w%._]+)%s*(.*)$"
      local parents, words = rest:match "^:%s*([%w%._,]+)%s*(.*)$"
      local said = text ~= "" and text or as_sentence(words or rest)
      class = { name = name, parents = parents, text = said, fields = {}, methods = {} }
    elseif one.tag == "alias" then
      local name, rest = one.rest:match "^([%w%._]+)%s*(.*)$"
      local kind, words = cut_type(rest)
      class = { name = name, alias = kind, words = words, text = text, fields = {}, methods = {} }
    elseif one.tag == "field" and class and not one.rest:find "^private%s" then
      table.insert(class.fields, typed(one.rest, true))
    end
  end
  return class
end

---@return spec.api.Function
local function function_of(text, tags, owner, separator, name, arguments)
  local made = {
    owner = owner, separator = separator, name = name, arguments = arguments, text = text, params = {}, returns = {},
  }
  for _, one in ipairs(tags) do
    if one.tag == "param" then table.insert(made.params, typed(one.rest, true)) end
    if one.tag == "return" then table.insert(made.returns, typed(one.rest, false)) end
  end
  return made
end

---Reads what follows a comment.
local function read_code(file, line, text, tags)
  local class = class_of(text, tags)
  if class then
    class.variable = line:match "^local (%w+) = "
    table.insert(file.classes, class)
    return
  end
  local owner, separator, name, arguments = line:match "^function ([%w_]+)([.:])([%w_]+)(%b())"
  if not owner then
    owner, separator, name, arguments = "return", ".", "", line:match "^return function(%b())"
    local own, given = line:match "^local function ([%w_]+)(%b())"
    if own then owner, name, arguments = "local", own, given end
  end
  if arguments then table.insert(file.functions, function_of(text, tags, owner, separator, name, arguments)) end
end

---@param name string
---@return spec.api.File
function M.read(name)
  local file, comment, is_first = { text = "", classes = {}, functions = {} }, {}, true
  for line in io.lines(name) do
    local text = line:match "^%-%-%-(.*)$"
    if text and not text:find "^%-" then
      comment[#comment + 1] = text
    else
      if #comment > 0 then
        local words, tags = read_comment(comment)
        if is_first and #tags == 0 then file.text = words else read_code(file, line, words, tags) end
        is_first = false
      end
      comment = {}
      file.returned = line:match "^return ([%w_]+)$" or line:match "^return setmetatable%(([%w_]+)," or file.returned
      file.called = line:match "^return setmetatable%([%w_]+, { __call = ([%w_]+) }%)" or file.called
    end
  end
  return file
end

return M
