---A home folder with files for AWS, and an environment in which nothing else is set.
---
---    local home = AwsHome.make { config = "[default]\nregion = eu-west-1" }
---    region.find { getenv = home.getenv }

local uv = require "luv"
local Directory = require "spec.support.directory"

---@class spec.AwsHome : spec.Directory
---@field variables table<string, string> the environment
---@field getenv fun(name: string): string?
local AwsHome = {}
AwsHome.__index = setmetatable(AwsHome, { __index = Directory })

---@param files? { config: string?, credentials: string? }
---@param variables? table<string, string>
---@return spec.AwsHome
function AwsHome.make(files, variables)
  local home = setmetatable(Directory.make(), AwsHome)
  for _, folder in ipairs { "/.aws", "/.aws/sso", "/.aws/sso/cache" } do assert(uv.fs_mkdir(home.path .. folder, 448)) end
  for name, text in pairs(files or {}) do home:write(".aws/" .. name, text) end
  home.variables = { HOME = home.path, AWS_EC2_METADATA_DISABLED = "true" }
  for name, value in pairs(variables or {}) do home.variables[name] = value or nil end
  home.getenv = function(name) return home.variables[name] end
  return home
end

---Returns the environment for a process, in which no other variable of AWS is set.
---@return table<string, string|false>
function AwsHome:environment()
  local all = {}
  for name in pairs(uv.os_environ()) do
    if name:find "^AWS_" then all[name] = false end
  end
  for name, value in pairs(self.variables) do all[name] = value end
  return all
end

return AwsHome
