---The list of AWS's services: names, versions and waiters, without any shapes.

local core = require "bide.core"
local data = require "bide.model.aws.data"
local option = require "bide.text.option"
local shown = require "bide.text.shown"

local M = {}

local row = "  %-34s %7s  %-12s %s"

---Prints the services as a table.
function M.print()
  shown.print(row:format("SERVICE", "WAITERS", "API VERSION", "NAME"))
  for _, service in ipairs(data.services()) do
    shown.print(row:format(service.name, #option.sorted_names(service.waiters), service.apiVersion, service.fullName or ""))
  end
  shown.print("", "bide aws SERVICE lists the waiters of a service, and their inputs.")
end

---@return table[] services for JSON
function M.list()
  local list = core.json.array {}
  for position, service in ipairs(data.services()) do
    list[position] = { service = service.name, recipe = "aws:" .. service.name, apiVersion = service.apiVersion,
      fullName = service.fullName, file = service.file, waiters = core.json.array(option.sorted_names(service.waiters)) }
  end
  return list
end

return M
