return require "neighbour" "second"
