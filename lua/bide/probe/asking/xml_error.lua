---Reads the code and the message of an error in XML, as AWS's protocols and S3 write it. They are elements of the element
---Error itself: a message may quote any other document, and a comment may hold any element.

---The most bytes of a body that are searched.
local LONGEST = 65536

local entities = { lt = "<", gt = ">", quot = '"', apos = "'", amp = "&" }

---@return string? text of a reference to a character, such as &#39; or &#x27;
local function character(hexadecimal, digits)
  local code = #digits <= 6 and tonumber(digits, hexadecimal == "x" and 16 or 10)
  return code and code > 0 and code <= 0x10FFFF and code & 0x1FF800 ~= 0xD800 and utf8.char(code) or nil
end

local function unescape(text)
  return (text:gsub("&([#%w]+);", function(name)
    local hexadecimal, digits = name:match "^#(x?)(%x+)$"
    if digits then return character(hexadecimal, digits) end
    return entities[name]
  end))
end

local references = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

---The ends of comments and of CDATA sections, and what stays of them, by their beginnings.
local sections = {
  ["<!--"] = { "-->", function() return "" end },
  ["<![CDATA["] = { "]]>", function(text) return (text:gsub("[&<>]", references)) end },
}

---Returns a text without comments, and with references in place of CDATA sections; nil if one of them has no end.
---@param text string
---@return string?
local function plain(text)
  local parts, at = {}, 1
  while true do
    local from = text:find("<!", at, true)
    if not from then break end
    local opening = text:match("^<!%-%-", from) or text:match("^<!%[CDATA%[", from)
    if not opening then return nil end
    local closing, kept = table.unpack(sections[opening])
    local last, after = text:find(closing, from + #opening, true)
    if not last then return nil end
    parts[#parts + 1] = text:sub(at, from - 1)
    parts[#parts + 1] = kept(text:sub(from + #opening, last - 1))
    at = after + 1
  end
  return table.concat(parts) .. text:sub(at)
end

---Returns the texts of the elements of an element, by their names. One that has further elements is left out, and so is one
---that is there twice with different texts.
---@param element string what is in it
---@return table<string, string|false>
local function texts_in(element)
  local texts, depth = {}, 0
  for slash, name, rest, after in element:gmatch "<(/?)([%w:._-]+)([^>]*)>()" do
    depth = depth + (slash == "/" and -1 or 0)
    if depth < 0 then break end -- that is the end of the element
    local text = depth == 0 and slash == "" and element:match("^([^<]*)</", after)
    if text then
      local first = text:find "%S"
      local found = unescape(first and text:match("^.*%S", first) or "")
      texts[name] = (texts[name] == nil or texts[name] == found) and found
    end
    if slash == "" and rest:sub(-1) ~= "/" then depth = depth + 1 end
  end
  return texts
end

---The roots of the documents in which services say an error. A page of another program may have any elements.
local is_root = { Error = true, ErrorResponse = true, Response = true }

---Reports whether a text is such a document, and whole.
local function is_whole_error(body)
  local root = body:match "^%s*<(%a+)" or body:match "^%s*<%?xml[^>]*>%s*<(%a+)"
  return is_root[root] and body:match "</(%a+)>%s*$" == root
end

---@param body string
---@return string? code
---@return string? message
return function(body)
  local text = is_whole_error(body) and plain(body:sub(1, LONGEST))
  local element = text and text:match("<Error%f[%s>][^>]*>(.*)</Error>")
  if not element then return nil end
  local texts = texts_in(element)
  return texts.Code or nil, texts.Message or nil
end
