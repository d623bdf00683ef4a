---The operation error that a call must raise.

---@param f function
---@return table failure
return function(f, ...)
  local ok, failure = pcall(f, ...)
  assert(not ok, "it raised nothing")
  assert(type(failure) == "table" and type(failure.type) == "string", tostring(failure))
  return failure
end
