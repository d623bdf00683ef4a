---Compiles a Lua module for the program, which starts sooner with it. The lines of bide's own are
---told as those of [bide]/…, a folder that no script can be in; those of others are left out.
---
---    lua5.4 src/compile.lua lua/bide/wait/run.lua build/lua/bide/wait/run.lua

local HEADER <const> = "c4 B B c6 B B B j n" -- with the number of upvalues behind it
local SIZES <const> = { [0x00] = 0, [0x01] = 0, [0x11] = 0, [0x03] = 8, [0x13] = 8 } -- of constants but texts

---Returns what `string.dump` has made, without the names of local variables and upvalues: to load them took a quarter of
---all loading, and only the traceback of a fault shows them. Lines stay, and the names of functions that are members.
---@param dumped string
---@return string
local function without_names(dumped)
  local parts, copied, at = {}, 1, 1 + HEADER:gsub(" ", ""):packsize() + 1
  local read_function

  local function read_byte()
    at = at + 1
    return dumped:byte(at - 1)
  end

  ---Reads a number, seven bits in each byte; the last byte has its highest bit set.
  local function read_number()
    local number, byte = 0, nil
    repeat
      byte = read_byte()
      number = number << 7 | byte & 0x7F
    until byte >= 0x80
    return number
  end

  ---Skips elements of one size, with their number before them.
  local function skip_elements(size)
    local number = read_number()
    at = at + number * size
  end

  ---A text has its size before it, counted with a NUL that is not there; 0 is none.
  local function skip_text()
    local size = read_number()
    at = at + math.max(size - 1, 0)
  end

  local function skip_constant()
    local size = SIZES[read_byte()]
    if size then at = at + size else skip_text() end
  end

  local function skip_list(skip)
    for _ = 1, read_number() do skip() end
  end

  ---Leaves a list out.
  local function drop_list(skip)
    parts[#parts + 1] = dumped:sub(copied, at - 1) .. "\x80"
    skip_list(skip)
    copied = at
  end

  function read_function()
    skip_text() -- the source
    read_number()
    read_number() -- the first line and the last one
    at = at + 3 -- parameters, whether there are more, the size of the stack
    skip_elements(4) -- instructions
    skip_list(skip_constant)
    skip_elements(3) -- upvalues
    skip_list(read_function)
    skip_elements(1) -- lines
    skip_list(function()
      read_number()
      read_number()
    end)
    drop_list(function()
      skip_text()
      read_number()
      read_number()
    end)
    drop_list(skip_text)
  end

  read_function()
  assert(at == #dumped + 1, "a compiled chunk has more than one function")
  return table.concat(parts)
end

local source, target = table.unpack(arg)
local own = source:match("^lua/bide/(.*)$")
local input = assert(io.open(source, "rb"))
local chunk = assert(load(input:read("a"), own and "@[bide]/" .. own or "@" .. source, "t"))
local compiled = own and without_names(string.dump(chunk)) or string.dump(chunk, true)
assert(string.dump(assert(load(compiled, source, "b")), true) == string.dump(chunk, true))
local output = assert(io.open(target, "wb"))
assert(output:write(compiled))
assert(output:close())
