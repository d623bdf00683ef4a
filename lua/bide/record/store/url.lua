---The URLs of databases that are stores.

local cells = require "bide.record.store.cell"
local option = require "bide.text.option"

local M = {}

local is_password = option.set "password sslpassword"

---@param url string
---@return string
function M.without_password(url)
  return (url:gsub("^(%a+://[^/@:]*):[^/@]*@", "%1@"):gsub("([?&])([^=&]+)=[^&]*", function(sign, name)
    local plain = name:gsub("%%(%x%x)", function(byte) return string.char(tonumber(byte, 16)) end)
    return is_password[plain] and ("%s%s=***"):format(sign, name) or nil
  end))
end

---Returns the URLs of BIDE_STORE. Those of databases are separated by blanks; the name of a file may contain some.
---@return string[] urls none if it is not set
function M.of_environment()
  local text, urls = os.getenv "BIDE_STORE" or "", {}
  if not text:find "^%s*[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]%a*://" then return text ~= "" and { text } or urls end
  for url in text:gmatch "%S+" do urls[#urls + 1] = url end
  return urls
end

---Cuts the number of a cell from a URL.
---@param url string
---@return string? others the URL without it; nil if there is a mistake
---@return integer|string|nil cell nil if the URL has none; or the mistake
function M.cut_cell(url)
  local place, query = url:match "^([^?]*)%??(.*)$"
  local others, cell = {}, nil
  for parameter in query:gmatch "[^&]+" do
    local text = parameter:match "^cell=(.*)$"
    if text and cell then return nil, "cell: it is given twice" end
    if text then
      cell = cells.read(text)
      if not cell then return nil, "cell: " .. option.expected(("a whole number from 0 to %d"):format(cells.MOST), text) end
    else
      others[#others + 1] = parameter
    end
  end
  return place .. (others[1] and "?" or "") .. table.concat(others, "&"), cell
end

return M
