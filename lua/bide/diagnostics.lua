---`print` for recipes: what they say is no part of the outcome, which has standard output for itself, and
---commands no terminal.

return function(...)
  local words = table.pack(...)
  for position = 1, words.n do words[position] = tostring(words[position]) end
  io.stderr:write((table.concat(words, "\t"):gsub("[^%C\n\t]", " ")), "\n")
end
