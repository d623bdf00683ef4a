---The templates of pages of HTML, which are in the folder html beside this file. What a page is filled with is escaped by
---its module; a policy in each page lets no script run but its own, and no style hold but its own, whose digests it has.

local base64 = require "bide.base64"
local own_files = require "bide.text.own_files"
local digest = require "bide.digest"
local shown = require "bide.text.shown"

local M = {
  ---The entities of texts in elements. No text of others is put into an attribute.
  entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" },
}

---Reads a file of a page.
---@param file string "page.css"
---@return string
function M.read(file) return own_files.beside("bide.record.report.format.markup", "html/" .. file) end

---Returns what a policy has in place of a style or a script.
---@param text string
---@return string
function M.hash(text) return base64.encode(digest.sha256(text)) end

---Cuts a file of templates: each follows a line with its name.
---@return table<string, string>
local function templates_of(text)
  local parts, name = {}, nil
  for line in text:gmatch "([^\n]*)\n" do
    local next_name = line:match "^<!%-%-%- (%l+) %-%-%->$"
    if next_name then
      name, parts[next_name] = next_name, {}
    else
      table.insert(parts[name], line)
    end
  end
  for one, lines in pairs(parts) do parts[one] = table.concat(lines, "\n") .. "\n" end
  return parts
end

---@class bide.PageTemplates
---@field fill fun(name: string, values: table<string, string|number>): string puts escaped values into a template
---@field size fun(name: string): integer the bytes of a template

---@param file string "page.html"
---@return bide.PageTemplates
function M.open(file)
  local templates = templates_of(M.read(file))
  return {
    fill = function(name, values)
      return (templates[name]:gsub("{([%l_]+)}", function(place)
        return tostring(values[place] or error(("%s: no value for %s"):format(name, place)))
      end))
    end,
    size = function(name) return #templates[name] end,
  }
end

---Cuts a text that has entities, at the end of a character.
---@param text string
---@param most integer bytes
---@return string text
---@return boolean is_cut
function M.cut(text, most)
  if #text <= most then return text, false end
  text = text:sub(1, most):gsub("&[^;]*$", "")
  return (text:gsub("[\xC0-\xFF][\x80-\xBF]*$", "")), true
end

---Returns a text as one line of HTML, without any control character.
---@param text string
---@param most integer bytes
---@return string
function M.escape(text, most)
  local line, is_cut = M.cut((shown.line(text):gsub("[&<>]", M.entities)), most)
  return is_cut and line .. "…" or line
end

return M
