---Cases of the recipe mysql. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return shapes.of_database("mysql", "MysqlReady", { "28000", "42000" }, "42S02")
