---Refuses a class of the annotations that two places give fields: an editor takes it for one with the fields of both, so it
---accepts a table that is neither. The functions of `bide` are the exception: each module adds its own.

local EXTENDED <const> = "bide"

---@type table<string, string> the places of classes with fields, by their names
local place_of = {}

---@param file string
---@param report fun(line: integer, text: string)
return function(file, report)
  local number, class = 0, nil
  for line in io.lines(file) do
    number = number + 1
    if not line:find "^%s*%-%-%-" then class = nil end
    class = line:match "^%s*%-%-%-@class ([%w_.]+)" or class
    if class and class ~= EXTENDED and line:find "^%s*%-%-%-@field " then
      if place_of[class] then report(number, ("the class %s has fields in %s, too"):format(class, place_of[class])) end
      place_of[class], class = place_of[class] or ("%s:%d"):format(file, number), nil
    end
  end
end
