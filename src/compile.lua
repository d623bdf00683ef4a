---Compiles a Lua module for the program, which starts sooner with it. The lines of bide's own are
---told as those of [bide]/…, a folder that no script can be in; those of others are left out.
---
---    lua5.4 src/compile.lua lua/bide/wait/run.lua build/lua/bide/wait/run.lua

local source, target = table.unpack(arg)
local own = source:match("^lua/bide/(.*)$")
local input = assert(io.open(source, "rb"))
local chunk = assert(load(input:read("a"), own and "@[bide]/" .. own or "@" .. source, "t"))
local compiled = string.dump(chunk, not own)
local output = assert(io.open(target, "wb"))
assert(output:write(compiled))
assert(output:close())
