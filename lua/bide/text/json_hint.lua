---Returns what a text lacks to be JSON, if a shell, or a program that reads no quotes, has changed it, or if it is meant to
---name a file: words to append to a message.
---@param text string that cannot be read as JSON
---@return string hint "" if the text has the quotes of JSON, or looks like something else
return function(text)
  local file = text:match "^@([^:%s]+)$"
  if file then return "; a file is read by KEY=@file:" .. file end
  if text:find "^%s*'" then return "; leave out the single quotes, which no shell has removed" end
  if not text:find "^%s*[{%[]" or text:find('"', 1, true) then return "" end
  if text:find("'", 1, true) then return "; JSON has double quotes" end
  return "; the shell removes quotes that are not within '…'"
end
