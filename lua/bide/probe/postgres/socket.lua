---Returns the path of the socket that PostgreSQL has in a folder, if that is its host, as libpq does.
---@param host string a folder, which begins with "/", or another host
---@param port integer
---@return string? path
return function(host, port)
  return host:sub(1, 1) == "/" and ("%s/.s.PGSQL.%d"):format(host, port) or nil
end
