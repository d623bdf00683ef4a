return require "neighbour" "first"
