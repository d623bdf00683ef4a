---The functions that recipes take from models, which are on a floor above: bide.model.for_recipes hands them down.

---@class bide.recipe.Models
---@field read fun(file: string, text: string, is_botocore?: boolean, document?: bide.Document, words?: string[]):
---table<string, table>?, any operations by name and the facts of the model, or nil and the mistake; only the one with the
---waiter that a word names, if there is one
---@field dangers fun(waiter: bide.Waiter): { acceptor: integer, message: string }[] the acceptors of a recipe's waiter that
---`bide check` finds at DANGER; the first is 0
---@field first_of_service fun(service: string, read: fun(file: string): any, string?): any, string[]|string the value of the
---best file of a service of AWS that can be read, and warnings; nil and the mistake if none can
---@field complete fun(service: string, operations: table<string, table>): table<string, bide.KnownOfWaiter> adds to a
---service of AWS what bide knows of its waiters beside the data
---@field files_of_service fun(service: string): string[]?, string? the files of a service, the best first

---Facts about a waiter of AWS that bide has beside the data.
---@class bide.KnownOfWaiter
---@field reason string? a JMESPath over the output: the text in which the service says why it failed
---@field found string? a JMESPath over the output: the list that a success must not find empty without a warning
---@field lacks string? a JMESPath over the output: the texts in which it says what it has not of what was asked for
---@field asked { input: string, found: string }[]? members of the input with names, and JMESPaths to what was found of them
---@field added integer? how many of its acceptors, the last ones, are bide's own

---@type bide.recipe.Models
return {}
