---@meta bide.core
---All modules of bide in C that one library has.

---@class bide.core
---@field bounded bide.core.bounded
---@field coroutine bide.core.coroutine
---@field json bide.core.json
---@field jmespath bide.core.jmespath
---@field limits bide.core.limits
---@field loop bide.core.loop
---@field model bide.core.model
---@field names bide.core.names
---@field pattern bide.core.pattern
---@field postgres bide.core.postgres
---@field process bide.core.process
---@field network bide.core.network
---@field recording bide.core.recording
---@field resolver bide.core.resolver
---@field response bide.core.response
---@field schedule bide.core.schedule
---@field secret bide.core.secret
---@field service bide.core.service
---@field task bide.core.task
---@field text bide.core.text
---@field turns bide.core.turns
---@field wait bide.core.wait
---@field watchdog bide.core.watchdog
local core = {}

return core
