---The outcomes of waits of a store in a file, which the command works itself.

local outcomes = require "spec.support.store_outcomes"

outcomes("a file", {
  words = function(number) return { "--store", ("store%d.db"):format(number), "--work" } end,
}, _ENV)
