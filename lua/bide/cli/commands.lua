---The names of the commands, in the order in which help lists them. Each is a module of this folder.

---@type string[]
return {
  "run", "submit", "watch", "worker", "jobs", "workers", "store", "aws", "step", "replay", "test", "plan", "check",
  "convert", "list", "show", "query", "exec", "journal", "help", "completion",
}
