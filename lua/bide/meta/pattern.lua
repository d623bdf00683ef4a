---@meta

---The functions of `string` with patterns, for untrusted scripts, to whose instructions their work is charged:
---`require("bide.core").pattern`.
---@class bide.core.pattern
---@field find fun(text: string, pattern: string, start?: integer, plain?: boolean): integer?, integer?, ...
---@field match fun(text: string, pattern: string, start?: integer): any ...
---@field gmatch fun(text: string, pattern: string, start?: integer): fun(): ...
---@field gsub fun(text: string, pattern: string, replacement: string|number|table|function, most?: integer): string, integer
local pattern = {}

return pattern
