---What the objects of a class see of it: its members, but not the class itself. Whoever holds an
---object could otherwise change what all of them do.

---@param class table
---@return fun(object: table, name: any): any index for its metatable
return function(class)
  return function(_, name)
    if name ~= "__index" then return class[name] end
  end
end
