---"Did you mean": the candidate nearest to a name that was mistyped; nil where
---none is near enough to be meant.
---@type fun(name: string, candidates: string[]): string?
return require("bide.core").names.nearest
