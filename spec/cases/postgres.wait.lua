---Cases of the recipe postgres. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return shapes.of_database("postgres", "PostgresReady", { "28P01", "3D000", "28000", "42601" }, "42P01")
