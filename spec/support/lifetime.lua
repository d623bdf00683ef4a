---How long the servers of a class run: until they are closed, for one spec, or for a block of specs.
---
---    local server = Server.of_block(handler)   all specs of the block ask it
---    local server = Server.of_each(handler)    begins anew before each of them
---    Server.close_after_each()                 closes after each of them what it has started

---Gives a class these functions, and `start`.
---@param class table whose `begin` takes what they take, and whose `close` may come twice
return function(class)
  local started = {}

  local function between(first, last)
    return function(...)
      local server, busted, given = setmetatable({}, class), require "busted", table.pack(...)
      busted[first](function() server:begin(table.unpack(given, 1, given.n)) end)
      busted[last](function() server:close() end)
      return server
    end
  end

  class.of_block, class.of_each = between("setup", "teardown"), between("before_each", "after_each")

  function class.start(...)
    local server = setmetatable({}, class)
    server:begin(...)
    started[#started + 1] = server
    return server
  end

  function class.close_after_each()
    require("busted").after_each(function()
      while started[1] do table.remove(started):close() end
    end)
  end
end
