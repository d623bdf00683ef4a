---Hands models down to recipes, whose floor is below. Each module is loaded when a recipe first needs it.

local models = require "bide.recipe.file.models"

function models.read(...) return require("bide.model.run.recipe").read(...) end

function models.dangers(waiter) return require("bide.model.check.declared").dangers(waiter) end

function models.first_of_service(service, read) return require("bide.model.aws.data").first(service, read) end

function models.files_of_service(service) return require("bide.model.aws.data").files(service) end

function models.complete(service, operations) return require("bide.model.aws.own").complete(service, operations) end

return models
