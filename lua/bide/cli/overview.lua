---The content of `bide --help`, and of the beginning of the page for man.

---@class bide.cli.Row
---@field [1] string as it is typed
---@field [2] string what it means

return {
  purpose = "polls a resource until it is in the state you want, and explains how the wait ended",
  ---@type bide.cli.Row[]
  usage = { { "bide COMMAND [ARGUMENTS]", "" }, { "bide RECIPE [ARGUMENTS]", "is bide run RECIPE [ARGUMENTS]" } },
  ---@type bide.cli.Row[]
  more = {
    { "bide COMMAND --help", "explains a command and its options, with an example" },
    { "bide RECIPE --help", "explains a recipe: its waiters and its inputs, with an example" },
    { "bide help recipes", "prints a page of the documentation: recipes, scripting, jmespath and others" },
    { "bide --version", "prints the versions of bide and its libraries" },
  },
  example = "bide http localhost:8080/health --max-wait 1m -- ./start",
}
