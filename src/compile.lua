---Compiles a Lua module of bide's for the program, which starts sooner with it. Its lines are
---told as those of [bide]/…, a folder that no script can be in.
---
---    lua5.4 src/compile.lua lua/bide/wait.lua build/lua/bide/wait.lua

local source, target = table.unpack(arg)
local name = assert(source:match("^lua/bide/(.*)$"), "wanted a file in lua/bide")
local input = assert(io.open(source, "rb"))
local compiled = string.dump(assert(load(input:read("a"), "@[bide]/" .. name, "t")))
local output = assert(io.open(target, "wb"))
assert(output:write(compiled))
assert(output:close())
