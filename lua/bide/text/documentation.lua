---The words of a documentation for a terminal. Models of services have HTML in theirs.

local entities = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'", nbsp = " ", ["#34"] = '"', ["#39"] = "'" }

---@param text string
---@return string words one line, without marks of HTML
return function(text)
  text = text:gsub("<!%-%-.-%-%->", " "):gsub("</?%a[^<>]*>", " "):gsub("&(#?%w+);", entities):gsub("%s+", " ")
  return (text:gsub(" ([.,;:!?)])", "%1"):gsub("^ ", ""):gsub(" $", ""))
end
