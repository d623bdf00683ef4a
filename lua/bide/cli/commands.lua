---The names of the commands, in the order in which help lists them. Each is a module of this folder.

---@type string[]
return {
  "run", "aws", "step", "replay", "test", "plan", "check", "convert", "list", "show", "query", "exec", "journal", "store",
  "help", "completion",
}
